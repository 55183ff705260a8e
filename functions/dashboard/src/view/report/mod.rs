//! A report: its score, its results, and every check.

mod administrators;
mod checks;
mod pdf;
mod shown;

use maud::{Markup, html};
use model::{Coverage, ReportType, Status, Wire};
use web::view::layout::{Head, Section};
use web::view::text;

pub(crate) use self::pdf::choices as pdf_choices;
pub(crate) use self::shown::{Administrator, Page};
use super::history;
use super::{chart, link, when, words};

/// Shows a report.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let tenant = &page.head.tenant;
    let id = &page.head.id;
    let body = page.body;
    let tenant_link = link::tenant(&tenant.service_tenant_id);
    let report_link = link::report(&tenant.service_tenant_id, id);
    let head = Head {
        above: &[("/", html! { "Overview" }), (&tenant_link, text::name(&tenant.name))],
        title: html! { (text::name(&tenant.name)) ", " span class="nowrap" { (when::date(body.figures.completed_at)) } },
        about: Some(html! {
            span { (words::report_type(body.figures.report_type)) " report" }
            span { (text::name(page.tool)) }
            span { "completed " (when::minute(body.figures.completed_at)) }
            span { "activity of the last " (words::counted(body.figures.activity_lookback_days as usize, "day")) }
        }),
        actions: Some(html! {
            a class="button" href=(link::compare(&tenant.service_tenant_id, id, None)) { "Compare" }
            a class={ "button" @if !page.has_pdf { " primary" } } href={ (report_link) "/checks.csv" } { "Download CSV" }
            @if page.has_pdf { (pdf::form(&report_link)) }
        }),
    };
    // A list of administrators takes the whole width.
    let beside_history = if page.administrators.is_empty() { "span-7" } else { "span-12" };
    let of_people = page.edits.values().filter(|edit| edit.is_of_person()).count();
    let edited = of_people + page.administrators.iter().filter(|of| of.edit.is_some()).count();
    let with_text = page.edits.values().filter(|edit| edit.text.is_some()).count();
    let content = html! {
        (head.show())
        @if edited + with_text > 0 {
            div class="notice remark" {
                span class="notice-mark" aria-hidden="true" { "✎" }
                p {
                    @if edited > 0 {
                        (words::counted(edited, "result")) " of this report " @if edited == 1 { "was" } @else { "were" }
                        " edited by people. The API returns the edited values. "
                    }
                    @if with_text > 0 {
                        (words::counted(with_text, "result")) " of this report " @if with_text == 1 { "has" } @else { "have" }
                        " a text of your organization."
                    }
                }
            }
        }
        @if let Some(lost) = body.figures.coverage.as_ref().and_then(Coverage::in_words) {
            div class="notice problem" { span class="notice-mark" aria-hidden="true" { "!" } p { (lost) } }
        }
        div class="grid" {
            (score(page))
            (risks(page))
            (results(page, &report_link))
            section class={ "card " (beside_history) } aria-labelledby="history" {
                div class="card-head" { h2 id="history" { "Score over time" } a class="small" href=(tenant_link) { "All reports" } }
                (history::chart(page.history))
            }
            (administrators::card(page))
        }
        (checks::card(page, &report_link))
    };
    page.shell.page(
        Section::Portfolio,
        &format!("{}: report of {}", tenant.name, when::plain_date(body.figures.completed_at)),
        content,
    )
}

fn score(page: &Page<'_>) -> Markup {
    let figures = &page.body.figures;
    html! {
        section class="card span-5" aria-labelledby="score" {
            h2 id="score" { "Score" }
            div class="score-card" {
                (chart::ring(figures.score, figures.grade))
                dl class="facts" {
                    @if let Some(previous) = figures.previous_score {
                        div { dt { "Since the baseline" } dd { (chart::change(figures.score, Some(previous), figures.coverage.as_ref())) " points" } }
                        div {
                            dt { "Baseline" }
                            dd {
                                (previous) @if let Some(grade) = figures.previous_grade { ", grade " (words::grade(grade)) }
                                @if let Some(moment) = figures.baseline.as_ref().and_then(|baseline| baseline.completed_at) {
                                    " " span class="quiet" { "on " (when::short_date(moment)) }
                                }
                            }
                        }
                    } @else if figures.report_type == ReportType::Baseline {
                        div { dt { "Baseline" } dd { "This is the first report of this tool" } }
                    }
                    div { dt { "Assessed" } dd { (figures.controls.assessed) " controls" } }
                }
            }
        }
    }
}

fn results(page: &Page<'_>, report_link: &str) -> Markup {
    html! {
        section class="card span-12 big" aria-labelledby="results" {
            h2 id="results" { "Results" }
            (chart::results(&page.body.figures.controls))
            ul class="legend" {
                @for status in words::STATUSES {
                    @let count = page.body.figures.controls.count(status);
                    @let accepted = accepted(page, Some(status));
                    li {
                        a href={ (report_link) "?status=" (Wire(status)) "#checks" } title=(words::status_meaning(status)) {
                            span class={ "dot " (words::status_class(status)) } aria-hidden="true" {}
                            (words::status(status)) " " b { (count) } @if accepted > 0 { ", " (accepted) " of them accepted" }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the number of accepted risks, of all or of those with a status.
fn accepted(page: &Page<'_>, status: Option<Status>) -> usize {
    let accepted = page.body.checks.iter().filter(|check| check.accepted_risk.is_some());
    accepted.filter(|check| status.is_none_or(|status| check.status == status)).count()
}

fn risks(page: &Page<'_>) -> Markup {
    let tenant = &page.head.tenant.service_tenant_id;
    html! {
        section class="card span-7" aria-labelledby="risks" {
            h2 id="risks" { "Top risks" }
            @if page.body.top_risks.is_empty() {
                p class="quiet" { "Nothing is open, drifted or in progress" @if accepted(page, None) > 0 { ", but for accepted risks" } "." }
            }
            ol class="risks" {
                @for risk in &page.body.top_risks {
                    li {
                        a href=(link::check(tenant, &page.head.id, &risk.control_id)) { (text::name(&risk.name)) }
                        (words::pill(risk.status))
                        span class="dots" { (words::severity_badge(risk.severity)) code { (text::visible(risk.control_id.as_str())) } }
                    }
                }
            }
        }
    }
}
