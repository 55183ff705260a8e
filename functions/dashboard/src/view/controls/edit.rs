//! The form that edits a control for several tenants, and what became of it.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::{ServiceTenantId, Wire};
use store::ControlResult;
use web::view::form::{self, Errors, Field, hidden};
use web::view::text;

use super::Filter;
use crate::view::edits::{Field as Edited, field_name, label};
use crate::view::{tasks, words};

/// The address that the form is sent to.
pub(super) const ACTION: &str = "/controls/edit";

/// The form as it was sent, or empty.
#[derive(Default)]
pub(crate) struct Form {
    /// The chosen tenants.
    pub(crate) chosen: BTreeSet<ServiceTenantId>,
    /// Why the risk is accepted.
    pub(crate) reason: String,
    /// Day on which that ends.
    pub(crate) until: String,
    /// Severity, as on the wire; empty for no change.
    pub(crate) severity: String,
    /// Why the control matters; empty for no change.
    pub(crate) why: String,
    /// The recommended change; empty for no change.
    pub(crate) suggested_fix: String,
    /// Whether later imports apply the edit.
    pub(crate) keep: bool,
    /// The person responsible for the control.
    pub(crate) owner: String,
    /// Day by which that is due.
    pub(crate) due: String,
    /// A note.
    pub(crate) note: String,
    /// Errors of the form, under the names of its fields.
    pub(crate) errors: Errors,
    /// The number of tenants for which it was done, and those for which it was not; `None` if it was not tried.
    pub(crate) done: Option<(usize, Vec<NotDone>)>,
}

/// A tenant for which nothing was changed.
pub(crate) struct NotDone {
    /// Its name.
    pub(crate) tenant: String,
    /// Why, and what to do.
    pub(crate) reason: String,
}

impl Form {
    /// Shows what was not done.
    pub(super) fn outcome(&self) -> Markup {
        html! {
            (self.errors.summary())
            @if let Some((done, not_done)) = &self.done {
                div class="notice problem" role="alert" {
                    span class="notice-mark" aria-hidden="true" { "!" }
                    div {
                        p { "Done for " (words::counted(*done, "tenant")) ", and not for " (not_done.len()) ", which are still chosen:" }
                        ul { @for tenant in not_done { li { (text::name(&tenant.tenant)) ": " (text::visible(&tenant.reason)) } } }
                    }
                }
            }
        }
    }

    /// Shows the box that chooses a tenant, with the acceptance of the risk that its line shows.
    pub(super) fn choice(&self, row: &ControlResult) -> Markup {
        let (tenant, until) = (&row.service_tenant_id, row.accepted_until);
        let value = until.map_or_else(|| tenant.to_string(), |until| format!("{tenant} {until}"));
        html! {
            input type="checkbox" name="tenant" value=(value) checked[self.chosen.contains(tenant)]
                aria-label={ "Choose " (text::visible(&row.tenant_name)) };
        }
    }

    /// Shows the fields.
    pub(super) fn fields(&self, filter: &Filter) -> Markup {
        let is_used = !self.chosen.is_empty() || !self.errors.is_empty();
        let field = |name, label, hint, value| Field { name, label, hint, value, error: self.errors.of(name) };
        let text = |of, value| field(field_name(of), label(of), "Leave empty to leave it as it is.", value).area(2);
        html! {
            (hidden("filter", &filter.query()))
            details class="for-several" open[is_used] {
                summary { "Accept the risk, set a task or edit the control for the chosen tenants" }
                div class="form" {
                    (field("reason", "Reason for accepting the risk", "Readers of the reports and users of the API see it.", &self.reason).area(2))
                    (field("until", "Accept the risk until", "At most a year ahead. It also ends where a report finds the control secure.", &self.until).input("date", false))
                    div class="form-end" {
                        button type="submit" name="do" value="accept" class="button primary" { "Accept the risk" }
                        button type="submit" name="do" value="end" class="button" { "End the accepted risk" }
                    }
                    (tasks::fields((&self.owner, &self.due, &self.note), &self.errors))
                    div class="form-end" {
                        button type="submit" name="do" value="assign" class="button" { "Set the task" }
                        button type="submit" name="do" value="release" class="button" { "Remove the task" }
                        span class="hint" { "A tenant's earlier task for this control is replaced." }
                    }
                    (field(field_name(Edited::Severity), label(Edited::Severity), "", &self.severity).select(&severities()))
                    (text(Edited::Why, &self.why))
                    (text(Edited::SuggestedFix, &self.suggested_fix))
                    (form::checkbox("keep", "Keep for later reports", "Later imports keep these edits for this control.", self.keep))
                    div class="form-end" { button type="submit" name="do" value="edit" class="button" { "Edit the control" } }
                }
            }
        }
    }
}

fn severities() -> Vec<(String, &'static str)> {
    let severities = words::SEVERITIES.map(|severity| (Wire(severity).to_string(), words::severity(Some(severity))));
    [(String::new(), "Leave as it is")].into_iter().chain(severities).collect()
}
