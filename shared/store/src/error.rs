//! What the store fails with: enough to decide what to do, nothing of what was stored.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use super::CorruptFragment;

/// What DynamoDB calls a transaction that met another.
pub(super) const CONFLICT: &str = "TransactionConflict";

/// A failure of the store.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Throttled, timed out, out of reach or failing: the same call may succeed later.
    #[error("{operation} is unavailable ({code})")]
    Unavailable {
        /// Name of the operation.
        operation: &'static str,
        /// The error code, or how the call failed.
        code: String,
    },
    /// Refused: the same call will fail again.
    #[error("{operation} was refused ({code})")]
    Refused {
        /// Name of the operation.
        operation: &'static str,
        /// The error code, or how the call failed.
        code: String,
    },
    /// Another writer came between; all attempts were used up.
    #[error("{0} met other writers until its attempts were used up")]
    Contended(&'static str),
    /// A stored item is missing or is not what it must be.
    #[error("stored data is damaged: {0}")]
    Corrupt(&'static str),
    /// An item would be larger than the table takes.
    #[error("{what} has {size} bytes; an item holds no more than {limit}", limit = super::ITEM_LIMIT)]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size in bytes, as far as known.
        size: usize,
    },
    /// The system's random source failed.
    #[error("the system's random source failed")]
    NoRandomness,
}

impl StoreError {
    /// Whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Contended(_))
    }

    /// Whether another writer came between a read and the write that was made of it.
    pub(super) fn is_contended(&self) -> bool {
        matches!(self, Self::Contended(_))
    }

    /// Whether another transaction was at the same items, again and again.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Unavailable { code, .. } if code == CONFLICT)
    }

    /// A transaction met another.
    pub(super) fn conflict() -> Self {
        Self::Unavailable { operation: "TransactWriteItems", code: CONFLICT.to_owned() }
    }

    /// What a call's failure means. Its message is left out: it may repeat what was stored.
    pub(super) fn of_call<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        let refused = |code: &str| Self::Refused { operation, code: code.to_owned() };
        let unavailable = |code: &str| Self::Unavailable { operation, code: code.to_owned() };
        match error {
            SdkError::ConstructionFailure(_) => refused("request not constructed"),
            SdkError::TimeoutError(_) => unavailable("timed out"),
            SdkError::DispatchFailure(_) => unavailable("no connection"),
            SdkError::ResponseError(_) => unavailable("unreadable answer"),
            SdkError::ServiceError(answer) => match answer.err().code() {
                Some(code) if is_refusal(code) => refused(code),
                code => unavailable(code.unwrap_or("no code")),
            },
            _ => unavailable("unknown failure"),
        }
    }
}

/// Codes of calls that are wrong in themselves. All others (throttling, faults of the service, whatever is new) pass.
fn is_refusal(code: &str) -> bool {
    matches!(
        code,
        "AccessDeniedException"
            | "ConditionalCheckFailedException"
            | "IncompleteSignature"
            | "InvalidSignatureException"
            | "MissingAuthenticationToken"
            | "ResourceNotFoundException"
            | "SerializationException"
            | "UnrecognizedClientException"
            | "ValidationException"
    )
}

impl From<CorruptFragment> for StoreError {
    fn from(_: CorruptFragment) -> Self {
        Self::Corrupt("a stored fragment does not inflate to its text")
    }
}

impl From<serde_dynamo::Error> for StoreError {
    /// The message is left out: it may repeat what was stored.
    fn from(_: serde_dynamo::Error) -> Self {
        Self::Corrupt("an item does not have the shape of its kind")
    }
}
