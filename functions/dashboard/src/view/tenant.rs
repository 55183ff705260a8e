//! A tenant: the history of its score, and its reports.

use maud::{Markup, html};
use model::TenantListItem;
use store::{Connection, ReportRequest, ReportSummary};
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::history::{self, Point, Series};
use super::schedule::{self, OfTenant};
use super::{chart, connection, link, report_request, table, tenants, when, words};

/// A tenant and its reports.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenant.
    pub(crate) tenant: &'a TenantListItem,
    /// Its reports, newest first.
    pub(crate) reports: &'a [ReportSummary],
    /// Its last request for a report.
    pub(crate) request: Option<&'a ReportRequest>,
    /// Its schedule.
    pub(crate) schedule: &'a OfTenant,
    /// Its connection.
    pub(crate) connection: Option<&'a Connection>,
    /// The newest report of each of its tools, first that of the leading tool.
    pub(crate) newest: &'a [ReportSummary],
    /// The tool that people chose to lead.
    pub(crate) leading_tool: Option<&'a str>,
    /// The new name in the form.
    pub(crate) typed_name: &'a str,
    /// Its labels in the form that changes them.
    pub(crate) labels: &'a str,
    /// The object ids in the form of emergency access, one on each line.
    pub(crate) emergency_access: &'a str,
    /// Errors of the forms, under `name` and `objects`.
    pub(crate) errors: &'a Errors,
}

/// Returns the chart's lines of a tenant's reports, which are newest first: one for each tool.
pub(crate) fn series(reports: &[ReportSummary]) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for report in reports.iter().rev() {
        let figures = &report.figures;
        let kind = figures.report_type;
        let point = Point { completed: figures.completed_at, score: figures.score.into(), is_joined: true, kind };
        match series.iter_mut().find(|of| of.tool == report.tool) {
            Some(of) => of.points.push(point),
            None => series.push(Series { tool: report.tool.clone(), points: vec![point] }),
        }
    }
    series
}

/// Shows a tenant.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let tenant = page.tenant;
    let address = link::tenant(&tenant.service_tenant_id);
    let newest = page.newest.first();
    let head = Head {
        above: &[("/", html! { "Overview" })],
        title: html! { (text::name(&tenant.name)) @if tenant.is_paused { " " span class="tag" { "Paused" } } },
        about: Some(html! {
            span { (words::counted(page.reports.len(), "report")) }
            span { "onboarded " (when::date(tenant.onboarding_date)) }
            span { code { (tenant.provider_tenant_id) } }
        }),
        actions: Some(html! {
            @if let Some(newest) = newest { a class="button primary" href=(link::report(&tenant.service_tenant_id, &newest.report_id)) { "Open newest report" } }
        }),
    };
    page.shell.page(Section::Portfolio, &tenant.name, html! {
        (head.show())
        (page.errors.summary())
        (report_request::section(page.shell, &address, page.request, page.schedule))
        @if page.reports.is_empty() {
            section class="card" { (empty("No report yet", html! {
                p { "Request a report above, or run an assessment tool against this tenant and " a href="/imports" { "import its results" } ". The first report of a tool is the baseline that later ones compare with." }
            })) }
        } @else {
            section class="card" aria-labelledby="history" { h2 id="history" { "Score over time" } (history::chart(&series(page.reports))) }
            (reports(page, &address))
        }
        (settings(page, &address))
    })
}

fn reports(page: &Page<'_>, address: &str) -> Markup {
    let tenant = &page.tenant.service_tenant_id;
    html! {
        section class="card flush" aria-labelledby="reports" {
            div class="card-head" { h2 id="reports" { "Reports" } a class="button small" href={ (address) "/reports.csv" } { "Download CSV" } }
            (table::framed("Reports", html! {
                table class="rows" {
                    thead { tr {
                        th scope="col" { "Completed" }
                        th scope="col" class="wide-only" { "Tool" }
                        th scope="col" class="wide-only" { "Kind" }
                        th scope="col" class="n" { "Score" }
                        th scope="col" class="n" { "Change" }
                        th scope="col" class="wide-only" { "Results" }
                        th scope="col" class="n wide-only" { "Drifted" }
                        th scope="col" class="n wide-only" { "Open" }
                    } }
                    tbody { @for report in page.reports { @let figures = &report.figures; tr {
                        th scope="row" {
                            a href=(link::report(tenant, &report.report_id)) { (when::minute(figures.completed_at)) }
                            span class="under narrow-only" { (text::name(&report.tool)) " · " (words::report_type(figures.report_type)) }
                        }
                        td class="wide-only" { (text::name(&report.tool)) }
                        td class="wide-only" { (words::report_type(figures.report_type)) }
                        td class="n" { span class="score-cell" { b { (figures.score) } (words::grade_badge(figures.grade)) } }
                        td class="n" { (chart::change(figures.score, figures.previous_score, figures.coverage.as_ref())) }
                        td class="wide-only bar-cell" { (chart::results(&figures.controls)) }
                        td class="n wide-only" { (table::count(figures.controls.drifted)) }
                        td class="n wide-only" { (table::count(figures.controls.open)) }
                    } } }
                }
            }))
        }
    }
}

fn settings(page: &Page<'_>, address: &str) -> Markup {
    let sentence = match page.tenant.is_paused {
        true => "This tenant is paused: it stays in lists, and none of its users are billable.",
        false => "A paused tenant stays in lists, and none of its users are billable.",
    };
    html! {
        section class="card" aria-labelledby="settings" {
            h2 id="settings" { "Manage this tenant" }
            div class="form" {
                (page.shell.form(&format!("{address}/rename"), "with-button", html! {
                    (Field { name: "name", label: "Name", hint: "Reports show the current name.", value: page.typed_name, error: page.errors.of("name") }.input("text", true))
                    button type="submit" class="button" { "Rename" }
                }))
                @if page.newest.len() > 1 || page.leading_tool.is_some() { (leading(page, address)) }
                (page.shell.form(&format!("{address}/labels"), "with-button", html! {
                    (Field { name: "labels", label: "Labels", hint: "Words to filter lists by, separated by commas, such as a region or a contract.", value: page.labels, error: page.errors.of("labels") }.input("text", false))
                    button type="submit" class="button" { "Label" }
                }))
                (emergency_access(page, address))
                (schedule::form_of_tenant(page.shell, address, page.schedule))
                div class="line" { (connection::line(&page.tenant.service_tenant_id, page.connection)) }
                div class="line" { p { (sentence) } (tenants::pause_button(page.shell, page.tenant, "")) }
                div class="line" { p { a href=(link::kept_edits(&page.tenant.service_tenant_id)) { "Kept edits" } " are applied to each later report of this tenant." } }
                div class="line" {
                    p { a href={ "/billable-users/" (page.tenant.service_tenant_id) } { "Billable users" } " of this tenant." }
                    @if page.shell.is_admin() { a class="button" href={ (address) "/remove" } { "Remove tenant…" } }
                }
            }
        }
    }
}

/// Shows the form that declares emergency access.
fn emergency_access(page: &Page<'_>, address: &str) -> Markup {
    let hint = "Object IDs of up to two users and one group, one on each line. Policies may exclude them. Applies to the \
                reports that you request.";
    let error = page.errors.of("objects");
    page.shell.form(
        &format!("{address}/emergency-access"),
        "with-button",
        html! {
            (Field { name: "objects", label: "Emergency access", hint, value: page.emergency_access, error }.area(3))
            button type="submit" class="button" { "Declare" }
        },
    )
}

/// Shows the form that chooses the leading tool.
fn leading(page: &Page<'_>, address: &str) -> Markup {
    let by_rule = [("", "The one that assesses most controls")];
    let tools = page.newest.iter().map(|report| (&*report.tool, &*report.tool));
    let choices: Vec<_> = by_rule.into_iter().chain(tools).collect();
    let value = page.leading_tool.unwrap_or_default();
    let hint = "The overview shows its score, and those of other tools below.";
    page.shell.form(
        &format!("{address}/leading-tool"),
        "with-button",
        html! {
            (Field { name: "tool", label: "Leading tool", hint, value, error: None }.select(&choices))
            button type="submit" class="button" { "Choose" }
        },
    )
}
