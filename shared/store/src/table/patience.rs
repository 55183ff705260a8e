//! Waiting: for other writers, and for capacity.

use std::time::Duration;

use backon::ExponentialBuilder;

/// Attempts to get through between others that change the same items.
pub(crate) const CONTENDERS: usize = 20;

/// Returns waits between attempts: doubling from 10 ms to half a second, each with a random part, so that writers that
/// met once do not meet again.
pub(crate) fn backoff(attempts: usize) -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(10))
        .with_max_delay(Duration::from_millis(500))
        .with_jitter()
        .with_max_times(attempts)
}
