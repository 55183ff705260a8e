//! Score, grade, counts and top risks: everything in a report that follows from its checks alone.

use std::cmp::Reverse;

use model::{Check, ControlsRollup, Grade, ReportBody, Severity, Status, TopRisk};

use crate::catalogue::catalogue;

/// How many top risks a report names.
const TOP_RISKS: usize = 5;

/// A run or report without a single assessed control: there is nothing to score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no control was assessed, so there is nothing to report")]
pub struct NothingAssessed;

/// What follows from the checks of a report.
pub(crate) struct Rating {
    pub(crate) score: u8,
    pub(crate) grade: Grade,
    pub(crate) controls: ControlsRollup,
    pub(crate) top_risks: Vec<TopRisk>,
}

impl Rating {
    /// Rates checks that stand in report order.
    pub(crate) fn of(checks: &[Check]) -> Result<Self, NothingAssessed> {
        let score = score(checks).ok_or(NothingAssessed)?;
        Ok(Self { score, grade: grade(score), controls: rollup(checks), top_risks: top_risks(checks) })
    }
}

/// Makes score, grade, counts and top risks follow from the checks again, after an edit of statuses or severities.
///
/// On an error the report is as it was.
pub fn rescore(body: &mut ReportBody) -> Result<(), NothingAssessed> {
    let rating = Rating::of(&body.checks)?;
    body.score = rating.score;
    body.grade = rating.grade;
    body.controls = rating.controls;
    body.top_risks = rating.top_risks;
    Ok(())
}

/// Weight of a severity: how much a control counts in the score, and the impact of its failing.
fn weight(severity: Option<Severity>) -> u32 {
    match severity {
        Some(Severity::Critical) => 4,
        Some(Severity::High) => 3,
        Some(Severity::Medium) => 2,
        Some(Severity::Low) | None => 1,
    }
}

/// 0 to 100, rounded down so that 100 means that all is secure; nothing when no control was assessed.
fn score(checks: &[Check]) -> Option<u8> {
    let total = |counts: fn(Status) -> bool| -> u64 {
        checks.iter().filter(|check| counts(check.status)).map(|check| u64::from(weight(check.severity))).sum()
    };
    let percent = (100 * total(Status::is_secure)).checked_div(total(Status::is_assessed))?;
    u8::try_from(percent).ok()
}

/// The letter for a score.
fn grade(score: u8) -> Grade {
    match score {
        90.. => Grade::A,
        80.. => Grade::B,
        70.. => Grade::C,
        60.. => Grade::D,
        _ => Grade::F,
    }
}

fn rollup(checks: &[Check]) -> ControlsRollup {
    let mut counts = ControlsRollup::default();
    for check in checks {
        *match check.status {
            Status::Secure => &mut counts.secure,
            Status::Fixed => &mut counts.fixed,
            Status::Open => &mut counts.open,
            Status::Drifted => &mut counts.drifted,
            Status::InProgress => &mut counts.in_progress,
            Status::NotAssessed => &mut counts.not_assessed,
        } += 1;
        counts.assessed += u32::from(check.status.is_assessed());
    }
    counts
}

/// The failing checks of highest likelihood x impact. Ties: the severer first, then by status, then report order,
/// which the stable sort keeps.
fn top_risks(checks: &[Check]) -> Vec<TopRisk> {
    let mut failing: Vec<&Check> =
        checks.iter().filter(|check| check.status.is_assessed() && !check.status.is_secure()).collect();
    failing.sort_by_cached_key(|check| Reverse((risk(check), severity_rank(check.severity), urgency(check.status))));
    failing.into_iter().take(TOP_RISKS).map(top_risk).collect()
}

/// Likelihood (1 to 5) x impact (the severity's weight).
fn risk(check: &Check) -> u32 {
    u32::from(catalogue().likelihood(&check.control_id)) * weight(check.severity)
}

/// The weight, except that no severity ranks below the lowest one.
fn severity_rank(severity: Option<Severity>) -> u32 {
    severity.map_or(0, |_| weight(severity))
}

/// A control that got worse comes before one that always failed, and that before one being worked on.
fn urgency(status: Status) -> u8 {
    match status {
        Status::Drifted => 2,
        Status::Open => 1,
        Status::InProgress | Status::Secure | Status::Fixed | Status::NotAssessed => 0,
    }
}

fn top_risk(check: &Check) -> TopRisk {
    TopRisk {
        control_id: check.control_id.clone(),
        name: check.name.clone(),
        status: check.status,
        severity: check.severity,
    }
}
