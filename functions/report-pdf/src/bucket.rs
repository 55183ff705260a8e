//! The bucket of documents and archives.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::Builder;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::presigning::{PresigningConfig, PresigningConfigError};
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};

/// Time to write an archive, with all attempts: less than an invocation reserves for it.
const ARCHIVE_TIME: Duration = Duration::from_secs(240);

/// A bucket, whose lifecycle deletes what was forgotten.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// Connection.
    pub client: Client,
    /// Name of the bucket.
    pub name: Arc<str>,
}

/// A failure of the bucket. Repeats no key.
#[derive(Debug, thiserror::Error)]
#[error("{0} of the bucket of documents failed ({1})")]
pub struct BucketError(&'static str, String);

impl Bucket {
    /// Returns the names of the objects below a prefix, with their lengths in bytes.
    pub(crate) async fn names(&self, prefix: &str) -> Result<BTreeMap<String, u64>, BucketError> {
        let mut pages = self.client.list_objects_v2().bucket(&*self.name).prefix(prefix).into_paginator().send();
        let mut names = BTreeMap::new();
        while let Some(page) = pages.next().await {
            let page = page.map_err(|error| failed("ListObjectsV2", &error))?;
            names.extend(page.contents.unwrap_or_default().into_iter().filter_map(|object| {
                let name = object.key?.strip_prefix(prefix)?.to_owned();
                Some((name, object.size.unwrap_or_default().cast_unsigned()))
            }));
        }
        Ok(names)
    }

    pub(crate) async fn get(&self, key: &str) -> Result<Vec<u8>, BucketError> {
        let object = self.client.get_object().bucket(&*self.name).key(key).send().await;
        let body = object.map_err(|error| failed("GetObject", &error))?.body.collect().await;
        Ok(body.map_err(|_| BucketError("GetObject", "the body broke off".to_owned()))?.to_vec())
    }

    pub(crate) async fn put(&self, key: &str, content: Vec<u8>) -> Result<(), BucketError> {
        self.send(key, ByteStream::from(content), Builder::new()).await
    }

    /// Writes an object with the content of a file of at most 5 GB.
    pub(crate) async fn put_file(&self, key: &str, file: &Path) -> Result<(), BucketError> {
        let content = ByteStream::from_path(file).await;
        let content = content.map_err(|_| BucketError("PutObject", "the file cannot be read".to_owned()))?;
        let patient = TimeoutConfig::builder().operation_attempt_timeout(ARCHIVE_TIME).operation_timeout(ARCHIVE_TIME);
        self.send(key, content, Builder::new().timeout_config(patient.build())).await
    }

    /// Writes an object, with settings of its own.
    async fn send(&self, key: &str, content: ByteStream, settings: Builder) -> Result<(), BucketError> {
        let put = self.client.put_object().bucket(&*self.name).key(key).body(content);
        let sent = put.customize().config_override(settings).send().await;
        sent.map(drop).map_err(|error| failed("PutObject", &error))
    }

    /// Deletes all objects whose keys begin with a prefix.
    pub(crate) async fn delete_below(&self, prefix: &str) -> Result<(), BucketError> {
        let names: Vec<_> = self.names(prefix).await?.into_keys().collect();
        // As many as a call deletes.
        for some in names.chunks(1000) {
            let objects = some.iter().map(|name| ObjectIdentifier::builder().key(format!("{prefix}{name}")).build());
            let delete = Delete::builder().set_objects(objects.collect::<Result<_, _>>().ok()).quiet(true).build();
            let delete = delete.map_err(|_| BucketError("DeleteObjects", "no request".to_owned()))?;
            let deleted = self.client.delete_objects().bucket(&*self.name).delete(delete).send().await;
            let deleted = deleted.map_err(|error| failed("DeleteObjects", &error))?;
            if let Some(error) = deleted.errors().first() {
                return Err(BucketError("DeleteObjects", error.code().unwrap_or("no code").to_owned()));
            }
        }
        Ok(())
    }

    /// Returns an address from which anyone downloads an object until a time has passed, or `None` if there is none.
    pub(crate) async fn address(
        &self,
        key: &str,
        valid: Duration,
        disposition: &str,
    ) -> Result<Option<String>, BucketError> {
        if !self.names(key).await?.contains_key("") {
            return Ok(None);
        }
        let object = self.client.get_object().bucket(&*self.name).key(key).response_content_disposition(disposition);
        let valid = PresigningConfig::expires_in(valid);
        let valid = valid.map_err(|error: PresigningConfigError| BucketError("signing", error.to_string()))?;
        let signed = object.presigned(valid).await.map_err(|error| failed("signing", &error))?;
        Ok(Some(signed.uri().to_owned()))
    }
}

fn failed(operation: &'static str, error: &impl ProvideErrorMetadata) -> BucketError {
    BucketError(operation, error.code().unwrap_or("no response").to_owned())
}
