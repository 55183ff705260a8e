//! The checks of a report by section, with filters that work without a script.

use maud::{Markup, html};
use model::{Check, ControlsRollup, Status, Timestamp, Wire};
use store::Task;
use web::view::layout::empty;
use web::view::text;

use super::shown::Page;
use crate::view::edits::{Edit, Field, label};
use crate::view::{chart, link, tasks, when, words};

/// Shows the checks that the filter lets through.
pub(super) fn card(page: &Page<'_>, report_link: &str) -> Markup {
    let checks: Vec<_> = page
        .body
        .checks
        .iter()
        .filter(|check| {
            let task = page.tasks.and_then(|tasks| tasks.get(&check.control_id));
            page.filter.matches(check) && tasks::matches(&page.filter.task, task, page.now)
        })
        .collect();
    let alone = checks.len() == 1;
    let sections = sections(&checks);
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
                @for section in &sections { (shown(page, section, alone)) }
            }
        }
    }
}

/// Returns the checks by section: what needs action first, then by severity.
fn sections<'a>(checks: &[&'a Check]) -> Vec<Vec<&'a Check>> {
    let sections = checks.chunk_by(|a, b| a.category == b.category);
    let mut sections: Vec<Vec<_>> = sections.map(<[&Check]>::to_vec).collect();
    for section in &mut sections {
        section.sort_by_key(|check| (!check.needs_action(), severity_place(check)));
    }
    sections.sort_by_key(|section| !section[0].needs_action());
    sections
}

/// Returns the place of a check's severity: the greatest comes first, and none last.
fn severity_place(check: &Check) -> usize {
    let place = words::SEVERITIES.iter().position(|severity| check.severity == Some(*severity));
    place.unwrap_or(words::SEVERITIES.len())
}

/// Shows a section: open if something in it needs action, or if checks were filtered for.
fn shown(page: &Page<'_>, section: &[&Check], alone: bool) -> Markup {
    let category = section[0].category;
    let to_do = section.iter().filter(|check| check.needs_action()).count();
    let accepted = section.iter().filter(|check| check.accepted_risk.is_some()).count();
    html! {
        details class="check-section" data-group open[to_do > 0 || !page.filter.is_empty()] {
            summary class="section-head" {
                h3 { (words::category(category)) " " span class="quiet" {
                    (words::counted(section.len(), "check"))
                    @if to_do > 0 { ", " (to_do) @if to_do == 1 { " needs" } @else { " need" } " action" }
                    @if accepted > 0 { ", " (accepted) " accepted" }
                } }
                (chart::results(&ControlsRollup::of(page.body.checks.iter().filter(|check| check.category == category))))
            }
            ul class="checks" { @for check in section { (one(page, check, alone)) } }
        }
    }
}

fn filters(page: &Page<'_>, report_link: &str) -> Markup {
    let filter = page.filter;
    html! {
        form class="filters stays" method="get" action={ (report_link) "#checks" } role="search" aria-label="Filter checks" {
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
            (tasks::choice(&filter.task))
            button class="button" type="submit" { "Filter" }
            @if !filter.is_empty() { a href={ (report_link) "#checks" } { "Clear" } }
            button class="button" type="button" data-expand="check-list" hidden { "Expand all" }
        }
    }
}

fn one(page: &Page<'_>, check: &Check, open: bool) -> Markup {
    let edit = page.edits.get(&check.control_id);
    let task = page.tasks.and_then(|tasks| tasks.get(&check.control_id));
    let tenant = &page.head.tenant.service_tenant_id;
    html! {
        li id=(link::anchor(&check.control_id)) data-item {
            details class="check" open[open] {
                summary {
                    span class="check-main" {
                        span class="check-name" data-text { (text::name(&check.name)) }
                        code class="check-id" data-text { (text::visible(check.control_id.as_str())) }
                    }
                    span class="check-marks" { @if check.accepted_risk.is_some() { span class="tag" { "Accepted" } " " }
                        @if let Some(task) = task.filter(|task| task.is_open()) { span class="tag" { @if task.is_overdue(page.now) { "Task overdue" } @else { "Task" } } " " }
                        @if let Some(edit) = edit { (edit.tag()) } }
                    (words::severity_badge(check.severity))
                    span class="check-status" { (words::pill(check.status)) }
                }
                (details(check, edit, task.map(|task| (task, page.now))))
                div class="check-foot" {
                    span class="quiet" { @if let Some(edit) = edit { (edit.described()) } }
                    @if page.tasks.is_some() && (check.status.is_failing() || task.is_some()) {
                        a class="button small" href={ (link::task(tenant, &page.head.id, &check.control_id)) (page.filter.kept()) } {
                            @if task.is_none() { "Set task" } @else if check.status.is_failing() { "Change task" } @else { "Remove task" } span class="away" { " " (text::name(&check.name)) }
                        }
                    }
                    a class="button small" href=(link::text_of_check(page.tool, &check.control_id, tenant, &page.head.id)) {
                        "Use for all tenants" span class="away" { ": a text for " (text::name(&check.name)) }
                    }
                    @if edit.is_some_and(Edit::can_be_set_back) {
                        a class="button small" href={ (link::set_back(tenant, &page.head.id, &check.control_id)) (page.filter.kept()) } {
                            "Restore the tool's value" span class="away" { " of " (text::name(&check.name)) }
                        }
                    }
                    a class="button small" data-edit href={ (link::edit_check(tenant, &page.head.id, &check.control_id)) (page.filter.kept()) } {
                        "Edit" span class="away" { " " (text::name(&check.name)) }
                    }
                }
            }
        }
    }
}

fn details(check: &Check, edit: Option<&Edit>, task: Option<(&Task, Timestamp)>) -> Markup {
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
            if check.status.is_failing() { "Suggested fix" } else { "Best practice" },
            check.suggested_fix.as_ref(),
            Some(Field::SuggestedFix),
        ),
    ];
    html! {
        dl class="details" {
            @if let Some(risk) = &check.accepted_risk {
                dt { (label(Field::AcceptedRisk)) }
                dd data-text { "Until " (when::day(risk.until)) ": " (text::prose(&risk.reason)) }
            }
            @if let Some((task, now)) = task {
                dt { "Task" }
                dd { (tasks::line(task, now)) @if let Some(note) = &task.assignment.note { ": " (text::prose(note)) } }
            }
            @for (title, value, field) in texts {
                @if let Some(value) = value {
                    dt { (title) @if let Some((edit, field)) = edit.zip(field) { (edit.tag_of(field)) } }
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
