//! All tenants at a glance, worst first.

#[cfg(test)]
pub(crate) mod sample;
mod sorting;

use maud::{Markup, html};
use model::{Grade, ReportFigures, ServiceTenantId, Timestamp};
use store::ReportSummary;

pub(crate) use self::sorting::{Column, Query, arranged};
use super::form::hidden;
use super::layout::{Head, Section, Shell, empty};
use super::{chart, link, search, table, text, when, words};

/// All tenants with their newest reports.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All tenants, in any order.
    pub(crate) rows: &'a [Row],
    /// Order and filter.
    pub(crate) query: &'a Query,
}

/// A tenant.
#[derive(Clone)]
pub(crate) struct Row {
    /// Identifier.
    pub(crate) tenant: ServiceTenantId,
    /// Name.
    pub(crate) name: String,
    /// Whether it is paused.
    pub(crate) is_paused: bool,
    /// Its newest report.
    pub(crate) latest: Option<ReportSummary>,
}

/// Shows the portfolio.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Overview" },
        about: Some(
            html! { (words::counted(page.rows.len(), "tenant")) " of " (text::name(&page.shell.viewer.organization.name)) },
        ),
        actions: Some(html! {
            a class="button" href={ "/portfolio.csv" (page.query.address(page.query.column(), page.query.direction())) } { "Download CSV" }
        }),
    };
    let content = html! {
        (head.show())
        @if page.rows.is_empty() {
            section class="card" { (empty("No tenants yet", html! {
                p { "Add the tenants that you look after, then import the results of an assessment tool. Each gets a score, a grade and a list of what to fix." }
                a class="button primary" href="/tenants" { "Add a tenant" }
            })) }
        } @else {
            (totals(page))
            (tenants(page))
        }
    };
    page.shell.page(Section::Portfolio, "Overview", content)
}

fn totals(page: &Page<'_>) -> Markup {
    let latest: Vec<_> = page.rows.iter().filter_map(|row| row.latest.as_ref().map(|report| &report.figures)).collect();
    let mean = (!latest.is_empty())
        .then(|| latest.iter().map(|report| usize::from(report.score)).sum::<usize>() / latest.len());
    let drifted: u32 = latest.iter().map(|report| report.controls.drifted).sum();
    let open: u32 = latest.iter().map(|report| report.controls.open).sum();
    let with_drift = latest.iter().filter(|report| report.controls.drifted > 0).count();
    let stale = latest.iter().filter(|report| when::is_stale(report.completed_at, page.shell.now)).count();
    let without = page.rows.len() - latest.len();
    let grades = [Grade::A, Grade::B, Grade::C, Grade::D, Grade::F];
    let grades = grades.map(|grade| (grade, latest.iter().filter(|report| report.grade == grade).count()));
    html! {
        section class="tiles" aria-label="Totals" {
            div class="card tile" {
                p class="tile-label" { "Average score" }
                p class="tile-number" { @match mean { Some(mean) => (mean), None => "–" } }
                p class="tile-note" { "over " (words::counted(latest.len(), "report")) }
            }
            div class="card tile wide" { p class="tile-label" { "Tenants by grade" } (chart::grades(grades)) }
            div class="card tile" {
                p class="tile-label" { "Drifted controls" }
                p class={ "tile-number" @if drifted > 0 { " warn" } } { (words::thousands(drifted.into())) }
                p class="tile-note" { "in " (words::counted(with_drift, "tenant")) }
            }
            div class="card tile" {
                p class="tile-label" { "Open controls" }
                p class="tile-number" { (words::thousands(open.into())) }
                p class="tile-note" { "do not meet best practice" }
            }
            div class="card tile" {
                p class="tile-label" { "Older than a month" }
                p class="tile-number" { (stale) }
                p class="tile-note" { @if without > 0 { (without) " without a report" } @else { "all have a report" } }
            }
        }
    }
}

fn tenants(page: &Page<'_>) -> Markup {
    let rows = arranged(page.rows, page.query);
    let heading = |label, class, column| {
        let sorted = (page.query.column() == column).then_some(page.query.direction());
        let direction = sorted.map_or(column.first_direction(), table::Direction::reversed);
        table::sortable(label, class, &page.query.address(column, direction), sorted)
    };
    html! {
        section class="card flush" aria-labelledby="tenants-heading" {
            div class="card-head" {
                h2 id="tenants-heading" { "Tenants" }
                (search::tenants("/", &page.query.q, html! {
                    (hidden("sort", page.query.column().wire()))
                    (hidden("order", page.query.direction().wire()))
                }))
            }
            @if rows.is_empty() {
                (empty("No tenant has this name", html! { a class="button" href="/" { "Show all tenants" } }))
            } @else {
                (table::framed("Tenants", html! {
                    table class="rows" {
                        thead { tr {
                            (heading("Tenant", "", Column::Name))
                            (heading("Score", "n", Column::Score))
                            (heading("Change", "n", Column::Change))
                            th scope="col" class="wide-only" { "Results" }
                            (heading("Drifted", "n wide-only", Column::Drifted))
                            (heading("Open", "n wide-only", Column::Open))
                            (heading("Last report", "wide-only", Column::Completed))
                        } }
                        tbody id="tenants" { @for row in &rows { (tenant(row, page.shell.now)) } }
                    }
                }))
            }
            p class="away" role="status" id="tenants-count" data-total=(rows.len()) data-noun="tenants" {}
        }
    }
}

fn tenant(row: &Row, now: Timestamp) -> Markup {
    html! {
        tr data-item {
            th scope="row" {
                a href=(link::tenant(&row.tenant)) data-text { (text::name(&row.name)) }
                @if row.is_paused { " " span class="tag" { "Paused" } }
                @if let Some(ReportSummary { figures, .. }) = &row.latest {
                    span class="under narrow-only" { (figures.controls.drifted) " drifted, " (figures.controls.open) " open · " (completed(figures, now)) }
                } @else {
                    span class="under narrow-only" { "No report yet" }
                }
            }
            @match &row.latest {
                Some(ReportSummary { figures, .. }) => {
                    td class="n" { span class="score-cell" { b { (figures.score) } (words::grade_badge(figures.grade)) } }
                    td class="n" { (chart::change(figures.score, figures.previous_score, figures.coverage.as_ref())) }
                    td class="wide-only bar-cell" { (chart::results(&figures.controls)) }
                    td class="n wide-only" { (table::count(figures.controls.drifted)) }
                    td class="n wide-only" { (table::count(figures.controls.open)) }
                    td class="wide-only nowrap" { (completed(figures, now)) }
                }
                None => {
                    td class="n quiet" { "–" }
                    td class="n quiet" { "–" }
                    td class="wide-only quiet" colspan="4" { "No report yet" }
                }
            }
        }
    }
}

fn completed(figures: &ReportFigures, now: Timestamp) -> Markup {
    html! {
        (when::short_date(figures.completed_at))
        @if when::is_stale(figures.completed_at, now) { " " span class="tag warn" { (when::ago(figures.completed_at, now)) } }
    }
}
