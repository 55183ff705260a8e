//! The form that edits a check of a report.

use maud::{Markup, html};
use model::{Check, Choice, ReportHead, ReportType, Severity, Status};
use operations::edits::Seen;
use serde::Deserialize;

use super::edits::{Field as Edited, field_name, label};
use super::form::{self, Errors, Field};
use super::layout::{Head, Section, Shell};
use super::{link, text, words};

/// The form.
pub struct Page<'a> {
    /// The frame.
    pub shell: &'a Shell,
    /// The report.
    pub head: &'a ReportHead,
    /// Baselines have no fixed or drifted results.
    pub kind: ReportType,
    /// The check as it is.
    pub check: &'a Check,
    /// The form's fields.
    pub form: &'a Form,
    /// What is wrong with it, under the names of its fields.
    pub errors: &'a Errors,
}

/// The form as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Form {
    /// The control.
    pub control: String,
    /// Digest of the check as the editor saw it.
    pub seen: String,
    /// Status, as on the wire.
    pub status: String,
    /// Severity, as on the wire; empty for none.
    pub severity: String,
    /// What is configured now.
    pub current_state: String,
    /// Why the control matters; empty for none.
    pub why: String,
    /// The recommended change; empty for none.
    pub suggested_fix: String,
    /// Whether later imports apply the edit.
    #[serde(deserialize_with = "form::ticked")]
    pub keep: bool,
}

impl Form {
    /// Returns the form filled with a check as it is.
    pub fn of(check: &Check, keep: bool) -> Self {
        Self {
            control: check.control_id.to_string(),
            seen: Seen::check(check).as_str().to_owned(),
            status: words::status_wire(check.status).to_owned(),
            severity: check.severity.map(words::severity_wire).unwrap_or_default().to_owned(),
            current_state: check.current_state.clone(),
            why: check.why.clone().unwrap_or_default(),
            suggested_fix: check.suggested_fix.clone().unwrap_or_default(),
            keep,
        }
    }
}

/// Shows the form.
pub fn page(page: &Page<'_>) -> Markup {
    let (tenant, id) = (&page.head.tenant, &page.head.id);
    let (tenant_link, report_link) =
        (link::tenant(&tenant.service_tenant_id), link::report(&tenant.service_tenant_id, id));
    let back = link::check(&tenant.service_tenant_id, id, &page.check.control_id);
    let head = Head {
        above: &[
            ("/", html! { "Overview" }),
            (&tenant_link, text::name(&tenant.name)),
            (&report_link, html! { "Report" }),
        ],
        title: html! { "Edit check" },
        about: Some(
            html! { span { (text::name(&page.check.name)) } span { code { (text::visible(page.check.control_id.as_str())) } } },
        ),
        actions: None,
    };
    let fields = page.form;
    let field = |of: Edited, hint, value| Field {
        name: field_name(of),
        label: label(of),
        hint,
        value,
        error: page.errors.of(field_name(of)),
    };
    page.shell.page(Section::Portfolio, "Edit check", html! {
        (head.show())
        (page.errors.summary())
        section class="card" aria-label="Edit check" {
            form method="post" action=(link::check_form(&tenant.service_tenant_id, id)) class="form" {
                (form::hidden("control", &fields.control))
                (form::hidden("seen", &fields.seen))
                (field(Edited::Status, "Score, grade, counts and top risks follow.", &fields.status).select(&statuses(page.kind, page.check.status)))
                (field(Edited::Severity, "", &fields.severity).select(&severities(page.check.severity)))
                (field(Edited::CurrentState, "What is configured now.", &fields.current_state).area(3))
                (field(Edited::Why, "Leave empty to remove it.", &fields.why).area(3))
                (field(Edited::SuggestedFix, "Leave empty to remove it.", &fields.suggested_fix).area(4))
                (form::checkbox("keep", "Keep for later reports", "Later imports keep these edits for this control, except the current state. A status applies only while the control is failing, and ends once it is secure.", fields.keep))
                @if let Some(error) = page.errors.of("keep") { p class="error" { (text::visible(error)) } }
                div class="form-end" {
                    button type="submit" class="button primary" { "Save" }
                    a class="button" href=(back) { "Cancel" }
                    span class="hint" { "The API returns the new values at once." }
                }
            }
        }
    })
}

/// Returns the states that a report of this kind can have, by wire name and word. A current state that this release
/// does not know comes first, so that the form can leave it as it is.
pub(super) fn statuses(kind: ReportType, now: Status) -> Vec<(&'static str, &'static str)> {
    let allowed = |status: &Status| kind == ReportType::FollowUp || !matches!(status, Status::Fixed | Status::Drifted);
    let unknown = Some(now).filter(|now| !now.is_known());
    let statuses = unknown.into_iter().chain(words::STATUSES.into_iter().filter(allowed));
    statuses.map(|status| (words::status_wire(status), words::status(status))).collect()
}

/// Returns the severities as [`statuses`] returns the states.
fn severities(now: Option<Severity>) -> Vec<(&'static str, &'static str)> {
    let unknown = now.filter(|now| !now.is_known());
    let severities = unknown.into_iter().chain(words::SEVERITIES);
    let severities = severities.map(|severity| (words::severity_wire(severity), words::severity(Some(severity))));
    [("", words::severity(None))].into_iter().chain(severities).collect()
}
