//! The place that files are sent to: a bucket, or its substitute.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use api::runtime::Config;
use aws_sdk_s3::Client;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lambda_http::Error;
use store::{Timeouts, function_settings};

/// The place that files are sent to. What arrives is imported without another call.
pub trait Bucket: Send + Sync {
    /// Writes an object.
    fn put(&self, key: String, content: Vec<u8>) -> BoxFuture<'_, Result<(), Error>>;

    /// Returns an address that takes one object of exactly this size, until a time has passed, without a key.
    fn address(&self, key: String, size: u64, valid: Duration) -> BoxFuture<'_, Result<String, Error>>;
}

/// A bucket in S3.
struct S3 {
    client: Client,
    name: Arc<str>,
}

/// Connects to the bucket that the environment names (`IMPORTS_BUCKET`). Returns `None` if it names none, because the
/// operator wants no imports by the API.
pub fn connect(_: &Config) -> Option<Arc<dyn Bucket>> {
    let name = env::var("IMPORTS_BUCKET").ok().filter(|name| !name.is_empty())?;
    let settings = function_settings(Timeouts::REGIONAL);
    let of_files = aws_sdk_s3::config::Builder::from(&settings).timeout_config(Timeouts::PATIENT.into());
    Some(Arc::new(S3 { client: Client::from_conf(of_files.build()), name: name.into() }))
}

impl Bucket for S3 {
    fn put(&self, key: String, content: Vec<u8>) -> BoxFuture<'_, Result<(), Error>> {
        let object = self.client.put_object().bucket(&*self.name).key(key).body(ByteStream::from(content));
        async { object.send().await.map(drop).map_err(|error| failed("PutObject", &error)) }.boxed()
    }

    fn address(&self, key: String, size: u64, valid: Duration) -> BoxFuture<'_, Result<String, Error>> {
        // The length is part of what is signed.
        let object = self.client.put_object().bucket(&*self.name).key(key).content_length(size.cast_signed());
        async move {
            let signed = object.presigned(PresigningConfig::expires_in(valid)?).await;
            Ok(signed.map_err(|error| failed("signing", &error))?.uri().to_owned())
        }
        .boxed()
    }
}

/// Returns a failure of the bucket. Repeats no key.
fn failed<E: ProvideErrorMetadata>(operation: &str, error: &SdkError<E>) -> Error {
    format!("{operation} of the bucket failed ({})", error.code().unwrap_or("no response")).into()
}
