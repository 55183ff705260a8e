//! The time, for a run.

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;

/// A clock that advances with the runtime's timer: in tests, that is virtual time.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
    began: DateTime<Utc>,
}

impl Clock {
    /// Returns a clock that shows a time now.
    pub fn at(now: DateTime<Utc>) -> Self {
        Self { origin: Instant::now(), began: now }
    }

    /// Returns the time.
    pub fn now(&self) -> DateTime<Utc> {
        self.began + TimeDelta::from_std(self.origin.elapsed()).unwrap_or(TimeDelta::MAX)
    }
}
