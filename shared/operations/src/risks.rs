//! Accepted risks: controls that do not meet best practice, which nobody needs to act on for a time.

use model::{AcceptedRisk, Actor, Timestamp};
use store::{EditError, EditedReport, Organization, ReportSummary, StoreError};

use crate::edits::{self, CheckChange, EditOptions, Refusal, ReportEdit};

/// Why a risk was not accepted, or an accepted one not ended.
#[derive(Debug, thiserror::Error)]
pub enum RiskError {
    /// The tenant has no report of the tool, or none at all.
    #[error("the tenant has no report in which the risk could be accepted: import one, or name another tool")]
    NoReport,
    /// The edit was refused.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Accepts the risk of a control in the newest report of a tenant that has the control, and in the later ones. `None` ends
/// it.
///
/// `newest` are the newest reports of the tenant's tools that may be meant.
///
/// # Errors
/// If no report has the control, the rules of accepted risks refuse it, or the store fails.
pub async fn accept(
    organization: &Organization,
    actor: &Actor,
    newest: impl IntoIterator<Item = &ReportSummary>,
    control: &str,
    risk: Option<AcceptedRisk>,
    at: Timestamp,
) -> Result<EditedReport, RiskError> {
    let change = CheckChange { accepted_risk: Some(risk), ..CheckChange::default() };
    let edit = ReportEdit::Check { control: control.to_owned(), change };
    let mut error = RiskError::NoReport;
    for report in newest {
        match edits::edit(organization, actor, &report.report_id, &edit, EditOptions::default(), at).await {
            Ok(edited) => return Ok(edited),
            Err(EditError::Refused(refusal @ Refusal::NoSuchControl(_), _)) => error = refusal.into(),
            Err(EditError::Refused(refusal, _)) => return Err(refusal.into()),
            Err(EditError::Store(cause)) => return Err(cause.into()),
            // It was deleted meanwhile, or the edit keeps nothing: an accepted risk is always kept.
            Err(EditError::NotFound(_) | EditError::NothingToKeep(_)) => {}
        }
    }
    Err(error)
}
