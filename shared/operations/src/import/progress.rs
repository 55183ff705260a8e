//! Progress of an import, for front ends that show it.

use super::result::ImportFailure;

/// Observes an import. Every method does nothing by default.
pub trait Progress {
    /// Called before a file is read.
    fn reading(&mut self, file: &str) {
        let _ = file;
    }

    /// Called after all files were read, before this many runs are imported.
    fn importing(&mut self, runs: usize) {
        let _ = runs;
    }

    /// Called after a run was imported or failed.
    fn run_done(&mut self) {}

    /// Called after a file or a run failed.
    fn failed(&mut self, failure: &ImportFailure) {
        let _ = failure;
    }
}

/// Observes nothing.
impl Progress for () {}
