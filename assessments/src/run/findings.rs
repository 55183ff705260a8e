//! The findings of a run: results completed from the catalogue, without the controls that fit no section of a report.

use std::collections::BTreeMap;

use model::{Check, ControlId, without_hidden};

use super::control_result::{Description, Outcome};
use super::issue::{Issue, IssueKind};
use super::types::{Finding, LeftOut};
use crate::catalogue::{Control, DEFAULT_CATEGORY, Placement, catalogue, references};

/// Findings, the controls that are left out, and issues.
#[derive(Default)]
pub(super) struct Findings {
    /// One per control, in the order in which they were added.
    pub(super) findings: Vec<Finding>,
    /// Controls that fit no section, in the order in which they were added.
    pub(super) left_out: Vec<LeftOut>,
    pub(super) issues: Vec<Issue>,
}

impl Findings {
    pub(super) fn with_issues(issues: Vec<Issue>) -> Self {
        Self { issues, ..Self::default() }
    }

    /// Adds the result of a control, completed from the catalogue, or leaves the control out.
    pub(super) fn add(
        &mut self,
        control: ControlId,
        revision: u32,
        outcome: Outcome,
        state: String,
        description: Description,
    ) {
        let known = catalogue().control(&control);
        let place = catalogue().place(&control, description.group.as_deref());
        let name = without_hidden(name(known, &description.name, &control));
        let category = match place {
            Some(Placement::Outside(subject)) => {
                self.left_out.push(LeftOut { control_id: control, name, reason: subject.to_string() });
                return;
            }
            Some(Placement::Section(category)) => category,
            None => DEFAULT_CATEGORY,
        };
        let reason = |known: &Control| known.why.clone();
        let fix = |known: &Control| known.suggested_fix.clone();
        let why = description.why.or_else(|| known.and_then(reason)).or(description.summary);
        if known.is_none() && (place.is_none() || why.is_none()) {
            self.issues.push(unknown_control(&control));
        }
        let check = Check {
            category,
            name,
            status: outcome.status(),
            severity: catalogue().severity(&control).or(description.severity),
            current_state: if state.is_empty() { outcome.sentence().to_owned() } else { without_hidden(state) },
            previous_state: None,
            why: why.map(without_hidden),
            suggested_fix: description.suggested_fix.or_else(|| known.and_then(fix)).map(without_hidden),
            observed_usage: None,
            references: references(&control),
            accepted_risk: None,
            proposed_risk: description.proposed_risk,
            control_id: control,
        };
        self.findings.push(Finding { check, revision, reason: outcome.reason() });
    }

    /// Adds an issue per subject that names the controls left out.
    pub(super) fn report_left_out(&mut self) {
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for control in &self.left_out {
            by_reason.entry(&control.reason).or_default().push(control.control_id.as_str());
        }
        self.issues.extend(by_reason.into_iter().map(|(reason, ids)| {
            let count = ids.len();
            let ids = ids.join(", ");
            let message = format!("controls about {reason} fit no section of a report; left out {count}: {ids}");
            Issue::of_file(IssueKind::OutOfScope, message)
        }));
    }
}

/// Returns the catalogue's name of a control, else the file's, else the catalogue's fallback, else the id.
fn name(known: Option<&Control>, in_file: &str, control: &ControlId) -> String {
    let in_file = Some(in_file).filter(|name| !name.is_empty());
    let always = known.and_then(|known| known.name.as_deref());
    let fallback = known.and_then(|known| known.fallback_name.as_deref());
    always.or(in_file).or(fallback).unwrap_or(control.as_str()).to_owned()
}

/// Returns the issue of a control that neither the catalogue nor the file describes sufficiently.
fn unknown_control(control: &ControlId) -> Issue {
    let message = "is not in the catalogue; imported with the category of its family and the texts of the file";
    Issue::of_control(IssueKind::UnknownControl, control, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(id: &str, reason: &str) -> LeftOut {
        LeftOut { control_id: id.parse().unwrap(), name: format!("Name of {id}"), reason: reason.to_owned() }
    }

    #[test]
    fn controls_left_out_are_named_and_counted_by_subject() {
        let controls = vec![left_out("a", "networks"), left_out("b.9", "devices"), left_out("b.10", "devices")];
        let mut findings = Findings { left_out: controls, ..Findings::default() };
        findings.report_left_out();
        let messages: Vec<_> = findings.issues.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "controls about devices fit no section of a report; left out 2: b.9, b.10",
                "controls about networks fit no section of a report; left out 1: a",
            ]
        );
        assert!(findings.issues.iter().all(|issue| issue.kind == IssueKind::OutOfScope));
    }
}
