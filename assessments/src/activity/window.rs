//! The time that activity is looked at: the days before the end of a run.

use chrono::TimeDelta;
use model::Timestamp;

/// The days before a moment: after `start`, up to and including `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// `None` if the window reaches back further than a [`Timestamp`] does.
    pub(crate) start: Option<Timestamp>,
    pub(crate) end: Timestamp,
    pub(crate) days: u32,
}

impl Window {
    /// Returns the window of that many days before `end`.
    pub(crate) fn before(end: Timestamp, days: u32) -> Self {
        let start = end.to_datetime().checked_sub_signed(TimeDelta::days(days.into()));
        Self { start: start.and_then(|start| start.try_into().ok()), end, days }
    }

    /// Returns whether a moment lies in the window.
    pub(crate) fn contains(self, moment: Timestamp) -> bool {
        Some(moment) > self.start && moment <= self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_with_its_last_moment_and_begins_after_its_first() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let window = Window::before(at("2026-11-20T10:30:00Z"), 30);
        assert!(window.contains(at("2026-11-20T10:30:00Z")) && window.contains(at("2026-10-21T10:30:00.001Z")));
        assert!(!window.contains(at("2026-11-20T10:30:00.001Z")) && !window.contains(at("2026-10-21T10:30:00Z")));
        assert!(Window::before(at("0000-01-02T00:00:00Z"), 30).contains(at("0000-01-01T00:00:00Z")));
    }
}
