//! Events as they are counted: when, how often and of whom, without saying who that is.
//!
//! A log has millions of rows, so a row takes 40 bytes, whatever it shows. Rows are kept until all files are known,
//! because a row can be in several of them, and because the window ends with a run that may be read last.

use std::collections::{BTreeMap, BTreeSet};

use model::Timestamp;

use super::findings::{FindingTable, Findings, Index};
use super::measure::{Measure, NOT_UNDERSTOOD};
use super::subject::Subject;
use super::tally::Tally;
use super::window::Window;
use crate::file::RowKey;

/// An entry of a log: which one, when, and about whom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Distinguishes the entry from all others of its log, even if several files contain it.
    pub(crate) key: RowKey,
    pub(crate) at: Timestamp,
    pub(crate) subject: Subject,
}

/// The findings of one entry.
#[derive(Debug, Default)]
pub(crate) struct EntryFindings {
    events: Findings,
    /// Measures of which the entry would show events if there were any.
    observable: BTreeSet<Measure>,
}

impl EntryFindings {
    /// Notes that the entry shows events of this kind: without them, "none" is an answer and not a guess.
    pub(crate) fn observable(&mut self, measure: Measure) {
        self.observable.insert(measure);
    }

    /// Adds an event under a label of the measure.
    pub(crate) fn add(&mut self, measure: Measure, label: &'static str) {
        self.add_many(measure, label, 1);
    }

    /// Adds an event that happened several times under a label of the measure.
    pub(crate) fn add_many(&mut self, measure: Measure, label: &'static str, count: u32) {
        self.insert(measure, label, None, count);
    }

    /// Adds an event about a subject other than the entry's.
    pub(crate) fn add_about(&mut self, measure: Measure, label: &'static str, subject: Subject) {
        self.insert(measure, label, Some(subject), 1);
    }

    /// Leaves out what the entry shows of other measures.
    pub(crate) fn keep_only(&mut self, measures: &[Measure]) {
        self.events.retain(|(measure, ..), _| measures.contains(measure));
        self.observable.retain(|measure| measures.contains(measure));
    }

    /// Notes a value that is not understood. It can be an event of this kind, and proves nothing.
    pub(crate) fn not_understood(&mut self, measure: Measure) {
        self.observable(measure);
        self.conceals(measure);
    }

    /// Notes a value that the log conceals.
    pub(crate) fn conceals(&mut self, measure: Measure) {
        self.events.insert((measure, NOT_UNDERSTOOD, None), 1);
    }

    fn insert(&mut self, measure: Measure, label: &'static str, subject: Option<Subject>, count: u32) {
        debug_assert!(measure.labels().contains(&label), "{measure:?} has no label {label:?}");
        self.observable(measure);
        self.events.insert((measure, label, subject), count);
    }
}

/// An entry as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    key: RowKey,
    at: Timestamp,
    subject: Subject,
    /// Place of its findings: most entries of a log show the same as others.
    findings: Index,
}

/// The entries of a log or report, and what they show.
#[derive(Default)]
pub(crate) struct Events {
    rows: Vec<Row>,
    findings: FindingTable,
    observable: BTreeSet<Measure>,
}

impl Events {
    /// Notes that events of this kind would be among the entries if there were any.
    pub(crate) fn observable(&mut self, measure: Measure) {
        self.observable.insert(measure);
    }

    /// Adds an entry.
    pub(crate) fn add(&mut self, entry: Entry, shown: EntryFindings) {
        let Entry { key, at, subject } = entry;
        self.observable.extend(shown.observable);
        let findings = self.findings.place_of(shown.events);
        self.rows.push(Row { key, at, subject, findings });
    }

    /// Adds the entries of another file.
    pub(crate) fn join(&mut self, other: Self) {
        self.observable.extend(other.observable);
        let places = self.findings.add(other.findings);
        let rows = other.rows.into_iter().map(|row| Row { findings: places[row.findings as usize], ..row });
        self.rows.extend(rows);
    }

    /// Merges entries that occur more than once, once all files are joined.
    pub(crate) fn deduplicate(&mut self) {
        self.rows.sort_unstable();
        let findings = &mut self.findings;
        self.rows.dedup_by(|row, kept| {
            let repeated = row.key == kept.key;
            if repeated && row.findings != kept.findings {
                kept.findings = findings.place_of_both(row.findings, kept.findings);
            }
            repeated
        });
    }

    /// Returns the number of entries; of different ones, once they are [deduplicated](Self::deduplicate).
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Counts the events of all measures in a window, those of `among` alone if given.
    pub(crate) fn tally(&self, window: Window, among: Option<&BTreeSet<Subject>>) -> Tally {
        let mut tally = Tally::of(&self.observable);
        for row in self.within(window) {
            if among.is_none_or(|subjects| subjects.contains(&row.subject)) {
                tally.add(row.at, row.subject, self.findings.at(row.findings));
            }
        }
        tally
    }

    /// Counts the events of each of these subjects in a window.
    pub(crate) fn tallies(&self, window: Window, subjects: &BTreeSet<Subject>) -> BTreeMap<Subject, Tally> {
        let mut tallies: BTreeMap<Subject, Tally> = BTreeMap::new();
        for row in self.within(window).filter(|row| subjects.contains(&row.subject)) {
            tallies.entry(row.subject).or_default().add(row.at, row.subject, self.findings.at(row.findings));
        }
        tallies
    }

    /// Returns the times of the first and the last entry.
    pub(crate) fn span(&self) -> Option<(Timestamp, Timestamp)> {
        let times = || self.rows.iter().map(|row| row.at);
        times().min().zip(times().max())
    }

    /// Removes the entries after a moment, and returns their keys.
    pub(crate) fn remove_after(&mut self, moment: Timestamp) -> Vec<RowKey> {
        self.rows.extract_if(.., |row| row.at > moment).map(|row| row.key).collect()
    }

    fn within(&self, window: Window) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| window.contains(row.at))
    }
}
