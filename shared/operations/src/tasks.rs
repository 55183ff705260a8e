//! Tasks: who is responsible for controls that do not meet best practice, and by when.

use chrono::NaiveDate;
use futures_util::FutureExt;
use model::{Actor, ControlId, ReportId, ServiceTenantId, Timestamp, fits_line};
use store::{Assignment, Organization, ReportSummary, Task, TaskError};

use crate::edits::{fits, in_order, with_plain_lines};

/// Longest name of an owner, in characters.
pub const LONGEST_OWNER: usize = 100;
/// Longest note, in characters.
pub const LONGEST_NOTE: usize = 1_000;

/// The reason why an assignment cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadAssignment {
    /// Nothing is in it.
    #[error("a task needs an owner, a day by which it is due, or a note")]
    Empty,
    /// The owner's name is too long, or has hidden characters.
    #[error("the owner of a task is a name of at most {LONGEST_OWNER} characters, without hidden ones")]
    Owner,
    /// The note is too long, or has hidden characters.
    #[error("a note has at most {LONGEST_NOTE} characters, without hidden ones other than line breaks and tabs")]
    Note,
}

/// Returns the assignment that texts describe. An empty text is none.
///
/// # Errors
/// If all three are missing, or a text cannot be used.
pub fn assignment(owner: &str, due: Option<NaiveDate>, note: &str) -> Result<Assignment, BadAssignment> {
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let owner = some(owner.trim().to_owned());
    let note = some(with_plain_lines(note.trim()));
    if owner.as_ref().is_some_and(|owner| !fits_line(owner, LONGEST_OWNER)) {
        return Err(BadAssignment::Owner);
    }
    if note.as_ref().is_some_and(|note| !fits(note, LONGEST_NOTE)) {
        return Err(BadAssignment::Note);
    }
    let assignment = Assignment { owner, due, note };
    if assignment == Assignment::default() { Err(BadAssignment::Empty) } else { Ok(assignment) }
}

/// Sets the task of a control in the newest report of a tenant that has the control, and returns the report. `None`
/// removes the task.
///
/// `newest` are the newest reports of the tenant's tools that may be meant.
///
/// # Errors
/// If no report has the control, it has nothing to do, there is no task to remove, or the store fails.
pub async fn set(
    organization: &Organization,
    actor: &Actor,
    (tenant, newest): (&ServiceTenantId, impl IntoIterator<Item = &ReportSummary>),
    control: &str,
    assignment: Option<&Assignment>,
    at: Timestamp,
) -> Result<Option<ReportId>, TaskError> {
    let writer = organization.by(actor, at);
    let Some(assignment) = assignment else {
        let mut tasks = organization.tasks(tenant).await?.into_iter();
        let task = tasks.find(|task: &Task| task.control_id.as_str().eq_ignore_ascii_case(control));
        writer.remove_task(tenant, &task.ok_or(TaskError::NotFound)?.control_id, None).await?;
        return Ok(None);
    };
    let mut error = TaskError::NoReport;
    for report in newest {
        match writer.set_task(&report.report_id, control, assignment, None).await {
            // It was deleted meanwhile, or another tool has the control.
            Err(other @ (TaskError::NoReport | TaskError::NoSuchControl(_))) => error = other,
            set => return set.map(|_| Some(report.report_id.clone())),
        }
    }
    Err(error)
}

/// Sets or removes the task of a control for tenants that were chosen in a list, and returns the result of each, in the
/// order given. A refusal for one tenant does not stop the others.
pub async fn set_chosen(
    organization: &Organization,
    actor: &Actor,
    newest: &[ReportSummary],
    control: &ControlId,
    chosen: &[ServiceTenantId],
    assignment: Option<&Assignment>,
    at: Timestamp,
) -> Vec<Result<Option<ReportId>, TaskError>> {
    let changes = chosen.iter().map(|tenant| {
        let own = newest.iter().filter(move |report| report.service_tenant_id == *tenant);
        set(organization, actor, (tenant, own), control.as_str(), assignment, at).boxed()
    });
    in_order(changes).await
}
