//! Files that were uploaded to be imported, and the results beside them.

use std::error::Error;

use model::{OrganizationId, ServiceTenantId};
use store::{AdminWriter, TenantError, TenantRecord};

/// The bucket of uploaded files. Their keys begin with `assessments/`, the organization and the tenant.
pub trait Uploads {
    /// Deletes all objects below a prefix with all of their versions, and returns the number of versions.
    fn delete_below(&self, prefix: &str) -> impl Future<Output = Result<usize, UploadsError>> + Send;
}

/// A failure of the bucket.
pub type UploadsError = Box<dyn Error + Send + Sync>;

/// Why a tenant was not erased.
#[derive(Debug, thiserror::Error)]
pub enum ErasureError {
    /// There is no such tenant, or the store failed.
    #[error("{0}")]
    Tenant(#[from] TenantError),
    /// The tenant is removed, but nothing of it is erased.
    #[error("the uploaded files of the tenant are not deleted")]
    Uploads(#[source] UploadsError),
}

/// Erases a tenant: in the table and, if there is one, in the bucket. Calling it again after an interruption completes it.
///
/// The table says that the tenant exists until everything else is erased, so the files come first, after the removal that
/// ends their import.
///
/// # Errors
/// If there is no such tenant, or the bucket or the store fails.
pub async fn erase_tenant(
    organization: &AdminWriter,
    uploads: Option<&impl Uploads>,
    tenant: &ServiceTenantId,
) -> Result<TenantRecord, ErasureError> {
    organization.begin_erasure(tenant).await?;
    if let Some(uploads) = uploads {
        let prefix = format!("{}{tenant}/", prefix_of(organization.id()));
        uploads.delete_below(&prefix).await.map_err(ErasureError::Uploads)?;
    }
    Ok(organization.erase_tenant(tenant).await?)
}

/// Returns the beginning of the keys of all files of an organization.
pub(crate) fn prefix_of(organization: &OrganizationId) -> String {
    format!("assessments/{organization}/")
}
