//! All tenants at a glance, worst first.

#[cfg(test)]
pub(crate) mod sample;
mod sorting;
mod totals;
mod trend;

use maud::{Markup, html};
use model::{Label, ReportFigures, ServiceTenantId, Timestamp, Week};
use store::{ReportSummary, WeekTrend};
use web::view::form::hidden;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

pub(crate) use self::sorting::{Column, Query, arranged};
pub(crate) use self::trend::WEEKS;
use super::{chart, link, search, table, when, words};

/// All tenants with their newest reports.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All tenants, in any order.
    pub(crate) rows: &'a [Row],
    /// The trend of the last weeks.
    pub(crate) trends: &'a [WeekTrend],
    /// Order and filter.
    pub(crate) query: &'a Query,
    /// Whether archives of PDFs can be made.
    pub(crate) has_archives: bool,
}

/// A tenant.
#[derive(Clone)]
pub(crate) struct Row {
    /// Identifier.
    pub(crate) tenant: ServiceTenantId,
    /// Name.
    pub(crate) name: String,
    /// Labels.
    pub(crate) labels: Vec<Label>,
    /// Whether it is paused.
    pub(crate) is_paused: bool,
    /// Whether a report is missing that was due.
    pub(crate) is_stale: bool,
    /// The newest report of its leading tool.
    pub(crate) latest: Option<ReportSummary>,
    /// Those of its other tools.
    pub(crate) others: Vec<ReportSummary>,
}

/// Shows the portfolio.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let paused = page.rows.iter().filter(|row| row.is_paused).count();
    let stale = page.rows.iter().filter(|row| row.is_stale).count();
    let head = Head {
        above: &[],
        title: html! { "Overview" },
        about: Some(html! {
            span { (words::counted(page.rows.len(), "tenant")) " of " (text::name(&page.shell.viewer.organization.name)) }
            @if paused > 0 { span { (paused) " paused, not in the totals" } }
            @if stale > 0 { span { (stale) " stale: an expected report has not come" } }
        }),
        actions: Some(html! {
            @if page.has_archives { a class="button" href="/documents" { "PDFs of many reports" } }
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
            (totals::shown(page.rows, page.shell.now))
            (tenants(page))
            @if page.rows.iter().any(|row| row.latest.is_some()) { (trend::shown(page.trends, Week::of(page.shell.now))) }
        }
    };
    page.shell.page(Section::Portfolio, "Overview", content)
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
                    (super::tenants::label_choice(page.rows.iter().flat_map(|row| &row.labels), &page.query.label))
                }))
            }
            @if rows.is_empty() {
                (empty("No tenant is found", html! { a class="button" href="/" { "Show all tenants" } }))
            } @else {
                (table::framed("Tenants", html! {
                    table class="rows groups" id="tenants" {
                        thead { tr {
                            (heading("Tenant", "", Column::Name))
                            (heading("Score", "n", Column::Score))
                            (heading("Change", "n", Column::Change))
                            th scope="col" class="wide-only" { "Results" }
                            (heading("Drifted", "n wide-only", Column::Drifted))
                            (heading("Open", "n wide-only", Column::Open))
                            (heading("Last report", "wide-only", Column::Completed))
                        } }
                        @for row in &rows { (tenant(row, page.shell.now)) }
                    }
                }))
            }
            p class="away" role="status" id="tenants-count" data-total=(rows.len()) data-noun="tenants" {}
        }
    }
}

/// Shows a tenant: a row with the report of its leading tool, and one for each other tool.
fn tenant(row: &Row, now: Timestamp) -> Markup {
    html! {
        tbody data-item {
            tr {
                th scope="row" {
                    a href=(link::tenant(&row.tenant)) data-text { (text::name(&row.name)) }
                    @if row.is_paused { " " span class="tag" { "Paused" } }
                    @if row.is_stale { " " span class="tag warn" { "Stale" } }
                    (super::tenants::labels(&row.labels))
                    @match &row.latest {
                        Some(report) => {
                            @if !row.others.is_empty() { span class="under" { (text::name(&report.tool)) } }
                            (figures_below(&report.figures, now))
                        }
                        None => span class="under narrow-only" { "No report yet" }
                    }
                }
                @match &row.latest {
                    Some(report) => (figures(&report.figures, now)),
                    None => {
                        td class="n quiet" { "–" }
                        td class="n quiet" { "–" }
                        td class="wide-only quiet" colspan="4" { "No report yet" }
                    }
                }
            }
            @for report in &row.others {
                tr class="other" {
                    th scope="row" {
                        a href=(link::report(&row.tenant, &report.report_id)) { (text::name(&report.tool)) }
                        span class="away" { " of " (text::name(&row.name)) }
                        (figures_below(&report.figures, now))
                    }
                    (figures(&report.figures, now))
                }
            }
        }
    }
}

/// Shows the cells of a report.
fn figures(figures: &ReportFigures, now: Timestamp) -> Markup {
    html! {
        td class="n" { span class="score-cell" { b { (figures.score) } (words::grade_badge(figures.grade)) } }
        td class="n" { (chart::change(figures.score, figures.previous_score, figures.coverage.as_ref())) }
        td class="wide-only bar-cell" { (chart::results(&figures.controls)) }
        td class="n wide-only" { (table::count(figures.controls.drifted)) }
        td class="n wide-only" { (table::count(figures.controls.open)) }
        td class="wide-only nowrap" { (completed(figures, now)) }
    }
}

/// Shows what a phone has no columns for.
fn figures_below(figures: &ReportFigures, now: Timestamp) -> Markup {
    html! { span class="under narrow-only" { (figures.controls.drifted) " drifted, " (figures.controls.open) " open · " (completed(figures, now)) } }
}

fn completed(figures: &ReportFigures, now: Timestamp) -> Markup {
    html! {
        (when::short_date(figures.completed_at))
        @if when::is_stale(figures.completed_at, now) { " " span class="tag warn" { (when::ago(figures.completed_at, now)) } }
    }
}
