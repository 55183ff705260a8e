//! A log: its events, and how much of it the files contain.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use model::Timestamp;

use super::events::{Entry, Events, Shown};
use super::measure::Measure;
use super::speech::Source;
use super::window::Window;
use crate::file::{Extent, RowKey};

/// How much of a window a log may lack at either end before the sentence says so.
const TOLERANCE: TimeDelta = TimeDelta::days(1);

/// A log, combined from its pages.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) events: Events,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Whether the files contain sign-ins that did not need the user.
    non_interactive: bool,
    pub(crate) extent: Extent,
    unreadable: BTreeSet<RowKey>,
}

impl Log {
    /// Adds an entry and what it shows.
    pub(crate) fn take(&mut self, entry: Entry, shown: Shown) {
        self.reaches(entry.at);
        self.events.add(entry, shown);
    }

    /// Notes a malformed entry.
    pub(crate) fn note_unreadable(&mut self, key: RowKey) {
        self.unreadable.insert(key);
    }

    /// Notes that the log has sign-ins that did not need the user.
    pub(crate) fn has_non_interactive(&mut self) {
        self.non_interactive = true;
    }

    /// Adds the pages of another file.
    pub(crate) fn join(&mut self, other: Self) {
        self.events.join(other.events);
        other.first.into_iter().chain(other.last).for_each(|at| self.reaches(at));
        self.non_interactive |= other.non_interactive;
        self.extent.join(other.extent);
        self.unreadable.extend(other.unreadable);
    }

    /// Returns whether the files contain some pages of the log, but not all.
    pub(crate) fn is_partial(&self) -> bool {
        self.extent.is_known() && !self.extent.is_whole(self.rows() + self.unreadable.len())
    }

    /// Whether the log has neither entries nor malformed ones.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows() == 0 && self.unreadable.is_empty()
    }

    /// Returns the number of different entries, once they are [deduplicated](Events::deduplicate).
    pub(crate) fn rows(&self) -> usize {
        self.events.len()
    }

    /// Returns the number of different malformed entries.
    pub(crate) fn unreadable(&self) -> usize {
        self.unreadable.len()
    }

    /// Returns which part of a window the log does not cover.
    pub(crate) fn gap(&self, window: Window, source: Source) -> Option<Gap> {
        let (first, last) = (self.first?, self.last?);
        let late = window.start.is_none_or(|start| first.to_datetime() - start.to_datetime() > TOLERANCE);
        let early = window.end.to_datetime() - last.to_datetime() > TOLERANCE;
        if late || early {
            Some(Gap::CoversOnly(first, last))
        } else if self.is_partial() {
            Some(Gap::PartMissing)
        } else {
            (source == Source::SignIns && !self.non_interactive).then_some(Gap::InteractiveOnly)
        }
    }

    /// Notes that the log covers the time from `start` to `end`, whether or not anything happened in it.
    pub(crate) fn covers(&mut self, start: Timestamp, end: Timestamp) {
        self.reaches(start);
        self.reaches(end);
    }

    fn reaches(&mut self, at: Timestamp) {
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
    }
}

/// The part of a window that a log does not cover.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gap {
    CoversOnly(Timestamp, Timestamp),
    PartMissing,
    /// Sign-ins that did not need the user are missing.
    InteractiveOnly,
}

impl Gap {
    /// Says what is not covered, unless it does not matter to a measure.
    pub(crate) fn words(self, measure: Measure) -> Option<String> {
        match self {
            Self::CoversOnly(first, last) => Some(format!("The log covers only {} to {}.", first.date(), last.date())),
            Self::PartMissing => Some("Part of the log is missing.".to_owned()),
            Self::InteractiveOnly if matches!(measure, Measure::Factors | Measure::MethodStrength) => None,
            Self::InteractiveOnly => Some("The log has interactive sign-ins only.".to_owned()),
        }
    }
}
