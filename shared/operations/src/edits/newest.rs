//! Edits of a control in newest reports: of one tenant, or of several.

use chrono::NaiveDate;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use model::{Actor, ControlId, ServiceTenantId, Timestamp};
use store::{EditError, EditedReport, Organization, ReportSummary, StoreError};

use super::{CheckChange, EditOptions, Refusal, ReportEdit, edit};

/// Number of tenants that are changed concurrently.
const AT_ONCE: usize = 8;

/// Why a control was not edited.
#[derive(Debug, thiserror::Error)]
pub enum NewestError {
    /// The tenant has no report of the tool, or none at all.
    #[error("the tenant has no report in which the control could be edited: import one, or name another tool")]
    NoReport,
    /// The control is as the edit wants it, and was not edited before.
    #[error("the control has these values already")]
    Unchanged,
    /// The edit was refused.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// A tenant that somebody chose in a list.
pub struct Chosen {
    /// The tenant.
    pub tenant: ServiceTenantId,
    /// The day until which the list showed the risk as accepted; `None` if it did not.
    pub accepted_until: Option<NaiveDate>,
}

/// Edits a control in the newest report of a tenant that has it. `newest` are the newest reports of the tenant's tools that
/// may be meant.
///
/// # Errors
/// If no report has the control, the edit is refused, or the store fails.
pub(crate) async fn edit_newest(
    organization: &Organization,
    actor: &Actor,
    newest: impl IntoIterator<Item = &ReportSummary>,
    control: &str,
    change: &CheckChange,
    options: EditOptions<'_>,
    at: Timestamp,
) -> Result<EditedReport, NewestError> {
    let wanted = ReportEdit::Check { control: control.to_owned(), change: change.clone() };
    let mut error = NewestError::NoReport;
    for report in newest {
        match edit(organization, actor, &report.report_id, &wanted, options, at).await {
            Ok(edited) => return Ok(edited),
            Err(EditError::Refused(refusal @ Refusal::NoSuchControl(_), _)) => error = refusal.into(),
            Err(EditError::Refused(refusal, _)) => return Err(refusal.into()),
            Err(EditError::NothingToKeep(_)) => return Err(NewestError::Unchanged),
            Err(EditError::Store(cause)) => return Err(cause.into()),
            // It was deleted meanwhile.
            Err(EditError::NotFound(_)) => {}
        }
    }
    Err(error)
}

/// Edits a control for tenants that were chosen in a list, and returns the result of each, in the order given.
///
/// A refusal for one tenant does not stop the others. A tenant is refused if its risk was accepted or ended since the list
/// was shown.
pub async fn edit_chosen(
    organization: &Organization,
    actor: &Actor,
    newest: &[ReportSummary],
    control: &ControlId,
    chosen: &[Chosen],
    (change, keep): (&CheckChange, Option<bool>),
    at: Timestamp,
) -> Vec<Result<EditedReport, NewestError>> {
    let edits = chosen.iter().map(|of| {
        let own = newest.iter().filter(|report| report.service_tenant_id == of.tenant);
        let options = EditOptions { keep, accepted_until: Some(of.accepted_until), ..EditOptions::default() };
        edit_newest(organization, actor, own, control.as_str(), change, options, at).boxed()
    });
    in_order(edits).await
}

/// Makes changes of several tenants, a few at once, and returns the result of each, in the order given.
pub(crate) async fn in_order<'a, R>(changes: impl Iterator<Item = BoxFuture<'a, R>>) -> Vec<R> {
    stream::iter(changes.collect::<Vec<_>>()).buffered(AT_ONCE).collect().await
}
