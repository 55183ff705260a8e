//! Edits that later imports apply to a tenant's reports.

use maud::{Markup, html};
use model::{ControlId, ServiceTenantId, Severity, Status, Timestamp};

use super::layout::{Head, Section, Shell, empty};
use super::{link, table, text, when, words};

/// The kept edits of a tenant.
pub struct Page<'a> {
    /// The frame.
    pub shell: &'a Shell,
    /// The tenant.
    pub tenant: &'a ServiceTenantId,
    /// Its name.
    pub name: &'a str,
    /// The edits.
    pub kept: &'a [Kept],
}

/// A kept edit. `None` for what it leaves as the tool says it.
#[derive(Clone)]
pub struct Kept {
    /// The control.
    pub control: ControlId,
    /// Status.
    pub status: Option<Status>,
    /// Severity.
    pub severity: Option<Severity>,
    /// Why the control matters.
    pub why: Option<String>,
    /// The recommended change.
    pub suggested_fix: Option<String>,
    /// Who decided to keep it.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

/// Shows the kept edits.
pub fn page(page: &Page<'_>) -> Markup {
    let tenant = link::tenant(page.tenant);
    let head = Head {
        above: &[("/", html! { "Overview" }), (&tenant, text::name(page.name))],
        title: html! { "Kept edits" },
        about: Some(
            html! { "Each import applies them to the new report. A kept status applies only while the control is failing." },
        ),
        actions: None,
    };
    page.shell.page(Section::Portfolio, "Kept edits", html! {
        (head.show())
        section class="card flush" aria-label="Kept edits" {
            @if page.kept.is_empty() {
                (empty("No edit is kept", html! { p { "Edit a check of a report and tick ‘Keep for later reports’, and the edit is here." } }))
            } @else {
                (table::framed("Kept edits", html! {
                    table class="rows" {
                        thead { tr { th scope="col" { "Control" } th scope="col" { "Edit" } th scope="col" class="wide-only" { "Kept by" } th scope="col" { span class="away" { "Actions" } } } }
                        tbody { @for kept in page.kept { (row(&tenant, kept)) } }
                    }
                }))
            }
        }
    })
}

fn row(tenant: &str, kept: &Kept) -> Markup {
    html! {
        tr {
            th scope="row" { code { (text::visible(kept.control.as_str())) } }
            td { ul class="pairs" {
                @if let Some(status) = kept.status { li { (words::pill(status)) } }
                @if let Some(severity) = kept.severity { li { (words::severity_mark(Some(severity))) } }
                @if let Some(why) = &kept.why { li { span class="quiet" { "Why: " } (text::prose(why)) } }
                @if let Some(fix) = &kept.suggested_fix { li { span class="quiet" { "Fix: " } (text::prose(fix)) } }
            } }
            td class="wide-only" { (text::name(&kept.by)) span class="under" { (when::minute(kept.at)) } }
            td class="n" {
                form method="post" action={ (tenant) "/kept-edits/remove" } class="inline-form" {
                    button type="submit" class="button small" name="control" value=(kept.control) { "Stop keeping" span class="away" { " " (text::visible(kept.control.as_str())) } }
                }
            }
        }
    }
}
