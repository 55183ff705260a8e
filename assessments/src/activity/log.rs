//! A log: its events, and how much of it the files contain.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use model::Timestamp;

use super::events::Events;
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
    rows: BTreeSet<RowKey>,
    unreadable: BTreeSet<RowKey>,
}

impl Log {
    /// Notes an entry. Returns whether it is new: a page can occur more than once.
    pub(crate) fn note(&mut self, key: RowKey, at: Timestamp) -> bool {
        self.reaches(at);
        self.rows.insert(key)
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
        self.rows.extend(other.rows);
        self.unreadable.extend(other.unreadable);
    }

    /// Returns whether the files contain some pages of the log, but not all.
    pub(crate) fn is_partial(&self) -> bool {
        self.extent.is_known() && !self.extent.is_whole(self.rows.len() + self.unreadable.len())
    }

    /// Returns the number of different entries.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of different malformed entries.
    pub(crate) fn unreadable(&self) -> usize {
        self.unreadable.len()
    }

    /// Says which part of a window the log does not cover.
    pub(crate) fn gap(&self, window: Window, source: Source, measure: Measure) -> Option<String> {
        let (first, last) = (self.first?, self.last?);
        let late = window.start.is_none_or(|start| first.to_datetime() - start.to_datetime() > TOLERANCE);
        let early = window.end.to_datetime() - last.to_datetime() > TOLERANCE;
        let interactive_only = source == Source::SignIns && !self.non_interactive;
        Some(if late || early {
            format!("The log covers only {} to {}.", first.date(), last.date())
        } else if self.is_partial() {
            "Part of the log is missing.".to_owned()
        } else if interactive_only && !matches!(measure, Measure::Factors | Measure::MethodStrength) {
            "The log has interactive sign-ins only.".to_owned()
        } else {
            return None;
        })
    }

    fn reaches(&mut self, at: Timestamp) {
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = self.last.max(Some(at));
    }
}
