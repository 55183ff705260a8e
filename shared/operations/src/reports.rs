//! Reports: listed, shown and deleted. [`import`](crate::import) creates them, [`edits`](crate::edits) changes them.

use model::{ReportId, Timestamp};
use store::{ListedReport, Organization, Selection, StoreError, StoredReport};

use crate::actor::Admin;
use crate::tenants::{self, TenantError};

/// Why an operation on a report failed.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The organization has no such report, or its tenant is removed.
    #[error("the organization has no report {0}")]
    NoSuchReport(ReportId),
    /// The tenant cannot be found.
    #[error("{0}")]
    Tenant(#[from] TenantError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Returns summaries of the newest reports of one tenant, or of all tenants, newest first.
///
/// # Errors
/// If there is no such tenant or the store fails.
pub async fn list(
    organization: &Organization,
    tenant: Option<&str>,
    limit: usize,
) -> Result<Vec<ListedReport>, ReportError> {
    let selection = Selection::history(limit);
    let selection = match tenant {
        Some(reference) => selection.of(tenants::find(organization, reference).await?),
        None => selection,
    };
    Ok(organization.select(selection).listed().await?)
}

/// Returns one report.
///
/// # Errors
/// [`ReportError::NoSuchReport`], or if the store fails.
pub async fn find(organization: &Organization, id: &ReportId) -> Result<StoredReport, ReportError> {
    organization.report(id).await?.ok_or_else(|| ReportError::NoSuchReport(id.clone()))
}

/// Deletes a report. The newest of the remaining reports becomes the tenant's newest, and the newest remaining baseline
/// applies to later reports.
///
/// Importing the same run again recreates the report.
///
/// # Errors
/// [`ReportError::NoSuchReport`], or if the store fails.
pub async fn delete(
    organization: &Organization,
    admin: &Admin,
    id: &ReportId,
    deleted_at: Timestamp,
) -> Result<(), ReportError> {
    match admin.actor().acting_on(organization, deleted_at).delete_report(id).await? {
        true => Ok(()),
        false => Err(ReportError::NoSuchReport(id.clone())),
    }
}
