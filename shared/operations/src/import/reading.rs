//! Reads files into runs.

use std::collections::HashMap;

use assessments::{Combined, Contents, Run, Tool};
use model::Timestamp;

use super::options::Options;
use super::result::SkippedFile;
use super::run::CLOCK_TOLERANCE;
use super::same_run::{FileRun, once_each};

/// The files read so far.
#[derive(Default)]
pub(super) struct Reading {
    /// Runs that are complete in one file.
    whole: Vec<FileRun>,
    /// Pieces of content that spans several files: Secure Score and the exports of the directory.
    pieces: Vec<Contents>,
    score_files: Vec<String>,
    /// End of the runs whose files do not contain it.
    completed_at: Option<Timestamp>,
    /// Later times are wrong.
    latest: Option<Timestamp>,
    lookback_days: Option<u32>,
    issues: Vec<assessments::Issue>,
}

/// Every run once, and the other content of the files.
pub(super) struct Read {
    pub(super) combined: Combined,
    pub(super) files: FilesOfRuns,
    /// Files that contain the same run as another file.
    pub(super) skipped: Vec<SkippedFile>,
    /// Parts of runs that no file contains completely, and the files that contain each part.
    pub(super) parts: Vec<(Run, Vec<String>)>,
}

/// The names of the files that contain each run.
#[derive(Default)]
pub(super) struct FilesOfRuns(HashMap<String, Vec<String>>);

impl Reading {
    pub(super) fn new(options: &Options) -> Self {
        let latest = (options.imported_at.to_datetime() + CLOCK_TOLERANCE).try_into().ok();
        let Options { completed_at, lookback_days, .. } = *options;
        Self { completed_at, latest, lookback_days, ..Self::default() }
    }

    /// Adds the content of a file, whose runs ended at the given time if it does not contain one.
    pub(super) fn add(&mut self, file: String, contents: Contents, completed_at: Option<Timestamp>) {
        match contents.tool() {
            None => self.pieces.push(contents),
            Some(Tool::SecureScore) => {
                self.pieces.push(contents);
                self.score_files.push(file);
            }
            Some(_) => {
                let rank = contents.rank();
                let mut of_file = assessments::combine([contents]);
                self.latest.into_iter().for_each(|latest| of_file.forget_times_after(latest));
                complete(&mut of_file.runs, completed_at.or(self.completed_at));
                // The lists of a snapshot belong to its own run.
                of_file.review_admins(self.lookback_days);
                self.whole.extend(of_file.runs.into_iter().map(|run| FileRun { run, file: file.clone(), rank }));
                self.issues.extend(of_file.issues);
            }
        }
    }

    /// Combines the files.
    pub(super) fn finish(self) -> Read {
        let Self { whole, pieces, score_files, completed_at, latest, issues, .. } = self;
        let mut combined = assessments::combine(pieces);
        latest.into_iter().for_each(|latest| combined.forget_times_after(latest));
        let mut files = FilesOfRuns::default();
        complete(&mut combined.runs, completed_at);
        combined.runs.iter().for_each(|run| files.note(run, score_files.clone()));
        combined.issues.extend(issues);
        let sorted = once_each(whole);
        for FileRun { run, file, .. } in sorted.runs {
            files.note(&run, vec![file]);
            combined.runs.push(run);
        }
        Read { combined, files, skipped: sorted.skipped, parts: sorted.parts }
    }
}

/// Sets the end of the runs without one, before they are compared, because it can change their identifiers.
fn complete(runs: &mut [Run], completed_at: Option<Timestamp>) {
    if let Some(time) = completed_at {
        runs.iter_mut().for_each(|run| run.complete_at(time));
    }
}

impl FilesOfRuns {
    pub(super) fn note(&mut self, run: &Run, files: Vec<String>) {
        self.0.insert(run.run_id.clone(), files);
    }

    /// Returns the files that contain a run.
    pub(super) fn of(&self, run: &Run) -> &[String] {
        self.0.get(&run.run_id).map_or(&[], Vec::as_slice)
    }
}
