//! Progress of an import, for front ends that show it.

use super::result::Failure;

/// Observes an import. Every method does nothing unless it is implemented.
pub trait Progress {
    /// A file is about to be read.
    fn reading(&mut self, file: &str) {
        let _ = file;
    }

    /// All files are read; this many runs are about to be imported.
    fn importing(&mut self, runs: usize) {
        let _ = runs;
    }

    /// A run was imported or failed.
    fn run_done(&mut self) {}

    /// A file or a run failed.
    fn failed(&mut self, failure: &Failure) {
        let _ = failure;
    }
}

/// Observes nothing.
impl Progress for () {}
