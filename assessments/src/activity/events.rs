//! Events as they are counted: when, how often and of whom, without saying who that is.

use std::collections::{BTreeMap, BTreeSet};

use model::Timestamp;
use sha2::{Digest, Sha256};

use super::measure::Measure;
use super::window::Window;

/// Whom or what an event is about: tells one user, application or mailbox from another and says nothing else of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject(u64);

impl Subject {
    /// Returns the subject of an identifier or a name, in any case.
    pub(crate) fn of(identifier: &str) -> Self {
        let digest = Sha256::digest(identifier.to_lowercase());
        Self(u64::from_le_bytes(std::array::from_fn(|index| digest[index])))
    }
}

/// An entry of a log: which one, when, and about whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// Tells the entry from all others of its log, even if its page occurs more than once.
    pub(crate) id: Subject,
    pub(crate) at: Timestamp,
    pub(crate) subject: Subject,
}

/// Something that an entry shows, `count` times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    entry: Entry,
    count: u32,
}

/// The events of all measures.
#[derive(Default)]
pub(crate) struct Events {
    by_measure: BTreeMap<Measure, BTreeMap<&'static str, Vec<Event>>>,
    /// Measures of which a log would show events if there were any.
    observable: BTreeSet<Measure>,
}

impl Events {
    /// Notes that the log shows events of this kind: without them, "none" is an answer and not a guess.
    pub(crate) fn observable(&mut self, measure: Measure) {
        self.observable.insert(measure);
    }

    /// Adds an event under a label of the measure.
    pub(crate) fn add(&mut self, measure: Measure, label: &'static str, entry: Entry) {
        self.add_many(measure, label, entry, 1);
    }

    /// Adds an event that happened several times under a label of the measure.
    pub(crate) fn add_many(&mut self, measure: Measure, label: &'static str, entry: Entry, count: u32) {
        debug_assert!(measure.labels().contains(&label), "{measure:?} has no label {label:?}");
        self.observable(measure);
        self.by_measure.entry(measure).or_default().entry(label).or_default().push(Event { entry, count });
    }

    /// Removes the events of entries that occurred more than once, once all files are joined.
    pub(crate) fn deduplicate(&mut self) {
        for events in self.by_measure.values_mut().flat_map(BTreeMap::values_mut) {
            events.sort_unstable();
            events.dedup();
        }
    }

    /// Adds the events of another file.
    pub(crate) fn join(&mut self, other: Self) {
        self.observable.extend(other.observable);
        for (measure, labels) in other.by_measure {
            let known = self.by_measure.entry(measure).or_default();
            for (label, events) in labels {
                known.entry(label).or_default().extend(events);
            }
        }
    }

    /// Counts the events of a measure in a window, those of `among` alone if given. Returns `None` if the log would not
    /// show them.
    pub(crate) fn count(&self, measure: Measure, window: Window, among: Option<&BTreeSet<Subject>>) -> Option<Counts> {
        if !self.observable.contains(&measure) {
            return None;
        }
        let mut counts = Counts::default();
        for (label, events) in self.by_measure.get(&measure).into_iter().flatten() {
            let counted = events.iter().filter(|event| window.contains(event.entry.at));
            for Event { entry, count } in
                counted.filter(|event| among.is_none_or(|it| it.contains(&event.entry.subject)))
            {
                let of_label = counts.by_label.entry(label).or_default();
                of_label.events += u64::from(*count);
                of_label.subjects.insert(entry.subject);
                counts.last = counts.last.max(Some(entry.at));
            }
        }
        Some(counts)
    }
}

/// The counts of a measure.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    by_label: BTreeMap<&'static str, LabelCount>,
    /// The newest event.
    pub(crate) last: Option<Timestamp>,
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
