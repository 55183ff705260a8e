//! Progress of long commands, printed to the standard error if it is a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use operations::import::{ImportFailure, Progress};

use crate::exit::print_failure;
use crate::output::plain;

/// Progress bars for reading files and importing runs. Failures are printed between them.
pub(crate) struct Bars(ProgressBar);

impl Bars {
    /// Returns the bar for reading this many files.
    pub(crate) fn reading(files: usize) -> Self {
        Self(bar("Reading", files))
    }
}

/// The number of steps that are done, if nobody knows how many there are.
pub(crate) struct Count(ProgressBar);

impl Count {
    pub(crate) fn new(doing: &'static str) -> Self {
        let style = ProgressStyle::with_template("{prefix}: {pos}").expect("the template is well formed");
        Self(ProgressBar::no_length().with_style(style).with_prefix(doing))
    }

    pub(crate) fn at(&self, done: usize) {
        self.0.set_position(u64::try_from(done).unwrap_or(u64::MAX));
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Bars {
    fn reading(&mut self, file: &str) {
        self.0.set_message(file.to_owned());
        self.0.inc(1);
    }

    fn importing(&mut self, runs: usize) {
        self.0.finish_and_clear();
        self.0 = bar("Importing", runs);
    }

    fn run_done(&mut self) {
        self.0.inc(1);
    }

    fn failed(&mut self, failure: &ImportFailure) {
        let text = format!("{}: {}", plain(&failure.of), plain(&failure.cause.to_string()));
        self.0.suspend(|| print_failure(&text));
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn bar(doing: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:<10} [{bar:30}] {pos}/{len} {wide_msg}")
        .expect("the template is well formed")
        .progress_chars("=> ");
    let steps = u64::try_from(steps).unwrap_or(u64::MAX);
    // Without a terminal, nothing is drawn.
    ProgressBar::new(steps).with_style(style).with_prefix(doing)
}
