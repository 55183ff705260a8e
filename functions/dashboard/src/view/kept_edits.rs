//! Edits that later imports apply to a tenant's reports.

use maud::{Markup, html};
use model::ServiceTenantId;
use store::KeptEdit;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::{link, table, when, words};

/// The kept edits of a tenant.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenant.
    pub(crate) tenant: &'a ServiceTenantId,
    /// Its name.
    pub(crate) name: &'a str,
    /// The edits.
    pub(crate) kept: &'a [KeptEdit],
}

/// Shows the kept edits.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let tenant = link::tenant(page.tenant);
    let head = Head {
        above: &[("/", html! { "Overview" }), (&tenant, text::name(page.name))],
        title: html! { "Kept edits" },
        about: Some(
            html! { "Each later import applies them to the new report. A status applies only while the control is failing, and ends once it is secure; so does an accepted risk, at the latest on its day. To accept a risk no longer in the newest report too, edit its check. Once an edit is no longer kept, the next report has the tool's values again." },
        ),
        actions: None,
    };
    page.shell.page(Section::Portfolio, "Kept edits", html! {
        (head.show())
        section class="card flush" aria-label="Kept edits" {
            @if page.kept.is_empty() {
                (empty("No edit is kept", html! { p { "To keep an edit, tick ‘Keep for later reports’ when you edit a check." } }))
            } @else {
                (table::framed("Kept edits", html! {
                    table class="rows" {
                        thead { tr { th scope="col" { "Control" } th scope="col" { "Edit" } th scope="col" class="wide-only" { "Kept by" } th scope="col" { span class="away" { "Actions" } } } }
                        tbody { @for kept in page.kept { (row(page, kept)) } }
                    }
                }))
            }
        }
    })
}

fn row(page: &Page<'_>, kept: &KeptEdit) -> Markup {
    let end = format!("{}/end", link::kept_edits(page.tenant));
    html! {
        tr {
            th scope="row" { code { (text::visible(kept.control_id.as_str())) } }
            td { ul class="pairs" {
                @if let Some(status) = kept.values.status { li { (words::pill(status)) } }
                @if let Some(severity) = kept.values.severity { li { (words::severity_badge(severity)) } }
                @if let Some(risk) = &kept.values.accepted_risk { li {
                    span class="quiet" { "Risk accepted until " (when::day(risk.until)) ": " } (text::prose(&risk.reason))
                } }
                @for (title, text) in [("Why", &kept.values.why), ("Fix", &kept.values.suggested_fix)] {
                    @if let Some(text) = text { li {
                        span class="quiet" { (title) ": " }
                        @match text { Some(text) => (text::prose(text)), None => span class="quiet" { "removed" } }
                    } }
                }
            } }
            td class="wide-only" { (text::name(&kept.by)) span class="under" { (when::minute(kept.at)) } }
            td class="n" {
                (page.shell.form(&end, "inline-form", html! {
                    button type="submit" class="button small" name="control" value=(kept.control_id) { "Stop keeping" span class="away" { " " (text::visible(kept.control_id.as_str())) } }
                }))
            }
        }
    }
}
