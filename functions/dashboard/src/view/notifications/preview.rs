//! The preview of rules: the events that they selected in the last days.

use std::collections::BTreeMap;

use maud::{Markup, html};
use model::{Event, QuietTimes};
use web::view::text;

use super::super::{table, when, words};

/// Events that are listed.
const LISTED: usize = 20;

/// Shows the events that rules selected, given oldest first, and how many of them quiet times would have held back.
pub(super) fn section(events: &[Event], quiet: &QuietTimes) -> Markup {
    let held = events.iter().filter(|event| quiet.end(event.occurred_at).is_some()).count();
    let mut kinds = BTreeMap::new();
    for event in events {
        *kinds.entry(event.kind.words()).or_insert(0_usize) += 1;
    }
    html! {
        section class="card" aria-labelledby="preview" {
            h2 id="preview" { "Preview" }
            p role="status" { "In the last 30 days, these rules would have sent " strong { (words::counted(events.len(), "message")) } ". " @if held > 0 { (words::thousands(held as u64)) " of them would have waited for the end of a quiet time. " } "Nothing is saved yet." }
            @if !events.is_empty() {
                ul class="plain-list" { @for (kind, number) in kinds { li { (kind) ": " (words::thousands(number as u64)) } } }
                (table::framed("Preview", html! {
                    table class="rows" {
                        caption { @if events.len() > LISTED { "The newest " (LISTED) } @else { "All of them" } ", newest first" }
                        thead { tr { th scope="col" { "When" } th scope="col" { "Event" } th scope="col" { "Tenant" } th scope="col" { "About" } } }
                        tbody { @for event in events.iter().rev().take(LISTED) { (row(event)) } }
                    }
                }))
            }
        }
    }
}

fn row(event: &Event) -> Markup {
    let tenant = event.tenant.as_ref().and_then(|tenant| tenant.name.as_deref());
    html! {
        tr {
            th scope="row" class="nowrap" { (when::minute(event.occurred_at)) }
            td { (event.kind.words()) }
            td { @if let Some(name) = tenant { (text::name(name)) } }
            td {
                @if let Some(control) = &event.control { (text::name(control.id.as_str())) " " (words::severity_badge(control.severity)) }
                @else if let Some(report) = &event.report { (text::name(&report.tool)) }
            }
        }
    }
}
