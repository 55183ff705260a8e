//! Files about tenants outside of the table: those that were uploaded to be imported with the results beside them, and
//! the snapshots behind requested reports; and the documents of many reports.

use std::error::Error;

use model::{OrganizationId, ServiceTenantId};
use store::{AdminWriter, TenantError, TenantRecord};

use crate::import::jobs::JobPlace;

/// The buckets of files.
pub trait Uploads {
    /// Deletes all files of an organization, or of one tenant, with all of their versions, and returns the number of
    /// versions: those below [`uploads_of`], [`documents_of`] and, of an organization, [`sent_to`] in one bucket, and those
    /// below [`snapshots_of`] in the other.
    fn delete_of(
        &self,
        organization: &OrganizationId,
        tenant: Option<&ServiceTenantId>,
    ) -> impl Future<Output = Result<usize, UploadsError>> + Send;
}

/// A failure of a bucket.
pub type UploadsError = Box<dyn Error + Send + Sync>;

/// Why a tenant was not erased.
#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
    /// There is no such tenant, or the store failed.
    #[error("{0}")]
    Tenant(#[from] TenantError),
    /// The tenant is removed, but nothing of it is erased.
    #[error("the files of the tenant are not deleted")]
    Uploads(#[source] UploadsError),
}

/// Erases a tenant: in the table and, if there are any, in the buckets. Calling it again after an interruption completes it.
///
/// The table says that the tenant exists until everything else is erased, so the files come first, after the removal that
/// ends their import.
///
/// # Errors
/// If there is no such tenant, or a bucket or the store fails.
pub async fn erase_tenant(
    organization: &AdminWriter,
    uploads: Option<&impl Uploads>,
    tenant: &ServiceTenantId,
) -> Result<TenantRecord, ErasureError> {
    organization.begin_erasure(tenant).await?;
    if let Some(uploads) = uploads {
        uploads.delete_of(organization.id(), Some(tenant)).await.map_err(ErasureError::Uploads)?;
    }
    Ok(organization.erase_tenant(tenant).await?)
}

/// Returns the beginning of the keys of all uploaded files of an organization, or of one tenant.
pub fn uploads_of(organization: &OrganizationId, tenant: Option<&ServiceTenantId>) -> String {
    format!("assessments/{}", snapshots_of(organization, tenant))
}

/// Returns the beginning of the keys of all snapshots of an organization, or of one tenant.
pub fn snapshots_of(organization: &OrganizationId, tenant: Option<&ServiceTenantId>) -> String {
    let tenant = tenant.map(|tenant| format!("{tenant}/")).unwrap_or_default();
    format!("{organization}/{tenant}")
}

/// Returns the beginning of the keys of all documents and archives of an organization, each of which may have reports of any
/// tenant.
pub fn documents_of(organization: &OrganizationId) -> String {
    format!("documents/{organization}/")
}

/// Returns the beginning of the keys of all files that were sent by the API to an organization. They are deleted once they
/// are imported, so they are not kept by tenant.
pub fn sent_to(organization: &OrganizationId) -> String {
    JobPlace::of_organization(organization)
}
