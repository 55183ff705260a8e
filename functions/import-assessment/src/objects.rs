//! The objects of a bucket.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};

use aws_sdk_s3::Client;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::operation::head_object::HeadObjectError;
use aws_sdk_s3::primitives::ByteStream;
use model::Timestamp;

/// Name of the metadata that contains the end of the runs in a file.
const COMPLETED_AT: &str = "completed-at";

/// A bucket, by its name.
pub(super) struct Bucket<'a> {
    pub(super) client: &'a Client,
    pub(super) name: &'a str,
}

/// A failure of the bucket. Repeats no key.
#[derive(Debug, thiserror::Error)]
pub enum BucketError {
    /// The same call may succeed later.
    #[error("{operation} is unavailable ({code})")]
    Unavailable {
        /// Name of the operation.
        operation: &'static str,
        /// The error code, or how the call failed.
        code: String,
    },
    /// The same call will fail again.
    #[error("{operation} was refused ({code})")]
    Refused {
        /// Name of the operation.
        operation: &'static str,
        /// The error code, or how the call failed.
        code: String,
    },
    /// The metadata of an object is not a time.
    #[error(
        "the metadata {COMPLETED_AT} of the object is not a time such as 2026-05-01T09:00:00Z: put the object \
         again with a valid time"
    )]
    NotATime,
    /// The file does not fit on the function's disk, or the disk failed.
    #[error("the function's disk cannot hold the file ({0}): import it with the command instead")]
    Disk(io::ErrorKind),
}

impl BucketError {
    /// Returns whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    fn of_call<E: ProvideErrorMetadata>(operation: &'static str, error: &SdkError<E>) -> Self {
        match error {
            SdkError::ServiceError(response) => {
                let code = response.err().code().unwrap_or("no code").to_owned();
                // 408 and 429 are not faults of the call, and neither is the 400 that S3 returns to a slow one.
                let passes = matches!(response.raw().status().as_u16(), 408 | 429 | 500..) || code == "RequestTimeout";
                if passes { Self::Unavailable { operation, code } } else { Self::Refused { operation, code } }
            }
            SdkError::ConstructionFailure(_) => Self::Refused { operation, code: "request not constructed".into() },
            SdkError::TimeoutError(_) => Self::Unavailable { operation, code: "timed out".into() },
            _ => Self::Unavailable { operation, code: "no response".into() },
        }
    }
}

impl Bucket<'_> {
    /// Streams an object to the disk, and returns it with the end of its runs if its metadata contains one. The file
    /// has no name, so it disappears with its last user, even if the process is killed.
    pub(super) async fn download(&self, key: &str) -> Result<(File, Option<Timestamp>), BucketError> {
        const OPERATION: &str = "GetObject";
        let response = self.client.get_object().bucket(self.name).key(key).send().await;
        let response = response.map_err(|error| BucketError::of_call(OPERATION, &error))?;
        let completed_at = completed_at(response.metadata())?;
        let mut body = response.body;
        let disk = |error: io::Error| BucketError::Disk(error.kind());
        let mut file = tempfile::tempfile().map_err(disk)?;
        let broken = |_| BucketError::Unavailable { operation: OPERATION, code: "the body broke off".into() };
        while let Some(bytes) = body.try_next().await.map_err(broken)? {
            // Blocking is acceptable: the function has nothing else to do meanwhile.
            file.write_all(&bytes).map_err(disk)?;
        }
        Ok((file, completed_at))
    }

    /// Returns the end of runs in the metadata of an object.
    pub(super) async fn completed_at(&self, key: &str) -> Result<Option<Timestamp>, BucketError> {
        let response = self.client.head_object().bucket(self.name).key(key).send().await;
        match response {
            Ok(response) => completed_at(response.metadata()),
            // The object existed when its event was sent.
            Err(error) if error.as_service_error().is_some_and(HeadObjectError::is_not_found) => Ok(None),
            Err(error) => Err(BucketError::of_call("HeadObject", &error)),
        }
    }

    /// Returns the keys of all objects below a prefix, in order.
    pub(super) async fn keys_below(&self, prefix: &str) -> Result<Vec<String>, BucketError> {
        let mut pages = self.client.list_objects_v2().bucket(self.name).prefix(prefix).into_paginator().send();
        let mut keys = Vec::new();
        while let Some(page) = pages.next().await {
            let page = page.map_err(|error| BucketError::of_call("ListObjectsV2", &error))?;
            keys.extend(page.contents.unwrap_or_default().into_iter().filter_map(|object| object.key));
        }
        Ok(keys)
    }

    /// Deletes objects.
    pub(super) async fn delete(&self, keys: &[String]) -> Result<(), BucketError> {
        for key in keys {
            let response = self.client.delete_object().bucket(self.name).key(key).send().await;
            response.map_err(|error| BucketError::of_call("DeleteObject", &error))?;
        }
        Ok(())
    }

    /// Writes a JSON object.
    pub(super) async fn write_json(&self, key: &str, json: Vec<u8>) -> Result<(), BucketError> {
        let object = self.client.put_object().bucket(self.name).key(key).content_type("application/json");
        let response = object.body(ByteStream::from(json)).send().await;
        response.map(drop).map_err(|error| BucketError::of_call("PutObject", &error))
    }
}

fn completed_at(metadata: Option<&HashMap<String, String>>) -> Result<Option<Timestamp>, BucketError> {
    let time = metadata.and_then(|metadata| metadata.get(COMPLETED_AT)).map(|time| time.trim().parse());
    time.transpose().map_err(|_| BucketError::NotATime)
}
