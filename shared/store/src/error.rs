//! Failures of the table: enough to decide what to do, without any stored content.

use std::sync::Arc;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use super::CorruptFragment;
use super::keys::Key;

/// A failure of the table, or of the data stored in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The same call may succeed later.
    #[error("{operation} is unavailable: {cause}")]
    Unavailable {
        /// Name of the DynamoDB operation.
        operation: &'static str,
        /// Why the call failed.
        cause: Cause,
    },
    /// The same call will fail again.
    #[error("{operation} was refused: {cause}")]
    Refused {
        /// Name of the DynamoDB operation.
        operation: &'static str,
        /// Why the call failed.
        cause: Cause,
    },
    /// Other writers changed the same items until all attempts were used up. A retry may succeed.
    #[error("{0} failed: other writers kept changing the same items")]
    Contended(&'static str),
    /// Stored data is missing or malformed, or cannot be written.
    #[error("stored data is damaged: {0}")]
    Corrupt(&'static str),
    /// An item is missing or malformed.
    #[error("stored data is damaged: {0}")]
    Damaged(#[from] Damage),
    /// An item would be larger than DynamoDB accepts.
    #[error("{what} has {size} bytes; an item can have at most {limit}", limit = super::ITEM_LIMIT)]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its approximate size in bytes.
        size: usize,
    },
    /// The form that asks for the change has made it before.
    #[error("the form was already used")]
    Repeated,
    /// The system's random source failed.
    #[error("the system's random source failed")]
    NoRandomness,
}

/// An item that cannot be used. Names its key, which contains identifiers and digests, and nothing of its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} (item {item})")]
pub struct Damage {
    /// Key of the item.
    pub(crate) item: Arc<Key>,
    /// Description of the damage.
    pub what: &'static str,
}

impl Damage {
    pub(crate) fn of(key: Key, what: &'static str) -> Self {
        Self { item: Arc::new(key), what }
    }

    /// Returns the key of the item, partition key first.
    pub fn item(&self) -> String {
        self.item.to_string()
    }
}

/// The error code of the local table if its file cannot grow.
pub const DISK_FULL: &str = "DiskFull";

/// Why a call to DynamoDB failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The request could not be built or signed.
    #[error("the request cannot be built")]
    NotSent,
    /// No connection was made.
    #[error("no connection")]
    NoConnection,
    /// No response arrived in time.
    #[error("timed out")]
    TimedOut,
    /// The response broke off, or its text is damaged or incomplete.
    #[error("unreadable response")]
    UnreadableResponse,
    /// The capacity of the table or of one of its partitions was exceeded.
    #[error("throttled")]
    Throttled,
    /// Another transaction was working on the same items.
    #[error("another transaction is working on the same items")]
    Conflict,
    /// The table does not exist.
    #[error("the table does not exist")]
    NoTable,
    /// The credentials do not allow the call, or are unknown.
    #[error("the credentials do not allow it")]
    NotAllowed,
    /// The disk that has the file of the local table is full.
    #[error("the disk is full")]
    DiskFull,
    /// Another error code of DynamoDB.
    #[error("{0}")]
    Code(String),
}

impl StoreError {
    /// Returns whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Contended(_))
    }

    /// Returns whether another transaction kept working on the same items.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Unavailable { cause: Cause::Conflict, .. })
    }

    /// Returns whether the table or a partition lacked capacity.
    pub fn is_throttling(&self) -> bool {
        matches!(self, Self::Unavailable { cause: Cause::Throttled, .. })
    }

    /// Translates a failed call. Leaves out its message, which may repeat stored content.
    pub(crate) fn of_call<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        let cause = match error {
            SdkError::ConstructionFailure(_) => Cause::NotSent,
            SdkError::TimeoutError(_) => Cause::TimedOut,
            SdkError::DispatchFailure(failure) if failure.is_timeout() => Cause::TimedOut,
            // A response arrived but was incomplete.
            SdkError::DispatchFailure(failure) if failure.is_other() => Cause::UnreadableResponse,
            SdkError::DispatchFailure(_) => Cause::NoConnection,
            SdkError::ResponseError(_) => Cause::UnreadableResponse,
            SdkError::ServiceError(response) => Cause::of_code(response.err().code().unwrap_or("no code")),
            _ => Cause::Code("unknown failure".to_owned()),
        };
        if cause.is_lasting() { Self::Refused { operation, cause } } else { Self::Unavailable { operation, cause } }
    }
}

impl Cause {
    /// Translates an error code, or the code of a reason why a transaction was cancelled.
    pub(crate) fn of_code(code: &str) -> Self {
        match code {
            "ProvisionedThroughputExceededException"
            | "ProvisionedThroughputExceeded"
            | "RequestLimitExceeded"
            | "ThrottlingException"
            | "ThrottlingError" => Self::Throttled,
            "TransactionConflict" | "TransactionConflictException" | "TransactionInProgressException" => Self::Conflict,
            "ResourceNotFoundException" => Self::NoTable,
            "AccessDeniedException"
            | "IncompleteSignature"
            | "InvalidSignatureException"
            | "MissingAuthenticationToken"
            | "UnrecognizedClientException" => Self::NotAllowed,
            DISK_FULL => Self::DiskFull,
            code => Self::Code(code.to_owned()),
        }
    }

    /// Returns whether the call itself is invalid. All other codes may pass: throttling, faults of the service, and
    /// unknown codes.
    fn is_lasting(&self) -> bool {
        match self {
            Self::NotSent | Self::NoTable | Self::NotAllowed => true,
            Self::Code(code) => matches!(
                code.as_str(),
                "ConditionalCheckFailedException" | "SerializationException" | "ValidationException"
            ),
            _ => false,
        }
    }
}

impl From<CorruptFragment> for StoreError {
    fn from(CorruptFragment(item): CorruptFragment) -> Self {
        const WHAT: &str = "a stored fragment does not inflate to its text";
        match item {
            Some(item) => Damage { item, what: WHAT }.into(),
            None => Self::Corrupt(WHAT),
        }
    }
}

impl From<serde_dynamo::Error> for StoreError {
    /// Leaves out the message, which may repeat stored content.
    fn from(_: serde_dynamo::Error) -> Self {
        Self::Corrupt("a value has an unexpected shape")
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::operation::get_item::GetItemError;
    use aws_smithy_runtime_api::client::result::ConnectorError;

    use super::*;

    #[test]
    fn a_failed_call_has_the_cause_of_its_failure() {
        let no_response = SdkError::dispatch_failure;
        let cases: [(SdkError<GetItemError, ()>, _); 6] = [
            (SdkError::construction_failure("?"), Cause::NotSent),
            (SdkError::timeout_error("?"), Cause::TimedOut),
            (no_response(ConnectorError::timeout("?".into())), Cause::TimedOut),
            (no_response(ConnectorError::io("?".into())), Cause::NoConnection),
            (no_response(ConnectorError::other("?".into(), None)), Cause::UnreadableResponse),
            (SdkError::response_error("?", ()), Cause::UnreadableResponse),
        ];
        for (failure, expected) in cases {
            match StoreError::of_call("GetItem", &failure) {
                StoreError::Refused { cause, .. } | StoreError::Unavailable { cause, .. } => {
                    assert_eq!(cause, expected);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
