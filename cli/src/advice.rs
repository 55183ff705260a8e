//! Advice on failures, in terms of the command line.

use std::error::Error;

use operations::edits::Refusal;
use operations::import::ImportError;
use operations::organizations::ProvisioningError;
use store::{EditError, KeyError, MemberError, OrganizationError, ReportError, StoreError, TenantError, TransferError};

use crate::connection::Connection;

/// Returns what to do about a failure, if its message does not already say it.
pub(crate) fn about(error: &anyhow::Error, connection: &Connection) -> Option<String> {
    error.chain().find_map(|cause| {
        let of_store = || connection.advice(cause.downcast_ref::<StoreError>()?);
        completion(cause).or_else(|| listing(cause).map(str::to_owned)).or_else(of_store)
    })
}

/// Returns the command that completes an interrupted operation.
fn completion(cause: &(dyn Error + 'static)) -> Option<String> {
    if let Some(TransferError::Exists(id) | TransferError::Unfinished(id)) = cause.downcast_ref() {
        return Some(format!("`posture org delete {id}` deletes what the table has of it"));
    }
    match cause.downcast_ref()? {
        ProvisioningError::NotAdmitted { organization, .. } => {
            Some(format!("`posture org repair {organization}` completes it"))
        }
        _ => None,
    }
}

/// Returns the command that lists the valid identifiers.
fn listing(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    let organization = matches!(cause.downcast_ref(), Some(OrganizationError::NotFound(_)));
    let tenant = matches!(cause.downcast_ref(), Some(TenantError::NotFound(_) | TenantError::Exists))
        || matches!(cause.downcast_ref(), Some(ImportError::NoSuchTenant(_)));
    let report = matches!(cause.downcast_ref(), Some(ReportError::NotFound(_)))
        || matches!(cause.downcast_ref(), Some(EditError::<Refusal>::NotFound(_)));
    let part = matches!(cause.downcast_ref(), Some(Refusal::NoSuchControl(_) | Refusal::NoSuchAdministrator));
    let member = matches!(cause.downcast_ref(), Some(MemberError::NotFound));
    let key = matches!(cause.downcast_ref(), Some(KeyError::NotFound));
    let listings = [
        (organization, "`posture org list` lists the organizations"),
        (tenant, "`posture tenant list` lists the tenants"),
        (report, "`posture report list` lists the reports"),
        (part, "`posture report show` lists the controls and the administrators of a report"),
        (member, "`posture member list` lists the members"),
        (key, "`posture key list` lists the keys"),
    ];
    listings.into_iter().find_map(|(applies, advice)| applies.then_some(advice))
}
