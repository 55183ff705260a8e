//! The tenants of one control.

use std::collections::BTreeMap;

use maud::{Markup, html};
use model::{ControlsRollup, ServiceTenantId, Timestamp, Wire};
use store::{Control, ControlResult, Task};
use web::view::form::hidden;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::edit::{self, Form};
use super::filter::{Filter, arranged_results};
use super::{ADDRESS, secure};
use crate::view::{chart, link, search, table, tasks, tenants, when, words};

/// A control with its tenants.
pub(crate) struct One<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// Name of the tool.
    pub(crate) tool: &'a str,
    /// The control.
    pub(crate) control: &'a Control,
    /// Its results, in any order.
    pub(crate) results: &'a [ControlResult],
    /// Its tasks.
    pub(crate) tasks: &'a BTreeMap<ServiceTenantId, Task>,
    /// The filter.
    pub(crate) filter: &'a Filter,
    /// The form that edits the control for several tenants.
    pub(crate) form: &'a Form,
    /// The present.
    pub(crate) now: Timestamp,
}

/// Shows the control.
pub(crate) fn page(page: &One<'_>) -> Markup {
    let One { control, .. } = page;
    let rows = arranged_results(page.results, (page.tasks, page.now), page.filter);
    let mut counts = ControlsRollup::default();
    page.results.iter().for_each(|result| counts.add(result.status));
    let accepted = page.results.iter().filter(|result| result.accepted_until.is_some()).count();
    let title = html! { (text::name(&control.name)) };
    let head = Head {
        above: &[(ADDRESS, html! { "Controls" })],
        title: title.clone(),
        about: Some(html! {
            span { (control.control_id) " of " (text::name(page.tool)) }
            span { (words::category(control.category)) }
            span { (words::severity_badge(control.severity)) }
        }),
        actions: Some(html! {
            a class="button" href=(link::text(page.tool, &control.control_id)) { "Text for all tenants" }
            a class="button" href={ "/controls.csv" (page.filter.query()) } { "Download CSV" }
        }),
    };
    page.shell.page(
        Section::Controls,
        control.control_id.as_str(),
        html! {
            (head.show())
            (page.form.outcome())
            section class="card" aria-label="Results" {
                p { (secure(&counts)) " of " (words::counted(page.results.len(), "tenant")) " meet it" @if accepted > 0 { "; the risk of " (accepted) " is accepted" } }
                (chart::results(&counts))
            }
            section class="card flush" aria-labelledby="tenants-heading" {
                div class="card-head" { h2 id="tenants-heading" { "Tenants" } (filters(page)) }
                @if rows.is_empty() {
                    (empty("No tenant is found", html! { a class="button" href=(link::control(page.tool, &control.control_id)) { "Show all tenants" } }))
                } @else {
                    (page.shell.form(edit::ACTION, "", html! {
                        (page.form.fields(page.filter))
                        (list(&rows, page))
                    }))
                }
                p class="away" role="status" id="tenants-count" data-total=(rows.len()) data-noun="tenants" {}
            }
        },
    )
}

fn filters(page: &One<'_>) -> Markup {
    let filter = page.filter;
    html! {
        form class="filters" method="get" action=(ADDRESS) role="search" aria-label="Filter tenants" {
            (hidden("tool", page.tool))
            (hidden("control", page.control.control_id.as_str()))
            label class="grow" { "Search"
                input type="search" name="q" value=(filter.q) placeholder="Find a tenant" data-filter="tenants" data-count="tenants-count"; }
            (search::choice("status", "Status", &filter.status, words::STATUSES.map(|it| (Wire(it).to_string(), words::status(it)))))
            (tasks::choice(&filter.task))
            (tenants::label_choice(page.results.iter().flat_map(|result| &result.labels), &filter.label))
            button class="button" type="submit" { "Filter" }
            a class="button" href={ (ADDRESS) (filter.query()) "&chosen=all" } { "Choose all that do not meet it" }
        }
    }
}

fn list(rows: &[&ControlResult], page: &One<'_>) -> Markup {
    table::framed(
        "Tenants",
        html! {
            table class="rows" {
                thead { tr {
                    th scope="col" { "Tenant" }
                    th scope="col" { "Status" }
                    th scope="col" { "Task" }
                    th scope="col" class="wide-only" { "Since" }
                    th scope="col" class="wide-only" { "Report" }
                } }
                tbody id="tenants" { @for row in rows { tr data-item {
                    th scope="row" {
                        (page.form.choice(row)) " "
                        a href=(link::check(&row.service_tenant_id, &row.report_id, &page.control.control_id)) data-text { (text::name(&row.tenant_name)) }
                        (tenants::labels(&row.labels))
                    }
                    td {
                        (words::pill(row.status))
                        @if let Some(until) = row.accepted_until { span class="under nowrap" { "Accepted until " (when::day(until)) } }
                    }
                    td { @if let Some(task) = page.tasks.get(&row.service_tenant_id) {
                        (tasks::line(task, page.now))
                        @if let Some(note) = &task.assignment.note { span class="under" { (text::name(note)) } }
                    } }
                    td class="wide-only nowrap" { (when::day(row.since)) }
                    td class="wide-only nowrap" { (when::short_date(row.completed_at)) }
                } } }
            }
        },
    )
}
