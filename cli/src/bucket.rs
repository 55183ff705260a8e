//! The buckets of uploaded files and of snapshots.

use anyhow::{Context, ensure};
use aws_config::SdkConfig;
use aws_sdk_s3::Client;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};
use model::{OrganizationId, ServiceTenantId};
use operations::uploads::{Uploads, UploadsError, documents_of, sent_to, snapshots_of, uploads_of};

/// The buckets, by their names.
pub(crate) struct Buckets {
    client: Client,
    uploads: String,
    snapshots: String,
}

impl Buckets {
    pub(crate) fn new(aws: &SdkConfig, uploads: String, snapshots: String) -> Self {
        let config = aws_sdk_s3::config::Builder::from(aws).force_path_style(true).build();
        Self { client: Client::from_conf(config), uploads, snapshots }
    }

    /// Deletes all objects below a prefix, and returns their number.
    async fn delete_below(&self, bucket: &str, prefix: &str) -> anyhow::Result<usize> {
        let mut deleted = 0;
        loop {
            match self.delete_some(bucket, prefix).await? {
                0 => return Ok(deleted),
                some => deleted += some,
            }
        }
    }

    /// Deletes the first objects below a prefix, and returns their number.
    async fn delete_some(&self, bucket: &str, prefix: &str) -> anyhow::Result<usize> {
        let found = self.client.list_object_versions().bucket(bucket).prefix(prefix).send().await;
        let found = found.context("the files in the bucket cannot be listed")?;
        let versions = found.versions().iter().map(|version| (version.key(), version.version_id()));
        let markers = found.delete_markers().iter().map(|marker| (marker.key(), marker.version_id()));
        let object = |(key, version): (Option<&str>, Option<&str>)| {
            ObjectIdentifier::builder()
                .set_key(key.map(str::to_owned))
                .set_version_id(version.map(str::to_owned))
                .build()
        };
        let objects = versions.chain(markers).map(object).collect::<Result<Vec<_>, _>>()?;
        let number = objects.len();
        if number > 0 {
            let delete = Delete::builder().set_objects(Some(objects)).quiet(true).build()?;
            let deleted = self.client.delete_objects().bucket(bucket).delete(delete).send().await;
            let deleted = deleted.context("the files in the bucket cannot be deleted")?;
            ensure!(deleted.errors().is_empty(), "some files in the bucket cannot be deleted");
        }
        Ok(number)
    }
}

impl Uploads for Buckets {
    async fn delete_of(
        &self,
        organization: &OrganizationId,
        tenant: Option<&ServiceTenantId>,
    ) -> Result<usize, UploadsError> {
        let mut uploads = self.delete_below(&self.uploads, &uploads_of(organization, tenant)).await?;
        uploads += self.delete_below(&self.uploads, &documents_of(organization)).await?;
        if tenant.is_none() {
            uploads += self.delete_below(&self.uploads, &sent_to(organization)).await?;
        }
        Ok(uploads + self.delete_below(&self.snapshots, &snapshots_of(organization, tenant)).await?)
    }
}
