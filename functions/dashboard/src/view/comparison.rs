//! Two reports of one tool beside each other.

use std::collections::HashMap;

use maud::{Markup, html};
use model::{Check, ControlId, Grade, ReportBody, ReportHead, ReportId, Timestamp};

use super::layout::{Head, Section, Shell, empty};
use super::{chart, link, text, when, words};

/// A comparison, or the choice of what to compare with.
pub struct Page<'a> {
    /// The frame.
    pub shell: &'a Shell,
    /// The report.
    pub head: &'a ReportHead,
    /// Its body.
    pub body: &'a ReportBody,
    /// Name of its tool.
    pub tool: &'a str,
    /// Other reports of the same tenant and tool, newest first.
    pub others: &'a [Other],
    /// The other report, where one is chosen.
    pub with: Option<(&'a ReportId, &'a ReportBody)>,
}

/// A report that can be compared with.
#[derive(Clone)]
pub struct Other {
    /// Identifier.
    pub id: ReportId,
    /// Completion.
    pub completed: Timestamp,
    /// Score.
    pub score: u8,
    /// Grade.
    pub grade: Grade,
}

/// What differs between two reports; each list is in the order of the sections.
#[derive(Debug, Default)]
pub struct Differences<'a> {
    /// Met best practice in the older report, and do not in the newer.
    pub regressed: Vec<(&'a Check, &'a Check)>,
    /// Did not meet best practice in the older report, and do in the newer.
    pub fixed: Vec<(&'a Check, &'a Check)>,
    /// Changed their status otherwise.
    pub changed: Vec<(&'a Check, &'a Check)>,
    /// Are in the newer report alone.
    pub new: Vec<&'a Check>,
    /// Are in the older report alone.
    pub gone: Vec<&'a Check>,
    /// Number of controls with the same status.
    pub same: usize,
}

/// Compares two reports of one tool, the older first.
pub fn differences<'a>(older: &'a ReportBody, newer: &'a ReportBody) -> Differences<'a> {
    let mut before: HashMap<&ControlId, &Check> = older.checks.iter().map(|check| (&check.control_id, check)).collect();
    let mut found = Differences::default();
    for now in &newer.checks {
        let Some(then) = before.remove(&now.control_id) else {
            found.new.push(now);
            continue;
        };
        let assessed = then.status.is_assessed() && now.status.is_assessed();
        match (then.status.is_secure(), now.status.is_secure()) {
            (true, false) if assessed => found.regressed.push((then, now)),
            (false, true) if assessed => found.fixed.push((then, now)),
            _ if then.status == now.status || (then.status.is_secure() && now.status.is_secure()) => found.same += 1,
            _ => found.changed.push((then, now)),
        }
    }
    found.gone = older.checks.iter().filter(|check| before.contains_key(&check.control_id)).collect();
    found
}

/// Shows the comparison.
pub fn page(page: &Page<'_>) -> Markup {
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
            h2 id="choose" { "Compare the report of " (when::date(page.body.completed_at)) " with" }
            @if page.others.is_empty() {
                p class="quiet" { "This tenant has no other report of " (text::name(page.tool)) ". Reports of different tools do not compare." }
            } @else {
                form method="get" action=(link::compare(&tenant.service_tenant_id, id, None)) class="filters" {
                    label class="grow" { "Other report"
                        select name="with" { @for other in page.others {
                            option value=(other.id) selected[page.with.is_some_and(|(with, _)| *with == other.id)] {
                                (when::plain_date(other.completed)) ", score " (other.score) " (" (words::grade(other.grade)) ")"
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
        if with.completed_at <= page.body.completed_at { (with, page.body) } else { (page.body, with) };
    let found = differences(older, newer);
    let nothing = found.regressed.is_empty()
        && found.fixed.is_empty()
        && found.changed.is_empty()
        && found.new.is_empty()
        && found.gone.is_empty();
    html! {
        div class="grid" {
            @for (label, report) in [("Older", older), ("Newer", newer)] {
                section class="card span-6" aria-label={ (label) " report" } {
                    h2 { (label) " · " (when::date(report.completed_at)) }
                    div class="score-card" {
                        (chart::ring(report.score, report.grade))
                        div class="grow big" { (chart::results(&report.controls)) p class="quiet" {
                            (report.controls.secure + report.controls.fixed) " secure or fixed, " (report.controls.open + report.controls.drifted + report.controls.in_progress) " to do, " (report.controls.not_assessed) " not assessed"
                        } }
                    }
                }
            }
        }
        section class="tiles" aria-label="Differences in numbers" {
            (tile("Score", html! { (chart::change(newer.score, Some(older.score))) }))
            (tile("Regressed", html! { (found.regressed.len()) }))
            (tile("Fixed", html! { (found.fixed.len()) }))
            (tile("New", html! { (found.new.len()) }))
            (tile("Gone", html! { (found.gone.len()) }))
        }
        @if nothing {
            section class="card" { (empty("Nothing differs", html! { p { "All " (words::counted(found.same, "control")) " have the same result in both reports." } })) }
        }
        (pairs("regressed", "Regressed", "Met best practice in the older report, but not in the newer one.", &found.regressed))
        (pairs("fixed", "Fixed", "Did not meet best practice before and do now.", &found.fixed))
        (pairs("changed", "Other changes", "The status differs, such as a fix that is under way.", &found.changed))
        (singles("new", "New", "In the newer report alone.", &found.new))
        (singles("gone", "Gone", "In the older report alone.", &found.gone))
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
    html! { div { span class="check-name" { (text::name(&check.name)) } span class="under dots" { (words::severity_mark(check.severity)) code { (text::visible(check.control_id.as_str())) } } } }
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

#[cfg(test)]
mod tests {
    use model::Status;
    use serde_json::json;

    use super::*;

    fn report(statuses: &[(&str, Status)]) -> ReportBody {
        let checks: Vec<_> = statuses.iter().map(|(id, status)| json!({
            "controlId": id, "category": "ACCOUNTS", "name": id, "status": status, "severity": null, "currentState": "",
            "previousState": null, "why": null, "suggestedFix": null, "observedUsage": null,
        })).collect();
        serde_json::from_value(json!({
            "reportType": "BASELINE", "baseline": null, "createdAt": "2026-01-01T00:00:00Z", "completedAt": "2026-01-01T00:00:00Z",
            "activityLookbackDays": 30, "score": 50, "grade": "F", "previousScore": null, "previousGrade": null,
            "controls": { "assessed": 0, "secure": 0, "fixed": 0, "inProgress": 0, "open": 0, "drifted": 0, "notAssessed": 0 },
            "globalAdmins": { "count": 0, "previousCount": null, "bestPracticeMax": 4, "strongMfaCount": 0, "dataComplete": false, "admins": [] },
            "topRisks": [], "checks": checks,
        })).unwrap()
    }

    #[test]
    fn each_control_is_in_one_list() {
        use Status::{Drifted, Fixed, InProgress, NotAssessed, Open, Secure};
        let older =
            report(&[("a", Secure), ("b", Open), ("c", Open), ("d", Secure), ("e", Open), ("f", Secure), ("g", Open)]);
        let newer = report(&[
            ("a", Drifted),
            ("b", Fixed),
            ("c", InProgress),
            ("d", Fixed),
            ("f", NotAssessed),
            ("g", Open),
            ("h", Open),
        ]);
        let found = differences(&older, &newer);
        let names = |pairs: &[(&Check, &Check)]| pairs.iter().map(|(_, now)| now.name.as_str()).collect::<String>();
        assert_eq!(names(&found.regressed), "a");
        assert_eq!(names(&found.fixed), "b");
        assert_eq!(names(&found.changed), "cf");
        assert_eq!(found.new.iter().map(|check| check.name.as_str()).collect::<String>(), "h");
        assert_eq!(found.gone.iter().map(|check| check.name.as_str()).collect::<String>(), "e");
        assert_eq!(found.same, 2);
    }
}
