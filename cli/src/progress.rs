//! Progress of work that takes a while: on the standard error, and only where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for so many steps.
pub(crate) fn bar(doing: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:<10} [{bar:30}] {pos}/{len} {wide_msg}")
        .expect("the template is well formed")
        .progress_chars("=> ");
    let steps = u64::try_from(steps).unwrap_or(u64::MAX);
    // Without a terminal, nothing is drawn.
    ProgressBar::new(steps).with_style(style).with_prefix(doing)
}
