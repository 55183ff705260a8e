//! The run of a tenant's latest score.

use model::{NotAssessedReason, Severity};

use super::number::Number;
use super::profile::{Decision, Profile};
use super::profiles::Profiles;
use super::score::{ControlScore, Score};
use crate::catalogue::RevisedControl;
use crate::run::{ControlResult, ControlResults, Describe, Description, Outcome, Repetition, Run, RunFacts, Tool};
use crate::text::reason;

/// The control whose count is the number of top-privilege administrators.
const ADMINISTRATORS: &str = "OneAdmin";

/// All points.
const FULL: Number = Number::of(100);

/// Returns the run of a score, with the texts and decisions of the tenant's profiles.
pub(super) fn run_of(score: Score, profiles: &Profiles) -> Run {
    let facts = facts(&score);
    let missing = profiles.issues(&score);
    let mut results = ControlResults::new(Repetition::Duplicates);
    for control in score.control_scores {
        results.take(control.map(|control| result(control, profiles)));
    }
    let mut run = facts.into_run(Tool::SecureScore, results);
    // These come first: without a decision, the points of a third party count.
    run.issues.splice(0..0, missing);
    run.add_lost_rows(0);
    run
}

fn facts(score: &Score) -> RunFacts {
    let administrators = score.control_scores.iter().flatten().find(|it| it.control_name.as_str() == ADMINISTRATORS);
    RunFacts {
        tenant: score.tenant().map(str::to_owned),
        // The file contains one time only, the day of the score.
        started: score.time(),
        completed: score.time(),
        time_problem: score.read_time().err(),
        run_id: Some(score.id.clone()),
        administrators: administrators.and_then(|control| control.count?.to_count()),
        ..RunFacts::default()
    }
}

/// The texts of score and profile about a control, which the tool calls an improvement action.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ImprovementAction {
    title: Option<String>,
    points: Option<Number>,
    group: String,
    threats: Option<String>,
    description: Option<String>,
    remediation: Option<String>,
}

fn result(control: ControlScore, profiles: &Profiles) -> ControlResult<ImprovementAction> {
    let profile = profiles.of(&control.control_name);
    let decision = profiles.decision(&control.control_name);
    let points = profile.and_then(|profile| profile.max_score).or_else(|| control.implied_max());
    ControlResult {
        outcome: outcome(decision, control.percent(points)).ok_or_else(String::new),
        state: state(&control, decision, points),
        texts: texts(&control, profile, points),
        damaged: control.damaged(),
        control: RevisedControl { control: control.control_name, revision: 1 },
    }
}

/// Returns the outcome. The decision takes precedence over the points, because the tool awards all points to a control that
/// a third party is said to meet. Returns `None` if neither of them decides.
fn outcome(decision: Decision, percent: Option<Number>) -> Option<Outcome> {
    if decision.decides_alone() {
        return Some(Outcome::NotAssessed(NotAssessedReason::Ignored));
    }
    let percent = percent.filter(|_| decision != Decision::Unreadable)?;
    Some(match decision {
        _ if percent >= FULL => Outcome::Passed,
        Decision::Planned => Outcome::InProgress,
        _ => Outcome::Failed,
    })
}

/// Returns the state that the tool found, else the points; then the decision, if it decides the result.
fn state(control: &ControlScore, decision: Decision, points: Option<Number>) -> String {
    let found = control.status().or_else(|| points_in_words(control, points));
    let decision = match decision {
        Decision::Ignored => Some("Marked as ignored."),
        Decision::ThirdParty => Some("Marked as met by a third party."),
        Decision::Planned => Some("Marked as planned."),
        Decision::None | Decision::Unknown | Decision::Unreadable => None,
    };
    found.into_iter().chain(decision.map(str::to_owned)).collect::<Vec<_>>().join("\n")
}

fn points_in_words(control: &ControlScore, max: Option<Number>) -> Option<String> {
    let score = control.score?;
    Some(max.map_or_else(|| format!("Scored {score} points."), |max| format!("Scored {score} of {max} points.")))
}

fn texts(control: &ControlScore, profile: Option<&Profile>, points: Option<Number>) -> ImprovementAction {
    let category = control.control_category.text().unwrap_or_default();
    let service = profile.and_then(|profile| profile.service.text()).unwrap_or_default();
    ImprovementAction {
        title: profile.and_then(Profile::title),
        points,
        group: format!("SecureScore/{category}/{service}"),
        threats: profile.and_then(Profile::threats),
        description: control.description(),
        remediation: profile.and_then(Profile::remediation),
    }
}

impl Describe for ImprovementAction {
    fn describe(self) -> Description {
        Description {
            proposed_risk: None,
            name: self.title.unwrap_or_default(),
            severity: self.points.map(severity),
            group: Some(self.group),
            why: self.threats,
            summary: self.description.map(|text| reason(&text.replace('\n', " "))),
            suggested_fix: self.remediation,
        }
    }
}

/// Returns the severity of a control. The tool weighs a control by its points, 1 to 10; its tiers and ranks do not
/// distinguish controls: nearly all are of tier "Core", and most have the same rank.
fn severity(points: Number) -> Severity {
    if points >= Number::of(9) {
        Severity::Critical
    } else if points >= Number::of(6) {
        Severity::High
    } else if points >= Number::of(3) {
        Severity::Medium
    } else {
        Severity::Low
    }
}
