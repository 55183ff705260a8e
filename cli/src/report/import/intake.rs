//! What the files hold, and which of them each run comes from.

use std::collections::HashMap;
use std::path::PathBuf;

use assessments::{Combined, Contents, Run, Tool};

use crate::{files, progress};

/// What the files hold.
pub(super) struct Intake {
    pub(super) combined: Combined,
    pub(super) files: FilesOfRuns,
}

/// The files of each run.
#[derive(Default)]
pub(super) struct FilesOfRuns(HashMap<String, Vec<String>>);

impl Intake {
    /// Reads files and folders; tells of each file that gives nothing.
    pub(super) fn read(paths: &[PathBuf], mut fail: impl FnMut(String, String)) -> Self {
        let (paths, unlisted) = files::listed(paths);
        unlisted.into_iter().for_each(|unlisted| fail(unlisted.path.display().to_string(), unlisted.problem));
        let mut reading = Reading::default();
        let progress = progress::bar("Reading", paths.len());
        for path in &paths {
            let name = path.display().to_string();
            progress.set_message(name.clone());
            match files::read(path) {
                Ok(contents) => reading.take(name, contents),
                Err(error) => progress.suspend(|| fail(name, error.to_string())),
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        reading.done()
    }
}

/// Files, as they are read one after the other.
#[derive(Default)]
struct Reading {
    /// Runs that one file holds.
    whole: Combined,
    /// What several files hold together: Secure Score and the exports of the directory.
    pieces: Vec<Contents>,
    score_files: Vec<String>,
    files: FilesOfRuns,
}

impl Reading {
    fn take(&mut self, file: String, contents: Contents) {
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

    fn done(self) -> Intake {
        let Self { whole, pieces, score_files, mut files } = self;
        let mut combined = assessments::combine(pieces);
        files.note(&combined.runs, &score_files);
        combined.runs.extend(whole.runs);
        combined.issues.extend(whole.issues);
        Intake { combined, files }
    }
}

impl FilesOfRuns {
    fn note(&mut self, runs: &[Run], files: &[String]) {
        for run in runs {
            self.0.entry(run.run_id.clone()).or_default().extend_from_slice(files);
        }
    }

    /// The files that hold a run.
    pub(super) fn of(&self, run: &Run) -> &[String] {
        self.0.get(&run.run_id).map_or(&[], Vec::as_slice)
    }
}
