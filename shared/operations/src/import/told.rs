//! Tells an organization what was not imported.

use model::{Actor, EventFailure, FormId};
use store::{Organization, StoreError};

use super::options::Options;
use super::result::ImportResult;

/// Writes an event about the files and runs that were not imported, if there are any.
///
/// A dry run and an import that may succeed later tell nothing. `delivery` identifies files that may arrive again: of several attempts, only the first
/// tells of them.
///
/// # Errors
/// If the store fails.
pub async fn tell_failures(
    organization: &Organization,
    actor: &Actor,
    result: &ImportResult,
    options: &Options,
    delivery: Option<&str>,
) -> Result<(), StoreError> {
    if options.dry_run || result.failures.is_empty() || result.is_transient() {
        return Ok(());
    }
    let tenant = match &options.tenant {
        Some(reference) => organization.find_tenant(reference).await?,
        None => None,
    };
    let failures = result.failures.iter();
    let failures = failures.map(|failure| EventFailure { of: failure.of.clone(), reason: failure.cause.to_string() });
    let writer = organization.by(actor, options.imported_at).since(options.began);
    let writer = match delivery {
        Some(delivery) => writer.once(FormId::of_delivery(&format!("{}/{delivery}", organization.id()))),
        None => writer,
    };
    match writer.tell_failed_import(tenant.as_ref(), failures).await {
        Err(StoreError::Repeated) => Ok(()),
        told => told,
    }
}
