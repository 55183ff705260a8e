//! What the template shows besides the fields of the report: the brand, the history, the checks in the order of a
//! reader, and texts in the length that a page has room for.

use std::collections::BTreeMap;

use assessments::score_and_grade;
use model::{Category, Check, ControlId, Grade, PostureReport, Severity, Status, TopRisk};
use operations::documents::{Document, Kind, Paper, Point};
use serde::Serialize;
use store::Assignment;

use crate::LOGO;
use crate::glossary::{self, Term};
use crate::prose::{self, Part};
use crate::text::clean;

/// Longest reason on the summary, in characters.
const REASON: usize = 190;
/// Longest text of a top risk, in characters; the whole text is with its check.
const RISK: usize = 600;
/// Most terms that a board's document explains: as many as have room on its last page.
const FEW_TERMS: usize = 8;

/// The data of a document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct View {
    brand: BrandView,
    kind: Kind,
    /// Size of the pages, under the typesetter's name.
    paper: &'static str,
    tool: String,
    foreword: Vec<String>,
    history: Vec<PointView>,
    sections: Vec<Section>,
    risks: Vec<Risk>,
    /// Number of accepted risks.
    accepted: usize,
    administrators: Administrators,
    terms: Vec<Term>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BrandView {
    name: String,
    accent: String,
    footer: String,
    logo: Option<&'static str>,
    logo_ratio: f64,
}

#[derive(Serialize)]
struct PointView {
    completed: String,
    score: u8,
    /// Its place in time, from 0 for the first report to 1 for the last.
    at: f64,
}

/// The checks of a section: those to act on first, most severe first, then accepted risks and those that are secure.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Section {
    category: Category,
    score: Option<u8>,
    grade: Option<Grade>,
    /// The statuses of its checks.
    statuses: Vec<Status>,
    assessed: Vec<CheckView>,
    not_assessed: Vec<CheckView>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CheckView {
    control_id: String,
    name: String,
    status: Status,
    severity: Option<Severity>,
    now: Vec<Part>,
    before: Vec<Part>,
    why: Vec<Part>,
    fix: Vec<Part>,
    observed: Vec<Part>,
    /// Why the risk is accepted.
    accepted: Vec<Part>,
    /// Day on which the acceptance ends.
    accepted_until: Option<String>,
    /// The person responsible for it, and the day.
    task: Vec<Part>,
    references: Option<String>,
    /// Length of all texts, in bytes.
    length: usize,
}

/// A top risk in the words of its check.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Risk {
    now: Option<String>,
    why: Option<String>,
    fix: Option<String>,
    reason: Option<String>,
    /// What to do, in one sentence.
    step: String,
}

/// Numbers of the administrators; null if they are not known.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Administrators {
    count: Option<u32>,
    previous_count: Option<u32>,
    strong_mfa_count: Option<u32>,
}

impl View {
    pub(crate) fn of(report: &PostureReport, document: &Document) -> Self {
        let review = &report.body.global_admins;
        let kind = document.choice.kind;
        Self {
            brand: BrandView::of(document),
            kind,
            paper: match document.choice.paper {
                Paper::A4 => "a4",
                Paper::Letter => "us-letter",
            },
            tool: clean(&document.tool),
            foreword: document.choice.foreword.as_str().lines().map(clean).collect(),
            history: points(&document.history),
            sections: sections(&report.body.checks, document),
            risks: risks(report),
            accepted: report.body.checks.iter().filter(|check| check.accepted_risk.is_some()).count(),
            administrators: Administrators {
                count: review.known_count(),
                previous_count: review.known_previous_count(),
                strong_mfa_count: review.known_strong_mfa_count(),
            },
            terms: terms(report, kind),
        }
    }
}

impl BrandView {
    fn of(Document { brand, .. }: &Document) -> Self {
        let logo = brand.logo.as_ref();
        Self {
            name: clean(&brand.name),
            accent: brand.accent.to_string(),
            footer: clean(&brand.footer),
            logo: logo.map(|_| LOGO),
            logo_ratio: logo.map_or(1.0, |logo| f64::from(logo.width) / f64::from(logo.height.max(1))),
        }
    }
}

fn points(history: &[Point]) -> Vec<PointView> {
    let seconds = |point: &Point| point.completed.to_datetime().timestamp() as f64;
    let (first, last) = (history.first().map_or(0.0, seconds), history.last().map_or(0.0, seconds));
    let at = |point: &Point| if last > first { (seconds(point) - first) / (last - first) } else { 1.0 };
    let view = |point: &Point| PointView { completed: point.completed.into(), score: point.score, at: at(point) };
    history.iter().map(view).collect()
}

fn sections(checks: &[Check], document: &Document) -> Vec<Section> {
    checks
        .chunk_by(|a, b| a.category == b.category)
        .map(|section| Section::of(section, document.choice.kind, &document.tasks))
        .collect()
}

impl Section {
    fn of(checks: &[Check], kind: Kind, tasks: &BTreeMap<ControlId, Assignment>) -> Self {
        let rating = score_and_grade(checks);
        let shown = |wanted: fn(Status) -> bool| -> Vec<_> {
            let mut shown: Vec<_> =
                checks.iter().filter(|check| wanted(check.status) && is_shown(check, kind)).collect();
            shown.sort_by_key(|check| (!check.needs_action(), !check.status.is_failing(), urgency(check.severity)));
            shown.into_iter().map(|check| CheckView::of(check, tasks.get(&check.control_id))).collect()
        };
        Self {
            category: checks[0].category,
            score: rating.map(|(score, _)| score),
            grade: rating.map(|(_, grade)| grade),
            statuses: checks.iter().map(|check| shown_status(check.status)).collect(),
            assessed: shown(Status::is_assessed),
            not_assessed: shown(|status| !status.is_assessed()),
        }
    }
}

/// Returns whether a document of this kind shows the check by itself.
fn is_shown(check: &Check, kind: Kind) -> bool {
    match kind {
        Kind::Everything => true,
        Kind::Open => check.status.is_failing(),
        Kind::Board => false,
    }
}

/// Returns the status under which a check is counted: a value of a later release counts as not assessed.
fn shown_status(status: Status) -> Status {
    if status.is_assessed() { status } else { Status::NotAssessed }
}

/// Returns the place of a severity among others, most severe first.
fn urgency(severity: Option<Severity>) -> u8 {
    match severity {
        Some(Severity::Critical) => 0,
        Some(Severity::High) => 1,
        Some(Severity::Medium) => 2,
        Some(Severity::Low) => 3,
        Some(Severity::Unknown) | None => 4,
    }
}

impl CheckView {
    fn of(check: &Check, task: Option<&Assignment>) -> Self {
        let task = task.filter(|_| check.status.is_failing()).map(assigned);
        let parts = |text: &Option<String>| text.as_deref().map_or(Vec::new(), prose::parts);
        let references: Vec<_> = check.references.iter().map(ToString::to_string).collect();
        Self {
            control_id: clean(check.control_id.as_str()),
            name: clean(&check.name),
            status: check.status,
            severity: check.severity,
            now: prose::parts(&check.current_state),
            before: parts(&check.previous_state),
            why: parts(&check.why),
            fix: parts(&check.suggested_fix),
            observed: parts(&check.observed_usage),
            accepted: check.accepted_risk.as_ref().map_or(Vec::new(), |risk| prose::parts(&risk.reason)),
            accepted_until: check.accepted_risk.as_ref().map(|risk| risk.until.to_string()),
            references: (!references.is_empty()).then(|| clean(&references.join("; "))),
            length: texts(check).chain(task.as_deref()).map(str::len).sum(),
            task: task.as_deref().map_or(Vec::new(), prose::parts),
        }
    }
}

/// Returns who does something, by when, and a note.
fn assigned(Assignment { owner, due, note }: &Assignment) -> String {
    let due = due.map(|due| format!("due {due}"));
    let who: Vec<_> = [owner.clone(), due].into_iter().flatten().collect();
    [Some(who.join(", ")).filter(|who| !who.is_empty()), note.clone()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(": ")
}

/// Returns all texts of a check.
fn texts(check: &Check) -> impl Iterator<Item = &str> {
    let optional = [&check.previous_state, &check.why, &check.suggested_fix, &check.observed_usage];
    let accepted = check.accepted_risk.as_ref().map(|risk| risk.reason.as_str());
    let optional = optional.into_iter().flatten().map(String::as_str).chain(accepted);
    [check.name.as_str(), check.current_state.as_str()].into_iter().chain(optional)
}

/// Returns the report's top risks in the words of their checks.
fn risks(report: &PostureReport) -> Vec<Risk> {
    let risk = |risk: &TopRisk| {
        let check = report.body.checks.iter().find(|check| check.control_id == risk.control_id);
        let why = check.and_then(|check| check.why.as_deref());
        let fix = check.and_then(|check| check.suggested_fix.as_deref());
        let lead = |text: &str, limit| clean(&prose::lead(text, limit));
        Risk {
            now: check.map(|check| lead(&prose::opening(&check.current_state), RISK)),
            why: why.map(|why| lead(why, RISK)),
            fix: fix.map(|fix| lead(fix, RISK)),
            reason: why.map(|why| lead(why, REASON)),
            step: clean(&fix.and_then(prose::instruction).unwrap_or_else(|| prose::lead(&risk.name, REASON))),
        }
    };
    report.body.top_risks.iter().map(risk).collect()
}

/// Returns the terms that the document uses.
fn terms(report: &PostureReport, kind: Kind) -> Vec<Term> {
    let checks = &report.body.checks;
    let is_risk = |check: &Check| report.body.top_risks.iter().any(|risk| risk.control_id == check.control_id);
    let shown = checks.iter().filter(|check| is_shown(check, kind) || is_risk(check));
    glossary::used_in(shown.flat_map(texts), if kind == Kind::Board { FEW_TERMS } else { usize::MAX })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_section_shows_first_what_needs_action_and_a_kind_what_it_is_for() {
        let checks: Vec<Check> = [
            ("a", "SECURE", json!("CRITICAL")),
            ("b", "OPEN", json!(null)),
            ("c", "NOT_ASSESSED", json!("HIGH")),
            ("d", "IN_PROGRESS", json!("LOW")),
            ("e", "FIXED", json!("MEDIUM")),
            ("f", "DRIFTED", json!("CRITICAL")),
            ("g", "OPEN", json!("CRITICAL")),
        ]
        .map(|(id, status, severity)| {
            serde_json::from_value(json!({
                "controlId": id, "category": "EXCHANGE", "name": "", "status": status, "severity": severity,
                "currentState": "", "previousState": null, "why": null, "suggestedFix": null, "observedUsage": null,
                "acceptedRisk": (id == "g").then(|| json!({ "reason": "", "until": "2027-01-01" })),
            }))
            .unwrap()
        })
        .into();
        let ids = |checks: &[CheckView]| checks.iter().map(|check| check.control_id.as_str()).collect::<String>();
        for (kind, assessed, not_assessed) in
            [(Kind::Everything, "fdbgae", "c"), (Kind::Open, "fdbg", ""), (Kind::Board, "", "")]
        {
            let section = Section::of(&checks, kind, &BTreeMap::new());
            assert_eq!((ids(&section.assessed), ids(&section.not_assessed)), (assessed.into(), not_assessed.into()));
            // Critical and medium of three critical, a medium and two of the lowest weight: an accepted risk counts.
            assert_eq!((section.score, section.grade, section.statuses.len()), (Some(37), Some(Grade::F), 7));
        }
    }
}
