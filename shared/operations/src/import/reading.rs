//! Files become runs.

use std::collections::HashMap;

use assessments::{Combined, Contents, Run, Tool};
use model::Timestamp;

/// The files read so far.
#[derive(Default)]
pub(super) struct Reading {
    /// Runs that one file holds.
    whole: Combined,
    /// Pieces of what several files hold together: Secure Score and the exports of the directory.
    pieces: Vec<Contents>,
    score_files: Vec<String>,
    files: FilesOfRuns,
    /// End of the runs whose files do not contain it.
    completed_at: Option<Timestamp>,
}

/// The names of the files that hold each run.
#[derive(Default)]
pub(super) struct FilesOfRuns(HashMap<String, Vec<String>>);

impl Reading {
    pub(super) fn new(completed_at: Option<Timestamp>) -> Self {
        Self { completed_at, ..Self::default() }
    }

    /// Adds the content of a file.
    pub(super) fn add(&mut self, file: String, contents: Contents) {
        match contents.tool() {
            None => self.pieces.push(contents),
            Some(Tool::SecureScore) => {
                self.pieces.push(contents);
                self.score_files.push(file);
            }
            Some(_) => {
                let mut of_file = assessments::combine([contents]);
                complete(&mut of_file.runs, self.completed_at);
                self.files.note(&of_file.runs, &[file]);
                self.whole.runs.extend(of_file.runs);
                self.whole.issues.extend(of_file.issues);
            }
        }
    }

    /// Combines the files.
    pub(super) fn combined(self) -> (Combined, FilesOfRuns) {
        let Self { whole, pieces, score_files, mut files, completed_at } = self;
        let mut combined = assessments::combine(pieces);
        complete(&mut combined.runs, completed_at);
        files.note(&combined.runs, &score_files);
        combined.runs.extend(whole.runs);
        combined.issues.extend(whole.issues);
        (combined, files)
    }
}

/// Sets the end of the runs without one. It can change their identifiers, so it comes before they are noted.
fn complete(runs: &mut [Run], completed_at: Option<Timestamp>) {
    if let Some(time) = completed_at {
        runs.iter_mut().for_each(|run| run.complete_at(time));
    }
}

impl FilesOfRuns {
    fn note(&mut self, runs: &[Run], files: &[String]) {
        for run in runs {
            self.0.entry(run.run_id.clone()).or_default().extend_from_slice(files);
        }
    }

    /// Returns the files that hold a run.
    pub(super) fn of(&self, run: &Run) -> &[String] {
        self.0.get(&run.run_id).map_or(&[], Vec::as_slice)
    }
}
