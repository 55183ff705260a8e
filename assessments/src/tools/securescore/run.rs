//! The latest score of a tenant becomes a run.

use std::collections::BTreeSet;

use model::{ControlId, Severity};

use super::Profiles;
use super::number::Number;
use super::profile::{Mark, Profile};
use super::score::{ControlScore, Score};
use crate::catalogue::RevisedControl;
use crate::collector::{About, Collector, Outcome, Repetition, Row};
use crate::header::Header;
use crate::run::{Issue, IssueKind, Run, Tool};
use crate::wording::reason;

/// The control whose count is the number of top-privilege administrators.
const ADMINISTRATORS: &str = "OneAdmin";

/// All points.
const FULL: Number = Number::of(100);

impl Score {
    /// The run of the score, with what the tenant's profiles say about its controls.
    pub(super) fn into_run(self, profiles: &Profiles) -> Run {
        let header = self.header();
        let missing = profiles.missing(&self);
        let mut collector = Collector::new(Repetition::Duplicates);
        for control in self.control_scores {
            match control {
                Some(control) => {
                    let row = control.into_row(profiles, &mut collector);
                    collector.take(row);
                }
                None => collector.note_unreadable(),
            }
        }
        let mut run = header.into_run(Tool::SecureScore, collector.finish(Said::into_about));
        run.issues.extend(missing);
        run
    }

    fn header(&self) -> Header {
        let administrators = self.control_scores.iter().flatten().find(|it| it.control_name.as_str() == ADMINISTRATORS);
        Header {
            tenant: self.tenant().map(str::to_owned),
            // The tool notes one moment, the day that the score is of.
            started: self.time(),
            completed: self.time(),
            run_id: Some(self.id.clone()),
            administrators: administrators.and_then(|control| control.count?.to_count()),
            ..Header::default()
        }
    }
}

impl Profiles {
    /// What the profiles lack of what a score has.
    fn missing(&self, score: &Score) -> Vec<Issue> {
        let issue = |kind, message: String| Issue::of_file(kind, message);
        if !self.extent.is_known() {
            let message = "no file holds the secureScoreControlProfiles of the tenant: titles, fixes and severities are \
                           those of the catalogue, and marks such as ignored or planned are not known";
            return vec![issue(IssueKind::CounterpartMissing, message.to_owned())];
        }
        let mut issues = Vec::new();
        if !self.extent.is_whole(self.by_control.len()) {
            let message = "the list of secureScoreControlProfiles is not whole: a page of it is not among the files";
            issues.push(issue(IssueKind::PageMissing, message.to_owned()));
        }
        let controls = score.control_scores.iter().flatten().map(|control| &control.control_name);
        let missing: BTreeSet<&str> =
            controls.clone().map(ControlId::as_str).filter(|control| !self.by_control.contains_key(*control)).collect();
        if !missing.is_empty() {
            let (count, ids) = (missing.len(), Vec::from_iter(missing).join(", "));
            let message = format!("controls without a profile were imported with what the score says; {count}: {ids}");
            issues.push(issue(IssueKind::ProfileMissing, message));
        }
        issues.extend(controls.filter(|control| self.mark(control) == Mark::Unknown).map(|control| {
            let message = "is marked with a word that is not known; the points decide";
            Issue::of_control(IssueKind::UnknownMark, control, message)
        }));
        issues
    }

    fn mark(&self, control: &ControlId) -> Mark {
        self.by_control.get(control.as_str()).map_or(Mark::Unmarked, Profile::mark)
    }
}

/// What score and profile say about a control, in plain text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Said {
    title: Option<String>,
    points: Option<Number>,
    group: String,
    threats: Option<String>,
    description: Option<String>,
    remediation: Option<String>,
}

impl ControlScore {
    fn into_row(self, profiles: &Profiles, collector: &mut Collector<Said>) -> Row<Said> {
        let profile = profiles.by_control.get(self.control_name.as_str());
        let mark = profiles.mark(&self.control_name);
        let points = profile.and_then(|profile| profile.max_score).or_else(|| self.implied_max());
        let percent = self.percent(points);
        if percent.is_none() && !mark.decides_alone() {
            collector.note_unknown(&self.control_name, "");
        }
        Row {
            outcome: outcome(mark, percent),
            state: self.state(mark, points),
            about: self.said(profile, points),
            control: RevisedControl { control: self.control_name, revision: 1 },
        }
    }

    /// What the tool found, or else the points; then the mark, where it decides the result.
    fn state(&self, mark: Mark, points: Option<Number>) -> String {
        let found = self.status().or_else(|| self.points(points));
        let mark = match mark {
            Mark::Ignored => Some("Marked as ignored."),
            Mark::ThirdParty => Some("Marked as met by a third party."),
            Mark::Planned => Some("Marked as planned."),
            Mark::Unmarked | Mark::Unknown => None,
        };
        found.into_iter().chain(mark.map(str::to_owned)).collect::<Vec<_>>().join("\n")
    }

    fn points(&self, max: Option<Number>) -> Option<String> {
        let score = self.score?;
        Some(max.map_or_else(|| format!("Scored {score} points."), |max| format!("Scored {score} of {max} points.")))
    }

    fn said(&self, profile: Option<&Profile>, points: Option<Number>) -> Said {
        let category = self.control_category.as_deref().unwrap_or_default();
        let service = profile.and_then(|profile| profile.service.as_deref()).unwrap_or_default();
        Said {
            title: profile.and_then(Profile::title),
            points,
            group: format!("SecureScore/{category}/{service}"),
            threats: profile.and_then(Profile::threats),
            description: self.description(),
            remediation: profile.and_then(Profile::remediation),
        }
    }
}

impl Said {
    fn into_about(self) -> About {
        About {
            name: self.title.unwrap_or_default(),
            severity: self.points.map(severity),
            group: Some(self.group),
            why: self.threats,
            description: self.description.map(|text| reason(&text.replace('\n', " "))),
            suggested_fix: self.remediation,
        }
    }
}

/// The mark decides before the points do: the tool gives all points to what a third party is said to meet.
fn outcome(mark: Mark, percent: Option<Number>) -> Outcome {
    match percent {
        _ if mark.decides_alone() => Outcome::NotAssessed,
        None => Outcome::NotAssessed,
        Some(percent) if percent >= FULL => Outcome::Passed,
        Some(_) if mark == Mark::Planned => Outcome::InProgress,
        Some(_) => Outcome::Failed,
    }
}

/// The tool weighs a control by its points, 1 to 10. Its tiers and ranks do not tell controls apart: nearly all are
/// of tier "Core", and most have the same rank.
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
