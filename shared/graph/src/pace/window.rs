//! A limit of so many units in any period of a length.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// Added to every period: requests that leave far apart may arrive closer together.
const MARGIN: Duration = Duration::from_millis(100);

/// A limit: at most so many units in any period of the length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) most: u32,
    pub(super) per: Duration,
}

/// What of a limit is used, and until when nothing may be sent.
#[derive(Debug)]
pub(super) struct Window {
    limit: Limit,
    spent: VecDeque<(Instant, u32)>,
    sum: u32,
    held_until: Option<Instant>,
}

impl Window {
    pub(super) fn new(limit: Limit) -> Self {
        Self { limit, spent: VecDeque::new(), sum: 0, held_until: None }
    }

    /// Returns the time from which this many units may be spent, or `None` if that is now.
    pub(super) fn wait(&mut self, now: Instant, units: u32) -> Option<Instant> {
        let per = self.limit.per + MARGIN;
        while let Some((at, units)) = self.spent.front().copied().filter(|(at, _)| *at + per <= now) {
            debug_assert!(at <= now, "units are spent in order");
            self.sum -= units;
            self.spent.pop_front();
        }
        let held = self.held_until.filter(|until| *until > now);
        // A request that costs more than the limit waits for an empty window.
        let full = self.sum > 0 && self.sum.saturating_add(units) > self.limit.most;
        let free = full.then(|| self.spent.front().map(|(at, _)| *at + per)).flatten();
        held.max(free)
    }

    pub(super) fn spend(&mut self, now: Instant, units: u32) {
        self.spent.push_back((now, units));
        self.sum = self.sum.saturating_add(units);
    }

    /// Lets nothing pass until a time.
    pub(super) fn hold(&mut self, until: Instant) {
        self.held_until = self.held_until.max(Some(until));
    }
}
