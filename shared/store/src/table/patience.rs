//! Waiting: for other writers, and for capacity.
//!
//! DynamoDB throttles calls to a partition beyond 1,000 write units and 3,000 read units a second. The SDK retries a
//! throttled call a few times within a second, and a throttled transaction never. When it gives up, the call is retried
//! here, for a period and not for a number of attempts.

use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::config::{AsyncSleep, Sleep};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

use super::Store;
use crate::{Organization, StoreError};

/// Number of attempts while other writers change the same items.
pub(crate) const CONTENDERS: usize = 20;

/// The reason for waiting for capacity. Determines how long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// A read whose caller has received nothing yet and can get a clean failure.
    First,
    /// A read that continues a response: a failure would cut the response off.
    Begun,
    /// A write.
    Write,
}

impl Patience {
    /// Returns how long to wait for capacity without any progress. The deadline may end a wait earlier.
    const fn budget(self) -> Duration {
        match self {
            Self::First => Duration::from_secs(8),
            Self::Begun => Duration::from_secs(60),
            // With 40 writers of large reports to one partition, which accepts five a second, a writer waits 8 s on
            // average, and one of 2,000 waits longer than 60 s.
            Self::Write => Duration::from_secs(180),
        }
    }
}

/// Waits between attempts of a throttled call.
pub(super) struct Waiting<'a> {
    store: &'a Store,
    patience: Patience,
    waits: ExponentialBackoff,
}

impl Store {
    /// Returns the same table, whose calls wait for capacity until `deadline` at most: the end of an invocation.
    #[must_use]
    pub fn until(&self, deadline: SystemTime) -> Self {
        Self { deadline: Some(deadline), ..self.clone() }
    }

    /// Makes a call, and repeats it while the table lacks capacity.
    ///
    /// A call is a large future: on the heap, it is not moved through the stack of each caller.
    pub(super) async fn patiently<T, F>(&self, patience: Patience, call: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        let mut waiting = self.waiting(patience);
        loop {
            match Box::pin(call()).await {
                Err(error) if error.is_throttling() => waiting.wait(error).await?,
                outcome => return outcome,
            }
        }
    }

    pub(super) fn waiting(&self, patience: Patience) -> Waiting<'_> {
        Waiting { store: self, patience, waits: capacity(patience) }
    }

    /// Returns the client's own timer, so that waits share its clock.
    pub(crate) fn timer(&self) -> impl Fn(Duration) -> Sleep + use<> {
        let timer = self.client.config().sleep_impl();
        move |duration| match &timer {
            Some(timer) => timer.sleep(duration),
            None => Sleep::new(tokio::time::sleep(duration)),
        }
    }
}

impl Organization {
    /// Returns the timer of the table's client, for waits between operations.
    pub fn timer(&self) -> impl Fn(Duration) -> Sleep + use<> {
        self.store.timer()
    }
}

impl Waiting<'_> {
    /// Waits before the next attempt.
    ///
    /// # Errors
    /// The error that the last attempt failed with, if there is no time left.
    pub(super) async fn wait(&mut self, error: StoreError) -> Result<(), StoreError> {
        let Some(wait) = self.waits.next() else { return Err(error) };
        if self.store.deadline.is_some_and(|deadline| SystemTime::now() + wait > deadline) {
            return Err(error);
        }
        self.store.timer()(wait).await;
        Ok(())
    }

    /// Restarts the wait, because part of the requested items has arrived.
    pub(super) fn progressed(&mut self) {
        self.waits = capacity(self.patience);
    }
}

/// Returns waits between attempts: doubling from 10 ms to half a second, each with a random part, so that writers that
/// collided once do not collide again.
pub(crate) fn backoff(attempts: usize) -> ExponentialBuilder {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(10))
        .with_max_delay(Duration::from_millis(500))
        .with_jitter()
        .with_max_times(attempts)
}

/// Returns waits for capacity: doubling from 50 ms to a second, within the budget.
fn capacity(patience: Patience) -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(50))
        .with_max_delay(Duration::from_secs(1))
        .with_jitter()
        .without_max_times()
        .with_total_delay(Some(patience.budget()))
        .build()
}
