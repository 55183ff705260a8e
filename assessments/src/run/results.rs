//! The rows of a file, folded by control as they are read, so that memory grows with the number of controls, not rows.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use model::{ControlId, NotAssessedReason, counted};

use super::control_result::{ControlResult, Describe, Outcome};
use super::findings::Findings;
use super::issue::{Issue, IssueKind};
use super::types::RowCount;
use crate::natural_order::natural;
use crate::text::shorten;

/// Number of rows of a control that are quoted in its state.
const QUOTED_ROWS: usize = 3;

/// Characters of an unknown result that an issue repeats. Known results have 12 at most.
const WORD_LENGTH: usize = 40;

/// Meaning of several rows for one control.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// There is one row per resource.
    Resources,
    /// The control is listed more than once, which is an issue.
    Duplicates,
}

/// The results of a file, folded by control. The worst result of a control counts.
pub(crate) struct ControlResults<T> {
    controls: BTreeMap<ControlId, FoldedRows<T>>,
    repetition: Repetition,
    rows: RowCount,
    unreadable_rows: usize,
    unknown_words: BTreeSet<(ControlId, String)>,
    /// Number of rows by their damaged fields.
    damaged_fields: BTreeMap<&'static str, usize>,
}

impl<T: Describe> ControlResults<T> {
    pub(crate) fn new(repetition: Repetition) -> Self {
        Self {
            controls: BTreeMap::new(),
            repetition,
            rows: RowCount::default(),
            unreadable_rows: 0,
            unknown_words: BTreeSet::new(),
            damaged_fields: BTreeMap::new(),
        }
    }

    /// Counts rows that are lost and that another issue reports.
    pub(crate) fn count_lost(&mut self, rows: usize) {
        self.rows.total += rows;
        self.rows.lost += rows;
    }

    /// Returns the number of rows, and how many of them are lost.
    pub(super) fn rows(&self) -> RowCount {
        self.rows
    }

    /// Takes a row, or counts one that is malformed.
    pub(crate) fn take(&mut self, row: Option<ControlResult<T>>) {
        let Some(ControlResult { control, outcome, state, texts, damaged }) = row else {
            self.unreadable_rows += 1;
            self.count_lost(1);
            return;
        };
        self.rows.total += 1;
        if let Err(word) = &outcome {
            self.rows.lost += 1;
            self.rows.not_understood += usize::from(!word.is_empty());
        }
        damaged.into_iter().for_each(|field| *self.damaged_fields.entry(field).or_default() += 1);
        let outcome = outcome.unwrap_or_else(|word| {
            self.unknown_words.insert((control.control.clone(), word.chars().take(WORD_LENGTH).collect()));
            Outcome::NotAssessed(NotAssessedReason::NotUnderstood)
        });
        let folded = match self.controls.entry(control.control) {
            Entry::Vacant(entry) => entry.insert(FoldedRows::new(control.revision, texts)),
            Entry::Occupied(entry) => {
                let folded = entry.into_mut();
                folded.keep_greater(control.revision, texts);
                folded
            }
        };
        folded.count(outcome, &state);
    }

    /// Returns the findings, completed from the catalogue, in natural order of the control ids.
    pub(super) fn finish(self) -> Findings {
        let mut findings = Findings::with_issues(self.issues());
        let mut controls: Vec<_> = self.controls.into_iter().collect();
        controls.sort_by(|(a, _), (b, _)| natural(a.as_str(), b.as_str()));
        for (control, folded) in controls {
            if folded.rows() > 1 && self.repetition == Repetition::Duplicates {
                let message = format!("is listed {} times; the worst result counts", folded.rows());
                findings.issues.push(Issue::of_control(IssueKind::DuplicateControl, &control, message));
            }
            let outcome = folded.outcome();
            let state = folded.state(self.repetition);
            let revision = folded.revision;
            findings.add(control, revision, outcome, state, folded.texts.describe());
        }
        findings.report_left_out();
        findings
    }

    fn issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.unreadable_rows > 0 {
            let message = format!("skipped rows that are not control results: {}", self.unreadable_rows);
            issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
        issues.extend(self.damaged_fields.iter().map(|(field, rows)| {
            let message = format!(
                "the field {field} is damaged in {} and was left out there; if PowerShell wrote the file, export it \
                 again with a greater -Depth",
                counted(*rows, "row")
            );
            Issue::of_file(IssueKind::UnreadableField, message)
        }));
        issues.extend(self.unknown_words.iter().map(|(control, word)| {
            let message = match word.as_str() {
                "" => "has no readable result; imported as not assessed".to_owned(),
                word => format!("has the unknown result {word:?}; imported as not assessed"),
            };
            Issue::of_control(IssueKind::UnknownResult, control, message)
        }));
        issues
    }
}

/// The rows of one control.
struct FoldedRows<T> {
    revision: u32,
    texts: T,
    by_outcome: BTreeMap<Outcome, CountedRows>,
    /// The gravest reason why a row was not assessed.
    reason: Option<NotAssessedReason>,
}

/// Rows of one outcome.
#[derive(Default)]
struct CountedRows {
    rows: usize,
    /// The first few states in alphabetical order.
    states: BTreeSet<String>,
}

impl<T: Ord> FoldedRows<T> {
    fn new(revision: u32, texts: T) -> Self {
        Self { revision, texts, by_outcome: BTreeMap::new(), reason: None }
    }

    fn keep_greater(&mut self, revision: u32, texts: T) {
        if (revision, &texts) > (self.revision, &self.texts) {
            self.revision = revision;
            self.texts = texts;
        }
    }

    fn count(&mut self, outcome: Outcome, state: &str) {
        self.reason = self.reason.max(outcome.reason());
        let counted = self.by_outcome.entry(outcome.without_reason()).or_default();
        counted.rows += 1;
        let state = shorten(state.trim());
        if !state.is_empty() {
            counted.states.insert(state);
        }
        if counted.states.len() > QUOTED_ROWS {
            counted.states.pop_last();
        }
    }

    fn rows(&self) -> usize {
        self.by_outcome.values().map(|counted| counted.rows).sum()
    }

    /// Returns the worst outcome of the rows.
    fn outcome(&self) -> Outcome {
        let reason = self.reason.unwrap_or(NotAssessedReason::Missing);
        match self.by_outcome.keys().next_back() {
            None | Some(Outcome::NotAssessed(_)) => Outcome::NotAssessed(reason),
            Some(outcome) => *outcome,
        }
    }

    /// Returns the state of the only row, or the number of rows and the first states of the worst outcome.
    fn state(&self, repetition: Repetition) -> String {
        let Some(worst) = self.by_outcome.get(&self.outcome().without_reason()) else { return String::new() };
        let quoted = worst.states.iter().cloned();
        if self.rows() == 1 {
            return quoted.collect();
        }
        let mut lines = vec![self.summary(repetition)];
        lines.extend(quoted);
        let more = worst.rows - worst.states.len();
        if more > 0 && !worst.states.is_empty() {
            lines.push(format!("and {more} more"));
        }
        lines.join("\n")
    }

    fn summary(&self, repetition: Repetition) -> String {
        let noun = if repetition == Repetition::Resources { "resources" } else { "results" };
        let counts = self.by_outcome.iter().rev().map(|(outcome, counted)| outcome.count(counted.rows));
        format!("{} {noun}: {}.", self.rows(), counts.collect::<Vec<_>>().join(", "))
    }
}
