//! A log: its events, and how much of it the files contain.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use model::{Timestamp, counted};

use super::events::{Entry, EntryFindings, Events};
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
    /// The time that the files cover, whether or not anything happened in it.
    covered: Option<(Timestamp, Timestamp)>,
    /// Whether the files contain sign-ins that did not need the user.
    non_interactive: bool,
    pub(crate) extent: Extent,
    unreadable: BTreeSet<RowKey>,
}

impl Log {
    /// Adds an entry and what it shows.
    pub(crate) fn take(&mut self, entry: Entry, shown: EntryFindings) {
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
        other.covered.into_iter().for_each(|(start, end)| self.covers(start, end));
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

    /// Makes entries after a moment malformed ones, and returns their number.
    pub(crate) fn remove_after(&mut self, moment: Timestamp) -> usize {
        let removed = self.events.remove_after(moment);
        self.unreadable.extend(&removed);
        removed.len()
    }

    /// Notes that the log covers the time from `start` to `end`, whether or not anything happened in it.
    pub(crate) fn covers(&mut self, start: Timestamp, end: Timestamp) {
        let (first, last) = self.covered.unwrap_or((start, end));
        self.covered = Some((first.min(start), last.max(end)));
    }

    /// Returns which part of a window the log does not cover.
    pub(crate) fn gap(&self, window: Window, source: Source) -> Gap {
        let spans = self.events.span().into_iter().chain(self.covered);
        let Some((first, last)) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))) else { return Gap::default() };
        let late = window.start.is_none_or(|start| first.to_datetime() - start.to_datetime() > TOLERANCE);
        let early = window.end.to_datetime() - last.to_datetime() > TOLERANCE;
        Gap {
            covers_only: (late || early).then_some((first, last)),
            part_missing: self.is_partial(),
            unreadable: self.unreadable(),
            interactive_only: source == Source::SignIns && !self.non_interactive,
        }
    }
}

/// The part of a window that a log or a report does not cover.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gap {
    /// First and last entry, if they leave out a part of the window.
    covers_only: Option<(Timestamp, Timestamp)>,
    part_missing: bool,
    /// Number of malformed rows.
    unreadable: usize,
    /// Whether sign-ins that did not need the user are missing.
    interactive_only: bool,
}

impl Gap {
    /// Returns the gap of malformed rows.
    pub(super) fn of_rows(unreadable: usize) -> Self {
        Self { unreadable, ..Self::default() }
    }

    /// Says what is not covered, as far as it matters to a measure. Of several gaps in time, the first is said.
    pub(crate) fn words(self, measure: Measure) -> String {
        let needs_all = !matches!(measure, Measure::Factors | Measure::MethodStrength);
        let in_time = match self.covers_only {
            Some((first, last)) => Some(format!("The log covers only {} to {}.", first.date(), last.date())),
            None if self.part_missing => Some("Part of the log is missing.".to_owned()),
            None if self.interactive_only && needs_all => Some("The log has interactive sign-ins only.".to_owned()),
            None => None,
        };
        let unreadable = self.unreadable;
        let in_rows = (unreadable > 0).then(|| format!("{} could not be read.", counted(unreadable, "row")));
        in_time.into_iter().chain(in_rows).collect::<Vec<_>>().join(" ")
    }
}
