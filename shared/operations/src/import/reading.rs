//! Files become runs.

use std::collections::HashMap;

use assessments::{Combined, Contents, Run, Tool};

/// The files read so far.
#[derive(Default)]
pub(super) struct Reading {
    /// Runs that one file holds.
    whole: Combined,
    /// Pieces of what several files hold together: Secure Score and the exports of the directory.
    pieces: Vec<Contents>,
    score_files: Vec<String>,
    files: FilesOfRuns,
}

/// The names of the files that hold each run.
#[derive(Default)]
pub(super) struct FilesOfRuns(HashMap<String, Vec<String>>);

impl Reading {
    /// Adds the content of a file.
    pub(super) fn add(&mut self, file: String, contents: Contents) {
        match contents.tool() {
            None => self.pieces.push(contents),
            Some(Tool::SecureScore) => {
                self.pieces.push(contents);
                self.score_files.push(file);
            }
            Some(_) => {
                let of_file = assessments::combine([contents]);
                self.files.note(&of_file.runs, &[file]);
                self.whole.runs.extend(of_file.runs);
                self.whole.issues.extend(of_file.issues);
            }
        }
    }

    /// Combines the files.
    pub(super) fn combined(self) -> (Combined, FilesOfRuns) {
        let Self { whole, pieces, score_files, mut files } = self;
        let mut combined = assessments::combine(pieces);
        files.note(&combined.runs, &score_files);
        combined.runs.extend(whole.runs);
        combined.issues.extend(whole.issues);
        (combined, files)
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
