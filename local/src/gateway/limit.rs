//! The usage plan: the number of requests per organization and route.

use std::sync::Arc;
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::template::{GatewayFailure, LimitDefinition};

/// Whether requests are counted, and with which clock.
#[derive(Clone)]
pub enum Limits {
    /// By the template's limits, with the function's clock.
    Counted(Uptime),
    /// Not at all.
    Off,
}

/// Returns the time since a fixed point. Never decreases.
pub type Uptime = Arc<dyn Fn() -> Duration + Send + Sync>;

impl Limits {
    /// Counts by the template's limits in real time.
    pub fn in_real_time() -> Self {
        let start = Instant::now();
        Self::Counted(Arc::new(move || start.elapsed()))
    }

    /// Returns the limit of one route, or `None` if requests are not counted.
    pub(super) fn limit(&self, LimitDefinition { burst, period }: LimitDefinition) -> Option<Limit> {
        let Self::Counted(uptime) = self else { return None };
        let quota = Quota::with_period(period)?.allow_burst(burst);
        Some(Limit(RateLimiter::new(quota, HashMapStateStore::default(), UptimeClock(uptime.clone()))))
    }
}

/// The token buckets of a route, one for each key of the usage plan.
pub(super) struct Limit(RateLimiter<String, HashMapStateStore<String>, UptimeClock, NoOpMiddleware<Duration>>);

impl Limit {
    /// Counts a request.
    ///
    /// # Errors
    /// If the key's bucket is empty.
    pub(super) fn count(&self, usage_key: &str) -> Result<(), GatewayFailure> {
        self.0.check_key(&usage_key.to_owned()).map_err(|_| GatewayFailure::Throttled)
    }
}

#[derive(Clone)]
struct UptimeClock(Uptime);

impl Clock for UptimeClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        (self.0)()
    }
}
