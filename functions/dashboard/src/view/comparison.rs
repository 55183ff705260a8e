//! Two reports of one tool beside each other.

use maud::{Markup, html};
use model::{Check, Differences, ReportBody, ReportHead, ReportId};
use store::ReportSummary;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::{chart, link, when, words};

/// A comparison, or the choice of what to compare with.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The report.
    pub(crate) head: &'a ReportHead,
    /// Its body.
    pub(crate) body: &'a ReportBody,
    /// Name of its tool.
    pub(crate) tool: &'a str,
    /// Other reports of the same tenant and tool, newest first.
    pub(crate) others: &'a [ReportSummary],
    /// The other report, where one is chosen.
    pub(crate) with: Option<(&'a ReportId, &'a ReportBody)>,
}

/// Shows the comparison.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let (tenant, id) = (&page.head.tenant, &page.head.id);
    let (tenant_link, report_link) =
        (link::tenant(&tenant.service_tenant_id), link::report(&tenant.service_tenant_id, id));
    let head = Head {
        above: &[
            ("/", html! { "Overview" }),
            (&tenant_link, text::name(&tenant.name)),
            (&report_link, html! { "Report" }),
        ],
        title: html! { "Compare reports" },
        about: Some(html! { span { (text::name(&tenant.name)) } span { (text::name(page.tool)) } }),
        actions: None,
    };
    page.shell.page(Section::Portfolio, "Compare reports", html! {
        (head.show())
        section class="card" aria-labelledby="choose" {
            h2 id="choose" { "Compare the report of " (when::minute(page.body.figures.completed_at)) " with" }
            @if page.others.is_empty() {
                p class="quiet" { "This tenant has no other report of " (text::name(page.tool)) ". Reports of different tools do not compare." }
            } @else {
                form method="get" action=(link::compare(&tenant.service_tenant_id, id, None)) class="filters" {
                    label class="grow" { "Other report"
                        select name="with" { @for other in page.others {
                            option value=(other.report_id) selected[page.with.is_some_and(|(with, _)| *with == other.report_id)] {
                                (when::plain_date(other.figures.completed_at)) ", score " (other.figures.score) " (" (words::grade(other.figures.grade)) ")"
                            }
                        } }
                    }
                    button type="submit" class="button primary" { "Compare" }
                }
            }
        }
        @if let Some((_, with)) = page.with { (comparison(page, with)) }
    })
}

fn comparison(page: &Page<'_>, with: &ReportBody) -> Markup {
    let (older, newer) =
        if with.figures.completed_at <= page.body.figures.completed_at { (with, page.body) } else { (page.body, with) };
    let found = Differences::between(older, newer);
    let coverage = found.coverage();
    html! {
        div class="grid" {
            @for (label, figures) in [("Older", &older.figures), ("Newer", &newer.figures)] {
                section class="card span-6" aria-label={ (label) " report" } {
                    h2 { (label) " · " (when::date(figures.completed_at)) }
                    div class="score-card" {
                        (chart::ring(figures.score, figures.grade))
                        div class="grow big" { (chart::results(&figures.controls)) p class="quiet" {
                            (figures.controls.secure + figures.controls.fixed) " secure or fixed, " (figures.controls.open + figures.controls.drifted + figures.controls.in_progress) " to do, " (figures.controls.not_assessed) " not assessed"
                        } }
                    }
                }
            }
        }
        @if let Some(lost) = coverage.in_words() {
            div class="notice problem" { span class="notice-mark" aria-hidden="true" { "!" } p { (lost) } }
        }
        section class="tiles" aria-label="Differences in numbers" {
            (tile("Score", html! { (chart::change(newer.figures.score, Some(older.figures.score), Some(&coverage))) }))
            (tile("Regressed", html! { (found.regressed.len()) }))
            (tile("Fixed", html! { (found.fixed.len()) }))
            (tile("New", html! { (found.new.len()) }))
            (tile("Gone", html! { (found.gone.len()) }))
        }
        @if found.is_empty() {
            section class="card" { (empty("Nothing differs", html! { p { "All " (words::counted(found.same.len(), "control")) " have the same result in both reports." } })) }
        }
        (pairs("regressed", "Regressed", "Met best practice in the older report, but not in the newer one.", &found.regressed))
        (pairs("fixed", "Fixed", "Did not meet best practice in the older report, but do in the newer one.", &found.fixed))
        (pairs("changed", "Other changes", "Other changes of the status, such as a fix that is under way.", &found.changed))
        (singles("new", "New", "Only in the newer report.", &found.new))
        (singles("gone", "Gone", "Only in the older report.", &found.gone))
    }
}

fn tile(label: &str, number: Markup) -> Markup {
    html! { div class="card tile" { p class="tile-label" { (label) } p class="tile-number" { (number) } } }
}

fn pairs(id: &str, title: &str, about: &str, pairs: &[(&Check, &Check)]) -> Markup {
    list(
        id,
        title,
        about,
        pairs.len(),
        html! {
            @for (then, now) in pairs { li {
                (subject(now))
                span class="from-to" { (words::pill(then.status)) span aria-hidden="true" { "→" } span class="away" { "then" } (words::pill(now.status)) }
                @if then.current_state != now.current_state {
                    p class="was" { del { (text::prose(&then.current_state)) } " " ins { (text::prose(&now.current_state)) } }
                }
            } }
        },
    )
}

fn singles(id: &str, title: &str, about: &str, checks: &[&Check]) -> Markup {
    list(
        id,
        title,
        about,
        checks.len(),
        html! {
            @for check in checks { li { (subject(check)) span class="from-to" { (words::pill(check.status)) } } }
        },
    )
}

fn subject(check: &Check) -> Markup {
    html! { div { span class="check-name" { (text::name(&check.name)) } span class="under dots" { (words::severity_badge(check.severity)) code { (text::visible(check.control_id.as_str())) } } } }
}

fn list(id: &str, title: &str, about: &str, count: usize, items: Markup) -> Markup {
    html! {
        @if count > 0 {
            section class="card flush" aria-labelledby=(id) {
                div class="card-head" { h2 id=(id) { (title) " " span class="quiet" { (count) } } p class="quiet small" { (about) } }
                ul class="lines differences" { (items) }
            }
        }
    }
}
