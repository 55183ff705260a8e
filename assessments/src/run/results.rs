//! From the rows of a file to the findings of a run: one per control, completed from the catalogue, without those that
//! no section of a report covers.
//!
//! Rows are folded as they come, so that memory grows with the number of controls, not of rows.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use model::{Check, ControlId, Severity, Status};

use crate::catalogue::{Control, DEFAULT_CATEGORY, Place, RevisedControl, catalogue};
use crate::findings::left_out;
use crate::order::natural;
use crate::run::{Finding, Issue, IssueKind, LeftOut};

/// How many rows of a control are quoted in its state.
const QUOTED_ROWS: usize = 3;

/// Lines of a row's state that are kept. Tools list all that they looked at, in tables of hundreds of rows.
const STATE_LINES: usize = 20;

/// Characters of a line that are kept. Few lines are longer, and those are lists as well.
const LINE_LENGTH: usize = 300;

/// Characters of an unknown result that an issue repeats. The known ones have 12 at most.
const RESULT_LENGTH: usize = 40;

/// One row of a file: the result of a control, for one resource or as a whole.
pub(crate) struct Row<A> {
    pub(crate) control: RevisedControl,
    pub(crate) outcome: Outcome,
    /// What the tool found.
    pub(crate) state: String,
    /// What the tool says about the control, as it stands in the file. Where the rows of a control differ in it, the
    /// greatest stands, so that their order does not matter.
    pub(crate) about: A,
}

/// Result of a row, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Passed,
    NotAssessed,
    InProgress,
    Failed,
}

/// What the tool says about a control, in plain text.
#[derive(Default)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) severity: Option<Severity>,
    /// The tool's own grouping of its controls.
    pub(crate) group: Option<String>,
    /// Why the control matters, where the tool gives a reason.
    pub(crate) why: Option<String>,
    /// What the tool says of the control otherwise. Stands in where neither it nor the catalogue gives a reason.
    pub(crate) description: Option<String>,
    pub(crate) suggested_fix: Option<String>,
}

/// What it means that a control has several rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repetition {
    /// There is one row per resource.
    Resources,
    /// The control is listed more than once, which is reported.
    Duplicates,
}

/// What the rows of a file come to.
#[derive(Default)]
pub(crate) struct Collected {
    /// One per control, in natural order of the ids.
    pub(crate) findings: Vec<Finding>,
    /// In natural order of the ids.
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) issues: Vec<Issue>,
}

/// Takes rows and folds them by control. The worst result stands.
pub(crate) struct Collector<A> {
    controls: BTreeMap<ControlId, Folded<A>>,
    repetition: Repetition,
    unreadable_rows: usize,
    unknown_results: BTreeSet<(ControlId, String)>,
}

impl<A: Ord> Collector<A> {
    pub(crate) fn new(repetition: Repetition) -> Self {
        Self { controls: BTreeMap::new(), repetition, unreadable_rows: 0, unknown_results: BTreeSet::new() }
    }

    pub(crate) fn take(&mut self, row: Row<A>) {
        match self.controls.entry(row.control.control.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(Folded::new(row));
            }
            Entry::Occupied(mut entry) => entry.get_mut().fold(row),
        }
    }

    /// Notes a row that is no result.
    pub(crate) fn note_unreadable(&mut self) {
        self.unreadable_rows += 1;
    }

    /// Notes that the tool reported a result whose meaning is not known.
    pub(crate) fn note_unknown(&mut self, control: &ControlId, result: &str) {
        self.unknown_results.insert((control.clone(), result.chars().take(RESULT_LENGTH).collect()));
    }

    /// What the rows come to. `plain` turns what the tool says about a control into plain text.
    pub(crate) fn finish(self, plain: impl Fn(A) -> About) -> Collected {
        let mut collected = Collected { issues: self.issues(), ..Collected::default() };
        let mut controls: Vec<_> = self.controls.into_iter().collect();
        controls.sort_by(|(a, _), (b, _)| natural(a.as_str(), b.as_str()));
        for (control, folded) in controls {
            if folded.rows() > 1 && self.repetition == Repetition::Duplicates {
                let message = format!("is listed {} times; the worst result stands", folded.rows());
                collected.issues.push(Issue::of_control(IssueKind::DuplicateControl, &control, message));
            }
            let (outcome, state, revision) = (folded.outcome(), folded.state(self.repetition), folded.revision);
            collected.add(control, revision, outcome, state, plain(folded.about));
        }
        let (left_out, issues) = left_out(collected.left_out);
        collected.issues.extend(issues);
        Collected { left_out, ..collected }
    }

    fn issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.unreadable_rows > 0 {
            let message = format!("rows that are no control results were left out: {}", self.unreadable_rows);
            issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
        issues.extend(self.unknown_results.iter().map(|(control, result)| {
            let message = format!("has a result that is not known, {result:?}; imported as not assessed");
            Issue::of_control(IssueKind::UnknownResult, control, message)
        }));
        issues
    }
}

impl Collected {
    /// Adds the result of a control, completed from the catalogue, or leaves the control out.
    fn add(&mut self, control: ControlId, revision: u32, outcome: Outcome, state: String, about: About) {
        let known = catalogue().control(&control);
        let place = catalogue().place(&control, about.group.as_deref());
        let name = name(known, &about.name, &control);
        let category = match place {
            Some(Place::Outside(subject)) => {
                self.left_out.push(LeftOut { control_id: control, name, reason: subject.to_string() });
                return;
            }
            Some(Place::Section(category)) => category,
            None => DEFAULT_CATEGORY,
        };
        let reason = |known: &Control| known.why.clone();
        let fix = |known: &Control| known.suggested_fix.clone();
        let why = about.why.or_else(|| known.and_then(reason)).or(about.description);
        if known.is_none() && (place.is_none() || why.is_none()) {
            self.issues.push(Issue::unknown_control(&control));
        }
        let check = Check {
            category,
            name,
            status: outcome.status(),
            severity: catalogue().severity(&control).or(about.severity),
            current_state: if state.is_empty() { outcome.sentence().to_owned() } else { state },
            previous_state: None,
            why,
            suggested_fix: about.suggested_fix.or_else(|| known.and_then(fix)),
            observed_usage: None,
            control_id: control,
        };
        self.findings.push(Finding { check, revision });
    }
}

/// The name that the catalogue gives the control in any case, that of the file, or the one for want of it.
fn name(known: Option<&Control>, name: &str, control: &ControlId) -> String {
    let told = Some(name).filter(|name| !name.is_empty());
    let always = known.and_then(|known| known.name.as_deref());
    let fallback = known.and_then(|known| known.fallback_name.as_deref());
    always.or(told).or(fallback).unwrap_or(control.as_str()).to_owned()
}

impl Outcome {
    fn status(self) -> Status {
        match self {
            Self::Passed => Status::Secure,
            Self::NotAssessed => Status::NotAssessed,
            Self::InProgress => Status::InProgress,
            Self::Failed => Status::Open,
        }
    }

    /// How many rows have it, in words.
    fn count(self, rows: usize) -> String {
        match self {
            Self::Passed => format!("{rows} passed"),
            Self::NotAssessed => format!("{rows} not assessed"),
            Self::InProgress => format!("{rows} in progress"),
            Self::Failed => format!("{rows} failed"),
        }
    }

    /// What stands as the state where the tool writes nothing.
    fn sentence(self) -> &'static str {
        match self {
            Self::Passed => "The requirement is met.",
            Self::NotAssessed => "The control was not evaluated.",
            Self::InProgress | Self::Failed => "The requirement is not met.",
        }
    }
}

/// The rows of one control.
struct Folded<A> {
    revision: u32,
    about: A,
    results: BTreeMap<Outcome, Quoted>,
}

/// Rows of one outcome.
#[derive(Default)]
struct Quoted {
    rows: usize,
    /// The first few texts in order.
    states: BTreeSet<String>,
}

impl<A: Ord> Folded<A> {
    fn new(row: Row<A>) -> Self {
        let mut folded = Self { revision: row.control.revision, about: row.about, results: BTreeMap::new() };
        folded.count(row.outcome, &row.state);
        folded
    }

    fn fold(&mut self, row: Row<A>) {
        self.count(row.outcome, &row.state);
        if (row.control.revision, &row.about) > (self.revision, &self.about) {
            self.revision = row.control.revision;
            self.about = row.about;
        }
    }

    fn count(&mut self, outcome: Outcome, state: &str) {
        let quoted = self.results.entry(outcome).or_default();
        quoted.rows += 1;
        let state = shortened(state.trim());
        if !state.is_empty() {
            quoted.states.insert(state);
        }
        if quoted.states.len() > QUOTED_ROWS {
            quoted.states.pop_last();
        }
    }

    fn rows(&self) -> usize {
        self.results.values().map(|quoted| quoted.rows).sum()
    }

    /// The worst of the rows.
    fn outcome(&self) -> Outcome {
        self.results.keys().next_back().copied().unwrap_or(Outcome::NotAssessed)
    }

    /// What was found: the text of the only row, or how many rows there are and the first texts of the worst.
    fn state(&self, repetition: Repetition) -> String {
        let Some(worst) = self.results.get(&self.outcome()) else { return String::new() };
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
        let counts = self.results.iter().rev().map(|(outcome, quoted)| outcome.count(quoted.rows));
        format!("{} {noun}: {}.", self.rows(), counts.collect::<Vec<_>>().join(", "))
    }
}

/// The first lines of a text, as far as a report carries them.
fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut kept: Vec<String> = lines.iter().take(STATE_LINES).map(|line| shortened_line(line)).collect();
    if lines.len() > STATE_LINES {
        kept.push(format!("and {} more lines", lines.len() - STATE_LINES));
    }
    kept.join("\n")
}

fn shortened_line(line: &str) -> String {
    let mut characters = line.chars();
    let mut kept: String = characters.by_ref().take(LINE_LENGTH).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}
