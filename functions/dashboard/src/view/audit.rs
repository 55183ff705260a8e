//! Who changed what, newest first.

use maud::{Markup, html};
use model::Timestamp;

use super::layout::{Head, Shell, empty};
use super::{link, settings, table, text, when};

/// A part of the audit trail.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// Entries, newest first.
    pub(crate) entries: &'a [Entry],
    /// Where older entries begin, as the address names it.
    pub(crate) older: Option<&'a str>,
}

/// An entry.
#[derive(Clone)]
pub(crate) struct Entry {
    /// When.
    pub(crate) at: Timestamp,
    /// Who.
    pub(crate) by: String,
    /// What was done, such as `Edited a check`.
    pub(crate) action: String,
    /// To what, such as the name of a tenant or a control.
    pub(crate) subject: String,
    /// Address of it, where it has a page.
    pub(crate) address: Option<String>,
    /// What changed: name of the value, before and after.
    pub(crate) changes: Vec<(String, Option<String>, Option<String>)>,
}

/// Shows a part of the trail.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Audit trail" },
        about: Some(html! { "Every change of the last 400 days, newest first." }),
        actions: Some(html! { a class="button" href="/settings/audit.csv" { "Download CSV" } }),
    };
    settings::page(
        page.shell,
        "/settings/audit",
        &head,
        "Audit trail",
        html! {
            section class="card flush" aria-label="Entries" {
                @if page.entries.is_empty() {
                    (empty("Nothing was changed yet", html! { p { "Every change to reports, imports, keys, members and tenants appears here." } }))
                } @else {
                    (table::framed("Audit trail", html! {
                        table class="rows audit" {
                            thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" class="wide-only" { "Who" } } }
                            tbody { @for entry in page.entries { (row(entry)) } }
                        }
                    }))
                }
            }
            @if let Some(older) = page.older { a class="button" href={ "/settings/audit?before=" (link::encoded(older)) } { "Older entries" } }
        },
    )
}

fn row(entry: &Entry) -> Markup {
    html! {
        tr {
            th scope="row" { (when::minute(entry.at)) span class="under narrow-only" { (text::name(&entry.by)) } }
            td {
                (text::name(&entry.action)) ": "
                @match &entry.address { Some(address) => a href=(address) { (text::name(&entry.subject)) }, None => (text::name(&entry.subject)) }
                @if !entry.changes.is_empty() {
                    dl class="changes" { @for (name, before, after) in &entry.changes { div {
                        dt { (text::name(name)) }
                        dd {
                            @if let Some(before) = before { del { (text::prose(before)) } }
                            @if before.is_some() && after.is_some() { " " span aria-hidden="true" { "→" } " " }
                            @if let Some(after) = after { ins { (text::prose(after)) } }
                        }
                    } } }
                }
            }
            td class="wide-only" { (text::name(&entry.by)) }
        }
    }
}
