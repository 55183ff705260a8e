//! Score, grade, counts and top risks: everything in a report that follows from its controls alone.

use std::cmp::Reverse;

use model::{Check, ControlsRollup, Grade, ReportBody, Severity, Status, TopRisk};

use crate::catalogue::catalogue;

/// Number of top risks in a report.
const TOP_RISKS: usize = 5;

/// A report has no assessed control, so there is no score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no control is assessed, so there is no score")]
pub struct NothingAssessed;

/// Everything that follows from the controls of a report.
pub(crate) struct Rating {
    pub(crate) score: u8,
    pub(crate) grade: Grade,
    pub(crate) controls: ControlsRollup,
    pub(crate) top_risks: Vec<TopRisk>,
}

impl Rating {
    /// Rates controls, which have to be in report order.
    pub(crate) fn of(checks: &[Check]) -> Result<Self, NothingAssessed> {
        let (score, grade) = score_and_grade(checks).ok_or(NothingAssessed)?;
        Ok(Self { score, grade, controls: ControlsRollup::of(checks), top_risks: top_risks(checks) })
    }
}

/// Updates score, grade, counts and top risks after an edit of statuses or severities.
///
/// # Errors
/// Returns [`NothingAssessed`] if no control is assessed. The report is then unchanged.
pub fn rescore(body: &mut ReportBody) -> Result<(), NothingAssessed> {
    let rating = Rating::of(&body.checks)?;
    body.figures.score = rating.score;
    body.figures.grade = rating.grade;
    body.figures.controls = rating.controls;
    body.top_risks = rating.top_risks;
    Ok(())
}

/// Returns the score and grade of some controls, such as a section of a report. Returns `None` if none is assessed.
pub fn score_and_grade(checks: &[Check]) -> Option<(u8, Grade)> {
    score(checks).map(|score| (score, grade(score)))
}

/// Returns the weight of a severity, which is the control's share in the score and its impact as a risk.
fn weight(severity: Option<Severity>) -> u32 {
    match severity {
        Some(Severity::Critical) => 4,
        Some(Severity::High) => 3,
        Some(Severity::Medium) => 2,
        Some(Severity::Low | Severity::Unknown) | None => 1,
    }
}

/// Returns the score, 0 to 100, rounded down so that 100 means that everything is secure. Returns `None` if no control
/// is assessed.
fn score(checks: &[Check]) -> Option<u8> {
    let total = |counts: fn(Status) -> bool| -> u64 {
        checks.iter().filter(|check| counts(check.status)).map(|check| u64::from(weight(check.severity))).sum()
    };
    let percent = (100 * total(Status::is_secure)).checked_div(total(Status::is_assessed))?;
    u8::try_from(percent).ok()
}

/// Returns the grade for a score.
fn grade(score: u8) -> Grade {
    match score {
        90.. => Grade::A,
        80.. => Grade::B,
        70.. => Grade::C,
        60.. => Grade::D,
        _ => Grade::F,
    }
}

/// Returns the failing controls of highest likelihood x impact, without accepted risks. Ties are ordered by severity,
/// then by status, then in report order, which the stable sort keeps.
fn top_risks(checks: &[Check]) -> Vec<TopRisk> {
    let mut failing: Vec<&Check> = checks.iter().filter(|check| check.needs_action()).collect();
    failing.sort_by_cached_key(|check| Reverse((risk(check), severity_rank(check.severity), urgency(check.status))));
    failing.into_iter().take(TOP_RISKS).map(top_risk).collect()
}

/// Returns likelihood (1 to 5) x impact (the severity's weight).
fn risk(check: &Check) -> u32 {
    u32::from(catalogue().likelihood(&check.control_id)) * weight(check.severity)
}

/// Returns the rank of a severity. Having no severity ranks below the lowest severity.
fn severity_rank(severity: Option<Severity>) -> u32 {
    severity.map_or(0, |_| weight(severity))
}

/// Ranks a control that got worse before one that always failed, and that before one in progress.
fn urgency(status: Status) -> u8 {
    match status {
        Status::Drifted => 2,
        Status::Open => 1,
        Status::InProgress | Status::Secure | Status::Fixed | Status::NotAssessed | Status::Unknown => 0,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grade_begins_at_every_ten_points_from_60() {
        for (scores, letter) in
            [(90..=100, Grade::A), (80..=89, Grade::B), (70..=79, Grade::C), (60..=69, Grade::D), (0..=59, Grade::F)]
        {
            for score in scores {
                assert_eq!(grade(score), letter, "{score}");
            }
        }
    }

    #[test]
    fn a_risk_is_likelihood_times_weight() {
        for (control, severity, expected) in [
            ("MS.AAD.1.1", Some(Severity::Critical), 20),
            ("MS.AAD.2.1", Some(Severity::High), 12),
            ("MS.AAD.6.1", None, 2),
        ] {
            let check = serde_json::from_value(serde_json::json!({
                "controlId": control, "category": "ACCOUNTS", "name": "", "status": "OPEN", "severity": severity,
                "currentState": "", "previousState": null, "why": null, "suggestedFix": null, "observedUsage": null,
            }));
            assert_eq!(risk(&check.unwrap()), expected, "{control}");
        }
    }

    #[test]
    fn a_control_without_severity_ranks_below_the_lowest_severity() {
        let severities =
            [None, Some(Severity::Low), Some(Severity::Medium), Some(Severity::High), Some(Severity::Critical)];
        assert_eq!(severities.map(severity_rank), [0, 1, 2, 3, 4]);
    }
}
