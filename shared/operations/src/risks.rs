//! Accepted risks: controls that do not meet best practice, which nobody needs to act on for a time.

use model::{AcceptedRisk, Actor, Timestamp};
use store::{EditedReport, Organization, ReportSummary};

use crate::edits::{CheckChange, EditOptions, NewestError, edit_newest};

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
) -> Result<EditedReport, NewestError> {
    let change = CheckChange { accepted_risk: Some(risk), ..CheckChange::default() };
    edit_newest(organization, actor, newest, control, &change, EditOptions::default(), at).await
}
