//! The form that edits a check of a report.

use maud::{Markup, html};
use model::{Check, Choice, ReportHead, ReportType, Severity, Status, Wire};
use operations::edits::Seen;
use serde::Deserialize;
use web::view::form::{Errors, Field};
use web::view::layout::Shell;
use web::view::{form, text};

use super::edits::{Field as Edited, field_name, label};
use super::{link, of_check, words};

/// The form.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The report.
    pub(crate) head: &'a ReportHead,
    /// Baselines have no fixed or drifted results.
    pub(crate) kind: ReportType,
    /// The check as it is.
    pub(crate) check: &'a Check,
    /// The form's fields.
    pub(crate) form: &'a Form,
    /// Errors of the form, under the names of its fields.
    pub(crate) errors: &'a Errors,
}

/// The form as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Form {
    /// The control.
    pub(crate) control: String,
    /// The filter of the report's page, to return to.
    pub(crate) filter: String,
    /// Digest of the check as the editor saw it.
    pub(crate) seen: String,
    /// Status, as on the wire.
    pub(crate) status: String,
    /// Severity, as on the wire; empty for none.
    pub(crate) severity: String,
    /// What is configured now.
    pub(crate) current_state: String,
    /// Why the control matters; empty for none.
    pub(crate) why: String,
    /// The recommended change; empty for none.
    pub(crate) suggested_fix: String,
    /// Day on which an accepted risk ends; empty if the risk is not accepted.
    pub(crate) until: String,
    /// Why the risk is accepted.
    pub(crate) reason: String,
    /// Whether later imports apply the edit.
    #[serde(deserialize_with = "form::ticked")]
    pub(crate) keep: bool,
}

impl Form {
    /// Returns the form filled with a check as it is.
    pub(crate) fn of(check: &Check, keep: bool) -> Self {
        let risk = check.accepted_risk.as_ref();
        Self {
            control: check.control_id.to_string(),
            seen: Seen::check(check).as_str().to_owned(),
            status: Wire(check.status).to_string(),
            severity: check.severity.map(|severity| Wire(severity).to_string()).unwrap_or_default(),
            current_state: check.current_state.clone(),
            why: check.why.clone().unwrap_or_default(),
            suggested_fix: check.suggested_fix.clone().unwrap_or_default(),
            until: risk.map(|risk| risk.until.to_string()).unwrap_or_default(),
            reason: risk.map(|risk| risk.reason.clone()).unwrap_or_default(),
            keep,
            filter: String::new(),
        }
    }
}

impl Form {
    /// Returns the form with what the tool's file says for accepting the risk. A control that the file omits is open then.
    pub(crate) fn proposing(self, check: &Check) -> Self {
        let Some(proposed) = &check.proposed_risk else { return self };
        let status = if check.status.is_failing() { check.status } else { Status::Open };
        let (reason, until) =
            (proposed.reason.clone(), proposed.until.map(|until| until.to_string()).unwrap_or_default());
        Self { status: Wire(status).to_string(), reason, until, ..self }
    }
}

/// Shows what the tool's file says for accepting the risk, which is not accepted.
fn proposed(page: &Page<'_>) -> Markup {
    let Page { head, check, form, .. } = page;
    let Some(proposed) = check.proposed_risk.as_ref().filter(|_| check.accepted_risk.is_none()) else {
        return html! {};
    };
    let address = link::edit_check(&head.tenant.service_tenant_id, &head.id, &check.control_id);
    html! {
        div class="notice" {
            div {
                p { "The tool's file says: " (text::visible(&proposed.reason)) @if let Some(until) = proposed.until { " (" (until) ")" } }
                p { a href={ (address) "&proposed=yes" @if !form.filter.is_empty() { "&filter=" (text::encoded(&form.filter)) } } { "Fill this in as an accepted risk" } }
            }
        }
    }
}

/// Shows the form.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let (tenant, id) = (&page.head.tenant, &page.head.id);
    let back = link::filtered_check(&tenant.service_tenant_id, id, &page.form.filter, &page.check.control_id);
    let fields = page.form;
    let field = |of: Edited, hint, value| Field {
        name: field_name(of),
        label: label(of),
        hint,
        value,
        error: page.errors.of(field_name(of)),
    };
    of_check::page(
        page.shell,
        page.head,
        page.check,
        "Edit check",
        html! {
            (page.errors.summary())
            (proposed(page))
            section class="card" aria-label="Edit check" {
                (page.shell.form(&link::check_form(&tenant.service_tenant_id, id), "form", html! {
                    (form::hidden("control", &fields.control))
                    (form::hidden("seen", &fields.seen))
                    @if !fields.filter.is_empty() { (form::hidden("filter", &fields.filter)) }
                    (field(Edited::Status, "Score, grade, counts and top risks follow.", &fields.status).select(&statuses(page.kind, page.check.status)))
                    (field(Edited::Severity, "", &fields.severity).select(&severities(page.check.severity)))
                    (field(Edited::CurrentState, "What is configured now.", &fields.current_state).area(3))
                    (field(Edited::Why, "Leave empty to remove it.", &fields.why).area(3))
                    (field(Edited::SuggestedFix, "Leave empty to remove it.", &fields.suggested_fix).area(4))
                    @if page.check.status.is_failing() || !fields.until.is_empty() || !fields.reason.is_empty() { (accepted(page)) }
                    (form::checkbox("keep", "Keep for later reports", "Later imports keep these edits for this control, except the current state. A kept status applies while the control fails and ends when it is secure.", fields.keep))
                    @if let Some(error) = page.errors.of("keep") { p class="error" { (text::visible(error)) } }
                    div class="form-end" {
                        button type="submit" class="button primary" { "Save" }
                        a class="button" href=(back) { "Cancel" }
                        span class="hint" { "The API returns the new values at once." }
                    }
                }))
            }
        },
    )
}

/// Shows the fields of an accepted risk.
fn accepted(page: &Page<'_>) -> Markup {
    let field = |name, label, hint, value| Field { name, label, hint, value, error: page.errors.of(name) };
    html! {
        (field("until", "Accept the risk until", "At most a year ahead. Until that day, or until it is secure, the control is not among the top risks, and nobody is told of it; its status and the score stay. Leave both fields empty to accept nothing.", &page.form.until).input("date", false))
        (field("reason", "Reason for accepting it", "Readers of the report and users of the API see it.", &page.form.reason).area(2))
    }
}

/// Returns the states that a report of this kind can have, by wire name and word. A current state that this release
/// does not know comes first, so that the form can leave it as it is.
pub(super) fn statuses(kind: ReportType, now: Status) -> Vec<(String, &'static str)> {
    let allowed = |status: &Status| kind == ReportType::FollowUp || !matches!(status, Status::Fixed | Status::Drifted);
    let unknown = Some(now).filter(|now| !now.is_known());
    let statuses = unknown.into_iter().chain(words::STATUSES.into_iter().filter(allowed));
    statuses.map(|status| (Wire(status).to_string(), words::status(status))).collect()
}

/// Returns the severities as [`statuses`] returns the states.
fn severities(now: Option<Severity>) -> Vec<(String, &'static str)> {
    let unknown = now.filter(|now| !now.is_known());
    let severities = unknown.into_iter().chain(words::SEVERITIES);
    let severities = severities.map(|severity| (Wire(severity).to_string(), words::severity(Some(severity))));
    [(String::new(), words::severity(None))].into_iter().chain(severities).collect()
}
