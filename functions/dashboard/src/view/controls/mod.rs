//! The controls of all tenants, worst first, and the tenants of one control.

mod edit;
mod filter;
mod one;

use maud::{Markup, html};
use model::{Choice, ControlsRollup, Wire};
use store::{FleetControl, FleetControls};
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

pub(crate) use self::edit::{Form, NotDone};
pub(crate) use self::filter::{Filter, arranged, arranged_results};
pub(crate) use self::one::{One, page as one};
use super::{chart, link, search, table, tenants, words};

/// The address of the list.
pub(crate) const ADDRESS: &str = "/controls";

/// All controls of newest reports.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The controls, counted over the tenants of the filter's label.
    pub(crate) fleet: &'a FleetControls,
    /// The filter.
    pub(crate) filter: &'a Filter,
}

/// Shows the list.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let rows = arranged(&page.fleet.controls, page.filter);
    let tools = tools(&page.fleet.controls);
    let head = Head {
        above: &[],
        title: html! { "Controls" },
        about: Some(html! { "How many tenants meet each control, by the newest report of each tool" }),
        actions: Some(html! { a class="button" href={ "/controls.csv" (page.filter.query()) } { "Download CSV" } }),
    };
    page.shell.page(
        Section::Controls,
        "Controls",
        html! {
            (head.show())
            section class="card flush" aria-label="All controls" {
                @if page.fleet.controls.is_empty() && page.filter.label.is_empty() {
                    (empty("No controls yet", html! { p { "They appear with the first report of a tenant." } }))
                } @else {
                    div class="card-head" { (filters(page, &tools)) }
                    @if rows.is_empty() {
                        (empty("No control is found", html! { a class="button" href=(ADDRESS) { "Show all controls" } }))
                    } @else {
                        (list(&rows, tools.len() > 1))
                    }
                    p class="away" role="status" id="controls-count" data-total=(rows.len()) data-noun="controls" {}
                }
            }
        },
    )
}

fn tools(controls: &[FleetControl]) -> Vec<&str> {
    let mut tools: Vec<_> = controls.iter().map(|control| &*control.tool).collect();
    tools.dedup();
    tools
}

fn filters(page: &Page<'_>, tools: &[&str]) -> Markup {
    let filter = page.filter;
    html! {
        form class="filters" method="get" action=(ADDRESS) role="search" aria-label="Filter controls" {
            label class="grow" { "Search"
                input type="search" name="q" value=(filter.q) placeholder="Name or identifier" data-filter="controls" data-count="controls-count"; }
            @if tools.len() > 1 { (search::choice("tool", "Tool", &filter.tool, tools.iter().map(|tool| (*tool, *tool)))) }
            (search::choice("status", "Some tenant is", &filter.status, words::STATUSES.map(|it| (Wire(it).to_string(), words::status(it)))))
            (search::choice("severity", "Severity", &filter.severity, words::SEVERITIES.map(|it| (Wire(it).to_string(), words::severity(Some(it))))))
            (search::choice("category", "Section", &filter.category, model::Category::KNOWN.iter().map(|it| (Wire(it).to_string(), words::category(*it)))))
            (tenants::label_choice(&page.fleet.labels, &filter.label))
            button class="button" type="submit" { "Filter" }
            @if !filter.query().is_empty() { a href=(ADDRESS) { "Clear" } }
        }
    }
}

fn list(rows: &[&FleetControl], several_tools: bool) -> Markup {
    table::framed(
        "Controls",
        html! {
            table class="rows" {
                thead { tr {
                    th scope="col" { "Control" }
                    th scope="col" class="wide-only" { "Severity" }
                    th scope="col" class="n" { "Open" }
                    th scope="col" class="n" { "Drifted" }
                    th scope="col" class="wide-only" { "Results" }
                    th scope="col" class="n wide-only" { "Secure" }
                    th scope="col" class="n wide-only" { "Not assessed" }
                } }
                tbody id="controls" { @for row in rows { (shown(row, several_tools)) } }
            }
        },
    )
}

fn shown(row: &FleetControl, several_tools: bool) -> Markup {
    let FleetControl { tool, control, tenants, accepted } = row;
    html! {
        tr data-item {
            th scope="row" {
                a href=(link::control(tool, &control.control_id)) data-text { (text::name(&control.name)) }
                span class="under" {
                    span data-text { (control.control_id) }
                    @if several_tools { " · " (text::name(tool)) }
                    span class="narrow-only" { " · " (words::severity(control.severity)) }
                }
            }
            td class="wide-only" { (words::severity_badge(control.severity)) }
            td class="n" {
                (table::count(tenants.open + tenants.in_progress))
                @if *accepted > 0 { span class="under" { (accepted) " accepted" } }
            }
            td class="n" { (table::count(tenants.drifted)) }
            td class="wide-only bar-cell" { (chart::results(tenants)) }
            td class="n wide-only" { (table::count(secure(tenants))) }
            td class="n wide-only" { (table::count(tenants.not_assessed)) }
        }
    }
}

/// Returns the number of tenants that meet a control.
fn secure(tenants: &ControlsRollup) -> u32 {
    tenants.secure + tenants.fixed
}
