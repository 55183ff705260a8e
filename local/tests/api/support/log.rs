//! Captures everything that is logged, by the service and by its dependencies.

use std::cell::RefCell;
use std::io;
use std::sync::LazyLock;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;

/// The only subscriber of all tests, each of which runs on its own thread. With one subscriber per test, a log
/// statement could be cached as disabled because a thread without a subscriber reached it first.
static SUBSCRIBER: LazyLock<()> = LazyLock::new(|| {
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(|| OfThread);
    let captured = dynamic_filter_fn(|metadata, _| LEVEL.with_borrow(|level| metadata.level() <= level));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(captured).with(lines)).unwrap();
});

thread_local! {
    static LEVEL: RefCell<LevelFilter> = const { RefCell::new(LevelFilter::OFF) };
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The captured log of this thread.
pub(crate) struct Log;

impl Log {
    /// Prepares the capture; call it before anything is logged on any thread.
    pub(crate) fn prepare() {
        LazyLock::force(&SUBSCRIBER);
    }

    /// Starts the capture, down to a level. Deployed functions log down to `INFO`.
    pub(crate) fn capture(level: LevelFilter) -> Self {
        LEVEL.set(level);
        Self
    }

    /// Returns the text that was logged since the last call.
    pub(crate) fn take(&self) -> String {
        String::from_utf8(TEXT.take()).unwrap()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        LEVEL.set(LevelFilter::OFF);
    }
}

/// Writes to the text of the thread.
struct OfThread;

impl io::Write for OfThread {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        TEXT.with_borrow_mut(|all| all.write(text))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
