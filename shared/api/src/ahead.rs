//! Runs initialization on a background thread during a cold start.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};
use std::thread;

/// A value that a background thread creates before its first use, which waits for it. Cheap to clone.
///
/// A cold start has more than one processor, so work that it need not wait for runs on the other.
pub struct Ahead<T>(Arc<LazyLock<T, Make<T>>>);

type Make<T> = Box<dyn FnOnce() -> T + Send>;

impl<T: Send + Sync + 'static> Ahead<T> {
    /// Starts to create the value.
    pub fn start(make: impl FnOnce() -> T + Send + 'static) -> Self {
        let ahead = Self(Arc::new(LazyLock::new(Box::new(make))));
        let made = ahead.clone();
        // If no thread can be started, the first use creates it.
        let _ = thread::Builder::new().spawn(move || {
            LazyLock::force(&made.0);
        });
        ahead
    }
}

impl<T> Clone for Ahead<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Ahead<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_and_shared() {
        let (made, told) = std::sync::mpsc::channel();
        let ahead = Ahead::start(move || {
            made.send(()).unwrap();
            7
        });
        assert_eq!((*ahead.clone(), *ahead), (7, 7));
        assert_eq!(told.iter().count(), 1);
    }
}
