//! The findings of log entries. Entries with the same findings share them.

use std::collections::BTreeMap;

use super::measure::Measure;
use super::subject::Subject;

/// Numbers of events by measure, label and, unless it is the entry's own, subject.
pub(super) type Findings = BTreeMap<(Measure, &'static str, Option<Subject>), u32>;

/// The place of findings in their [`FindingTable`].
pub(super) type Index = u32;

/// Findings, each of them once.
#[derive(Default)]
pub(super) struct FindingTable {
    all: Vec<Findings>,
    places: BTreeMap<Findings, Index>,
}

impl FindingTable {
    /// Returns the findings at a place.
    pub(super) fn at(&self, place: Index) -> &Findings {
        &self.all[place as usize]
    }

    /// Returns the place of findings, which are added if they are new.
    pub(super) fn place_of(&mut self, findings: Findings) -> Index {
        if let Some(place) = self.places.get(&findings) {
            return *place;
        }
        let place = Index::try_from(self.all.len()).unwrap_or(Index::MAX);
        self.all.push(findings.clone());
        self.places.insert(findings, place);
        place
    }

    /// Returns the place of what two entries show together: of each event, the greater number.
    pub(super) fn place_of_both(&mut self, one: Index, other: Index) -> Index {
        let mut both = self.at(one).clone();
        for (event, count) in self.at(other) {
            let known = both.entry(*event).or_default();
            *known = (*known).max(*count);
        }
        self.place_of(both)
    }

    /// Adds another table. Returns the new place for each of its places.
    pub(super) fn add(&mut self, other: Self) -> Vec<Index> {
        other.all.into_iter().map(|findings| self.place_of(findings)).collect()
    }
}
