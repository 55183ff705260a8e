//! Totals over the tenants that are not paused: for each leading tool, since tools do not compare.

use maud::{Markup, html};
use model::{Grade, ReportFigures, Status, Timestamp};
use web::view::text;

use super::Row;
use crate::view::{chart, link, table, when, words};

/// The figures of a tool's reports.
struct Totals<'a> {
    tool: &'a str,
    reports: usize,
    mean: usize,
    drifted: u32,
    with_drift: usize,
    open: u32,
    stale: usize,
    grades: [(Grade, usize); 5],
}

impl<'a> Totals<'a> {
    fn of(tool: &'a str, reports: &[&ReportFigures], now: Timestamp) -> Self {
        let count = |of: &dyn Fn(&ReportFigures) -> bool| reports.iter().filter(|report| of(report)).count();
        let grades = [Grade::A, Grade::B, Grade::C, Grade::D, Grade::F];
        Self {
            tool,
            reports: reports.len(),
            mean: reports.iter().map(|report| usize::from(report.score)).sum::<usize>() / reports.len().max(1),
            drifted: reports.iter().map(|report| report.controls.drifted).sum(),
            with_drift: count(&|report| report.controls.drifted > 0),
            open: reports.iter().map(|report| report.controls.open).sum(),
            stale: count(&|report| when::is_stale(report.completed_at, now)),
            grades: grades.map(|grade| (grade, count(&|report| report.grade == grade))),
        }
    }
}

/// Shows the totals: as tiles if one tool leads everywhere, else as a table of the tools.
pub(super) fn shown(rows: &[Row], now: Timestamp) -> Markup {
    let active: Vec<_> = rows.iter().filter(|row| !row.is_paused).collect();
    let without = active.iter().filter(|row| row.latest.is_none()).count();
    let totals = by_tool(&active, now);
    html! {
        @match &*totals {
            [] => {}
            [of] => (tiles(of, without)),
            several => (by_row(several)),
        }
    }
}

/// Returns the totals of each leading tool, first of the one that leads most tenants.
fn by_tool<'a>(rows: &[&'a Row], now: Timestamp) -> Vec<Totals<'a>> {
    let mut groups: Vec<(&str, Vec<&ReportFigures>)> = Vec::new();
    for report in rows.iter().filter_map(|row| row.latest.as_ref()) {
        match groups.iter_mut().find(|(tool, _)| *tool == report.tool) {
            Some((_, reports)) => reports.push(&report.figures),
            None => groups.push((&report.tool, vec![&report.figures])),
        }
    }
    let mut totals: Vec<_> = groups.iter().map(|(tool, reports)| Totals::of(tool, reports, now)).collect();
    totals.sort_by(|a, b| (b.reports, a.tool).cmp(&(a.reports, b.tool)));
    totals
}

fn tiles(of: &Totals<'_>, without: usize) -> Markup {
    html! {
        section class="tiles" aria-label="Totals" {
            div class="card tile" {
                p class="tile-label" { "Average score" }
                p class="tile-number" { (of.mean) }
                p class="tile-note" { "over " (of.reports) " of " (text::name(of.tool)) }
            }
            div class="card tile wide" { p class="tile-label" { "Tenants by grade" } (chart::grades(of.grades)) }
            div class="card tile" {
                p class="tile-label" { "Drifted controls" }
                p class={ "tile-number" @if of.drifted > 0 { " warn" } } { (counted(of, Status::Drifted, words::thousands(of.drifted.into()))) }
                p class="tile-note" { "in " (words::counted(of.with_drift, "tenant")) }
            }
            div class="card tile" {
                p class="tile-label" { "Open controls" }
                p class="tile-number" { (counted(of, Status::Open, words::thousands(of.open.into()))) }
                p class="tile-note" { "do not meet best practice" }
            }
            div class="card tile" {
                p class="tile-label" { "Older than a month" }
                p class="tile-number" { (of.stale) }
                p class="tile-note" { @if without > 0 { (without) " without a report" } @else { "all have a report" } }
            }
        }
    }
}

/// Shows a number of results, which leads to the controls of the tool with that result.
fn counted(of: &Totals<'_>, status: Status, number: String) -> Markup {
    let label = format!("{number} {} in {}", words::status(status), text::shortened(of.tool));
    html! { a href=(link::controls(of.tool, status)) aria-label=(label) { (number) } }
}

fn by_row(totals: &[Totals<'_>]) -> Markup {
    html! {
        section class="card flush" aria-labelledby="totals" {
            div class="card-head" { h2 id="totals" { "By leading tool" } }
            (table::framed("Totals", html! {
                table class="rows" {
                    thead { tr {
                        th scope="col" { "Tool" }
                        th scope="col" class="n" { "Tenants" }
                        th scope="col" class="n" { "Average score" }
                        th scope="col" class="wide-only" { "Grades" }
                        th scope="col" class="n wide-only" { "Drifted" }
                        th scope="col" class="n wide-only" { "Open" }
                        th scope="col" class="n wide-only" { "Older than a month" }
                    } }
                    tbody { @for of in totals { tr {
                        th scope="row" { (text::name(of.tool)) }
                        td class="n" { (of.reports) }
                        td class="n" { (of.mean) }
                        td class="wide-only" { span class="grade-counts" { @for (grade, count) in of.grades.into_iter().filter(|(_, count)| *count > 0) { span { (words::grade_badge(grade)) " " (count) } } } }
                        td class="n wide-only" { (counted(of, Status::Drifted, words::thousands(of.drifted.into()))) }
                        td class="n wide-only" { (counted(of, Status::Open, words::thousands(of.open.into()))) }
                        td class="n wide-only" { (of.stale) }
                    } } }
                }
            }))
        }
    }
}
