//! Edits of a control for several tenants: what cannot be done for one is done for the others, and said.

use axum::response::Response;
use model::{AcceptedRisk, calendar_date};
use operations::edits::{CheckChange, Chosen, NewestError, Refusal, edit_chosen};
use operations::tasks::set_chosen;
use store::{Assignment, ControlResult, StoreError, TaskError};
use web::failure::Failure;
use web::input::Fields;
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::controls::{Found, one, page_of_one};
use super::sent::Sent;
use super::tasks::assignment;
use crate::view::controls::{ADDRESS, Filter, Form, NotDone};
use crate::view::words;

pub(crate) async fn edit(
    dashboard: Dashboard,
    viewer: Viewer,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    let filter = Filter::of_query(sent.one("filter")).ok_or_else(Failure::incomplete)?;
    let (chosen, change) = (chosen(&sent)?, Change::of(&sent));
    let found = one(&viewer, &filter).await?;
    let mut form = form(&sent, &chosen);
    let change = match viewer.resumed().map_or(change, Err) {
        Ok(_) if chosen.is_empty() => Err(Errors::default().with("", "Choose the tenants in the list.")),
        change => change,
    };
    let change = match change {
        Ok(change) => change,
        Err(errors) => {
            form.errors = errors;
            return page_of_one(&dashboard, &viewer, &found, &filter, &form).await;
        }
    };
    let results = change.make(&viewer, &found, &chosen, form.keep).await?;
    match outcome(&chosen, results, &found.results) {
        Ok(not_done) if not_done.is_empty() => return Ok(respond::see(&format!("{ADDRESS}{}", filter.query()))),
        Ok(not_done) => {
            let done = chosen.len() - not_done.len();
            form.chosen = not_done.iter().map(|(chosen, _)| chosen.tenant.clone()).collect();
            form.done = Some((done, not_done.into_iter().map(|(_, not_done)| not_done).collect()));
        }
        Err(errors) => form.errors = errors,
    }
    let found = one(&viewer, &filter).await?;
    page_of_one(&dashboard, &viewer, &found, &filter, &form).await
}

/// Reads the chosen tenants, each with the day until which its line showed the risk as accepted.
fn chosen(sent: &Sent) -> Result<Vec<Chosen>, Failure> {
    let read = |text: &str| {
        let (tenant, until) = text.split_once(' ').map_or((text, None), |(tenant, until)| (tenant, Some(until)));
        let accepted_until = until.map(|until| calendar_date(until).ok_or(())).transpose().ok()?;
        Some(Chosen { tenant: tenant.parse().ok()?, accepted_until })
    };
    sent.all("tenant").map(read).collect::<Option<_>>().ok_or_else(Failure::incomplete)
}

/// A change of a control for each of the chosen tenants.
enum Change {
    /// Edits its check.
    Check(CheckChange, bool),
    /// Sets its task, or removes it.
    Task(Option<Assignment>),
}

impl Change {
    /// Reads the change, or the errors of the form.
    fn of(sent: &Sent) -> Result<Self, Errors> {
        let none = CheckChange::default();
        let text = |name| Some(sent.one(name).to_owned()).filter(|text| !text.trim().is_empty());
        match sent.one("do") {
            "assign" => assignment(sent.one("owner"), sent.one("due"), sent.one("note")).map(Some).map(Self::Task),
            "release" => Ok(Self::Task(None)),
            "end" => Ok(Self::Check(CheckChange { accepted_risk: Some(None), ..none }, false)),
            "edit" => {
                let severity = words::chosen(words::SEVERITIES, sent.one("severity")).map(Some);
                let change = CheckChange { severity, why: text("why"), suggested_fix: text("suggestedFix"), ..none };
                match change == CheckChange::default() {
                    true => Err(Errors::default().with("severity", "Choose a severity, or enter a text.")),
                    false => Ok(Self::Check(change, true)),
                }
            }
            _ => {
                let until = calendar_date(sent.one("until"));
                let until = until.ok_or_else(|| Errors::default().with("until", "Enter the day on which it ends."))?;
                let risk = AcceptedRisk { reason: sent.one("reason").to_owned(), until };
                Ok(Self::Check(CheckChange { accepted_risk: Some(Some(risk)), ..none }, false))
            }
        }
    }

    /// Makes the change for each tenant, and returns why it was not made. `keep` is whether an edit is kept.
    async fn make(
        &self,
        viewer: &Viewer,
        found: &Found,
        chosen: &[Chosen],
        keep: bool,
    ) -> Result<Vec<Result<(), Refused>>, Failure> {
        let (organization, actor, control) = (&viewer.organization, viewer.actor(), &found.control.control_id);
        let mut newest = organization.newest_of_tools().await?;
        newest.retain(|report| report.tool == found.tool);
        Ok(match self {
            Self::Check(change, is_kept) => {
                let edit = (change, is_kept.then_some(keep));
                let results = edit_chosen(organization, &actor, &newest, control, chosen, edit, viewer.now).await;
                results.into_iter().map(|result| result.map(drop).map_err(Refused::from)).collect()
            }
            Self::Task(assignment) => {
                let tenants: Vec<_> = chosen.iter().map(|of| of.tenant.clone()).collect();
                let (assignment, now) = (assignment.as_ref(), viewer.now);
                let results = set_chosen(organization, &actor, &newest, control, &tenants, assignment, now).await;
                results.into_iter().map(|result| result.map(drop).map_err(Refused::from)).collect()
            }
        })
    }
}

/// The reason why a change was not made for a tenant.
struct Refused {
    /// The field that would be refused for every tenant.
    field: Option<&'static str>,
    message: String,
}

impl From<NewestError> for Refused {
    fn from(error: NewestError) -> Self {
        let field = match &error {
            NewestError::Refused(Refusal::BadReason) => Some("reason"),
            NewestError::Refused(Refusal::BadEnd) => Some("until"),
            NewestError::Refused(Refusal::BadText(field)) => Some(crate::view::edits::field_name(*field)),
            _ => None,
        };
        match error {
            NewestError::Store(error) => error.into(),
            error => Self { field, message: words::sentence(&error.to_string()) },
        }
    }
}

impl From<TaskError> for Refused {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Store(error) => error.into(),
            error => Self { field: None, message: words::sentence(&error.to_string()) },
        }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        let message = match error {
            StoreError::TooLarge { .. } => "With this text, the report is larger than can be stored. Shorten it.",
            error => {
                tracing::error!(%error, "a control was not edited for one of several tenants");
                "It could not be stored. Try again."
            }
        };
        Self { field: None, message: message.to_owned() }
    }
}

fn form(sent: &Sent, chosen: &[Chosen]) -> Form {
    let text = |name| sent.one(name).to_owned();
    Form {
        chosen: chosen.iter().map(|chosen| chosen.tenant.clone()).collect(),
        reason: text("reason"),
        until: text("until"),
        severity: text("severity"),
        why: text("why"),
        suggested_fix: text("suggestedFix"),
        owner: text("owner"),
        due: text("due"),
        note: text("note"),
        keep: !sent.one("keep").is_empty(),
        ..Form::default()
    }
}

/// Returns the tenants for which the edit was not done.
///
/// # Errors
/// The errors of the form, if it would be refused for every tenant.
fn outcome<'a>(
    chosen: &'a [Chosen],
    results: Vec<Result<(), Refused>>,
    shown: &[ControlResult],
) -> Result<Vec<(&'a Chosen, NotDone)>, Errors> {
    let mut not_done = Vec::new();
    for (chosen, result) in chosen.iter().zip(results) {
        let Err(Refused { field, message: reason }) = result else { continue };
        if let Some(field) = field {
            return Err(Errors::default().with(field, reason));
        }
        let tenant = shown.iter().find(|result| result.service_tenant_id == chosen.tenant);
        // Its report is gone, or it is none of the organization.
        let tenant = tenant.map_or_else(|| chosen.tenant.to_string(), |result| result.tenant_name.clone());
        not_done.push((chosen, NotDone { tenant, reason }));
    }
    Ok(not_done)
}
