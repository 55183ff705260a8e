//! The checks of a report by section, with filters that work without a script.

use maud::{Markup, html};
use model::{Check, ControlsRollup, Status, Wire};

use super::shown::Page;
use crate::view::edits::{Edit, Field, label};
use crate::view::layout::empty;
use crate::view::{chart, link, text, words};

/// Shows the checks that the filter lets through.
pub(super) fn card(page: &Page<'_>, report_link: &str) -> Markup {
    let checks: Vec<_> = page.body.checks.iter().filter(|check| page.filter.matches(check)).collect();
    let alone = checks.len() == 1;
    html! {
        section class="card" id="checks" aria-labelledby="checks-heading" {
            div class="card-head" {
                h2 id="checks-heading" { "Checks" }
                p class="quiet small" role="status" id="checks-count" data-total=(page.body.checks.len()) data-noun="checks" {
                    (checks.len()) " of " (words::counted(page.body.checks.len(), "check"))
                }
            }
            (filters(page, report_link))
            @if checks.is_empty() {
                (empty("No check matches", html! {
                    p { "No check of this report matches all filters." }
                    a class="button" href={ (report_link) "#checks" } { "Show all checks" }
                }))
            }
            div id="check-list" {
                @for section in checks.chunk_by(|a, b| a.category == b.category) {
                    section class="check-section" data-group aria-label={ "Checks: " (words::category(section[0].category)) } {
                        div class="section-head" {
                            h3 { (words::category(section[0].category)) span class="quiet" { (words::counted(section.len(), "check")) } }
                            (chart::results(&ControlsRollup::of(page.body.checks.iter().filter(|check| check.category == section[0].category))))
                        }
                        ul class="checks" { @for check in section { (one(page, check, alone)) } }
                    }
                }
            }
        }
    }
}

fn filters(page: &Page<'_>, report_link: &str) -> Markup {
    let filter = page.filter;
    html! {
        form class="filters" method="get" action={ (report_link) "#checks" } role="search" aria-label="Filter checks" {
            label class="grow" { "Search"
                input type="search" name="q" value=(filter.q) placeholder="Name, identifier or text" data-filter="check-list" data-count="checks-count"; }
            label { "Status"
                select name="status" {
                    option value="" { "All" }
                    @for status in words::STATUSES {
                        option value=(Wire(status)) selected[filter.status() == Some(status)] { (words::status(status)) }
                    }
                }
            }
            label { "Severity"
                select name="severity" {
                    option value="" { "All" }
                    @for severity in words::SEVERITIES {
                        option value=(Wire(severity)) selected[filter.severity() == Some(severity)] { (words::severity(Some(severity))) }
                    }
                }
            }
            button class="button" type="submit" { "Filter" }
            @if !filter.is_empty() { a href={ (report_link) "#checks" } { "Clear" } }
            button class="button" type="button" data-expand="check-list" hidden { "Expand all" }
        }
    }
}

fn one(page: &Page<'_>, check: &Check, open: bool) -> Markup {
    let edit = page.edits.get(&check.control_id);
    html! {
        li id=(link::anchor(&check.control_id)) data-item {
            details class="check" open[open] {
                summary {
                    span class="check-main" {
                        span class="check-name" data-text { (text::name(&check.name)) }
                        code class="check-id" data-text { (text::visible(check.control_id.as_str())) }
                    }
                    span class="check-marks" { @if let Some(edit) = edit { (edit.tag()) } }
                    (words::severity_badge(check.severity))
                    span class="check-status" { (words::pill(check.status)) }
                }
                (details(check, edit))
                div class="check-foot" {
                    span class="quiet" { @if let Some(edit) = edit { (edit.described()) } }
                    a class="button small" href=(link::edit_check(&page.head.tenant.service_tenant_id, &page.head.id, &check.control_id)) {
                        "Edit" span class="away" { " " (text::name(&check.name)) }
                    }
                }
            }
        }
    }
}

fn details(check: &Check, edit: Option<&Edit>) -> Markup {
    let needs_fix = check.status.is_assessed() && !check.status.is_secure();
    let before = match check.status {
        Status::Fixed | Status::Drifted => "At the baseline",
        _ => "Before",
    };
    let texts = [
        (label(Field::CurrentState), Some(&check.current_state), Some(Field::CurrentState)),
        (before, check.previous_state.as_ref(), None),
        ("Observed usage", check.observed_usage.as_ref(), None),
        (label(Field::Why), check.why.as_ref(), Some(Field::Why)),
        (
            if needs_fix { "Suggested fix" } else { "Best practice" },
            check.suggested_fix.as_ref(),
            Some(Field::SuggestedFix),
        ),
    ];
    html! {
        dl class="details" {
            @for (title, value, field) in texts {
                @if let Some(value) = value {
                    dt { (title) @if field.is_some_and(|field| edit.is_some_and(|edit| edit.touches(field))) { " " span class="tag edited" { "Edited" } } }
                    dd data-text { (text::prose(value)) }
                }
            }
            @if !check.references.is_empty() {
                dt { "References" }
                dd { ul class="refs" { @for reference in &check.references { li { (text::visible(&reference.to_string())) } } } }
            }
        }
    }
}
