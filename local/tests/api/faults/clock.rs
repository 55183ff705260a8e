//! A clock that stands still while any work is in progress, and jumps to the next time that a task waits for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::config::{AsyncSleep, Sleep};
use tokio::sync::watch;
use tokio::task::yield_now;

/// Number of turns that all other tasks get before time passes.
const TURNS: usize = 30;

/// Time that passes only while no call is in progress and no task is runnable. Requires a single-threaded runtime.
#[derive(Debug, Clone)]
pub(crate) struct Clock(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    now: Duration,
    calls: usize,
    sleepers: BTreeSet<(Duration, u64)>,
    last_sleeper: u64,
}

/// A call in progress; time stands still until it is dropped.
pub(crate) struct UnderWay(Clock);

/// A registered sleeper, which is removed when its wait is cancelled.
struct Sleeper {
    clock: Clock,
    until: (Duration, u64),
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared { state: Mutex::default(), changed: watch::Sender::new(()) }))
    }

    /// Returns the time since the clock was created.
    pub(crate) fn now(&self) -> Duration {
        self.0.state.lock().unwrap().now
    }

    /// Stops time until the returned value is dropped.
    pub(crate) fn call(&self) -> UnderWay {
        self.0.state.lock().unwrap().calls += 1;
        UnderWay(self.clone())
    }

    async fn pass(self, duration: Duration) {
        let sleeper = self.register(duration);
        let mut changed = self.0.changed.subscribe();
        loop {
            for _ in 0..TURNS {
                yield_now().await;
            }
            changed.mark_unchanged();
            {
                let mut state = self.0.state.lock().unwrap();
                let is_next = state.sleepers.first() == Some(&sleeper.until);
                if state.calls == 0 && is_next {
                    state.now = state.now.max(sleeper.until.0);
                }
                if state.now >= sleeper.until.0 {
                    return;
                }
            }
            let _ = changed.changed().await;
        }
    }

    fn register(&self, duration: Duration) -> Sleeper {
        let mut state = self.0.state.lock().unwrap();
        state.last_sleeper += 1;
        let until = (state.now + duration, state.last_sleeper);
        state.sleepers.insert(until);
        Sleeper { clock: self.clone(), until }
    }
}

impl AsyncSleep for Clock {
    fn sleep(&self, duration: Duration) -> Sleep {
        Sleep::new(self.clone().pass(duration))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.state.lock().unwrap().calls -= 1;
        self.0.0.changed.send_replace(());
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.clock.0.state.lock().unwrap().sleepers.remove(&self.until);
        self.clock.0.changed.send_replace(());
    }
}
