//! The counts of all measures in a window.

use std::collections::{BTreeMap, BTreeSet};

use model::Timestamp;

use super::findings::Findings;
use super::measure::{Measure, NOT_UNDERSTOOD};
use super::subject::Subject;

/// The counts of all measures in a window.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Also of measures without events, if the log would show them.
    counts: BTreeMap<Measure, Counts>,
}

impl Tally {
    /// Begins a tally of a log that would show events of these measures.
    pub(super) fn of(observable: &BTreeSet<Measure>) -> Self {
        Self { counts: observable.iter().map(|measure| (*measure, Counts::default())).collect() }
    }

    /// Adds what an entry shows.
    pub(super) fn add(&mut self, at: Timestamp, subject: Subject, findings: &Findings) {
        for ((measure, label, other), count) in findings {
            if *label == NOT_UNDERSTOOD {
                // Values that the log conceals do not make a measure observable.
                self.counts.entry(*measure).and_modify(|counts| counts.not_understood += 1);
                continue;
            }
            let counts = self.counts.entry(*measure).or_default();
            let of_label = counts.by_label.entry(label).or_default();
            of_label.events += u64::from(*count);
            of_label.subjects.insert(other.unwrap_or(subject));
            counts.last = counts.last.max(Some(at));
        }
    }

    /// Returns the counts of a measure. Returns `None` if the log would not show its events.
    pub(crate) fn counts(&self, measure: Measure) -> Option<&Counts> {
        self.counts.get(&measure)
    }
}

/// The counts of a measure.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    by_label: BTreeMap<&'static str, LabelCount>,
    /// The newest event.
    pub(crate) last: Option<Timestamp>,
    /// Number of values that are not understood.
    pub(crate) not_understood: usize,
}

#[derive(Debug, Default)]
struct LabelCount {
    events: u64,
    subjects: BTreeSet<Subject>,
}

impl Counts {
    /// Returns whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_label.is_empty()
    }

    /// Returns the number of events under a label, or of all.
    pub(crate) fn events(&self, label: Option<&str>) -> u64 {
        self.of(label).map(|count| count.events).sum()
    }

    /// Returns the number of different subjects under a label, or of all.
    pub(crate) fn subjects(&self, label: Option<&str>) -> u64 {
        self.of(label).flat_map(|count| &count.subjects).collect::<BTreeSet<_>>().len() as u64
    }

    /// Returns the labels with their numbers of events, the most frequent first.
    pub(crate) fn labels(&self) -> Vec<(&'static str, u64)> {
        let mut labels: Vec<_> = self.by_label.iter().map(|(label, count)| (*label, count.events)).collect();
        labels.sort_by_key(|(label, events)| (std::cmp::Reverse(*events), *label));
        labels
    }

    fn of(&self, label: Option<&str>) -> impl Iterator<Item = &LabelCount> {
        self.by_label.iter().filter(move |(name, _)| label.is_none_or(|label| label == **name)).map(|(_, count)| count)
    }
}
