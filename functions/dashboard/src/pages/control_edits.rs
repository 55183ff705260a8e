//! Edits of a control for several tenants: what cannot be done for one is done for the others, and said.

use axum::response::Response;
use model::{AcceptedRisk, calendar_date};
use operations::edits::{CheckChange, Chosen, NewestError, Refusal, edit_chosen};
use store::{ControlResult, EditedReport, StoreError};
use web::failure::Failure;
use web::input::Fields;
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::controls::{one, page_of_one};
use super::target_form::Sent;
use crate::view::controls::{ADDRESS, Filter, Form, NotDone};
use crate::view::words;

pub(crate) async fn edit(
    dashboard: Dashboard,
    viewer: Viewer,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    let filter = Filter::of_query(sent.one("filter")).ok_or_else(Failure::incomplete)?;
    let (chosen, change) = (chosen(&sent)?, change(&sent));
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
    let mut newest = viewer.organization.newest_of_tools().await?;
    newest.retain(|report| report.tool == found.0);
    let keep = (sent.one("do") == "edit").then_some(form.keep);
    let control = &found.1.control_id;
    let edit = (&change, keep);
    let results = edit_chosen(&viewer.organization, &viewer.actor(), &newest, control, &chosen, edit, viewer.now).await;
    match outcome(&chosen, results, &found.2) {
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

/// Reads the change, or the errors of the form.
fn change(sent: &Sent) -> Result<CheckChange, Errors> {
    let none = CheckChange::default();
    let text = |name| Some(sent.one(name).to_owned()).filter(|text| !text.trim().is_empty());
    match sent.one("do") {
        "end" => Ok(CheckChange { accepted_risk: Some(None), ..none }),
        "edit" => {
            let severity = words::chosen(words::SEVERITIES, sent.one("severity")).map(Some);
            let change = CheckChange { severity, why: text("why"), suggested_fix: text("suggestedFix"), ..none };
            match change == CheckChange::default() {
                true => Err(Errors::default().with("severity", "Choose a severity, or enter a text.")),
                false => Ok(change),
            }
        }
        _ => {
            let until = calendar_date(sent.one("until"));
            let until = until.ok_or_else(|| Errors::default().with("until", "Enter the day on which it ends."))?;
            let risk = AcceptedRisk { reason: sent.one("reason").to_owned(), until };
            Ok(CheckChange { accepted_risk: Some(Some(risk)), ..none })
        }
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
    results: Vec<Result<EditedReport, NewestError>>,
    shown: &[ControlResult],
) -> Result<Vec<(&'a Chosen, NotDone)>, Errors> {
    let mut not_done = Vec::new();
    for (chosen, result) in chosen.iter().zip(results) {
        let Err(error) = result else { continue };
        let message = words::sentence(&error.to_string());
        let reason = match error {
            NewestError::Refused(Refusal::BadReason) => return Err(Errors::default().with("reason", message)),
            NewestError::Refused(Refusal::BadEnd) => return Err(Errors::default().with("until", message)),
            NewestError::Refused(Refusal::BadText(field)) => {
                return Err(Errors::default().with(crate::view::edits::field_name(field), message));
            }
            NewestError::Store(StoreError::TooLarge { .. }) => {
                "With this text, the report is larger than can be stored. Shorten it.".to_owned()
            }
            NewestError::Store(error) => {
                tracing::error!(%error, "a control was not edited for one of several tenants");
                "It could not be stored. Try again.".to_owned()
            }
            _ => message,
        };
        let tenant = shown.iter().find(|result| result.service_tenant_id == chosen.tenant);
        // Its report is gone, or it is none of the organization.
        let tenant = tenant.map_or_else(|| chosen.tenant.to_string(), |result| result.tenant_name.clone());
        not_done.push((chosen, NotDone { tenant, reason }));
    }
    Ok(not_done)
}
