//! Finds files of the same run: the output folder of a tool contains its results several times, in several formats and
//! in parts.

use std::cmp::Reverse;

use assessments::Run;

use super::result::SkippedFile;

/// A run in one file.
pub(super) struct FileRun {
    pub(super) run: Run,
    pub(super) file: String,
    /// Position of the file's format among all formats.
    pub(super) rank: usize,
}

/// Runs without repetition.
#[derive(Default)]
pub(super) struct Sorted {
    /// Each run, from its most complete file.
    pub(super) runs: Vec<FileRun>,
    /// The other files.
    pub(super) skipped: Vec<SkippedFile>,
    /// Parts of runs that no file contains completely, and the files that contain each part.
    pub(super) parts: Vec<(Run, Vec<String>)>,
}

/// Keeps each run once, from the file with the fewest lost rows, the most rows and controls, and the best format. Joins the parts
/// of a run that no file contains completely.
pub(super) fn once_each(mut all: Vec<FileRun>) -> Sorted {
    // Stable, so equal files keep their order.
    all.sort_by_key(|FileRun { run, rank, .. }| {
        let readable = run.rows.total - run.rows.lost;
        (run.is_part, run.completed.is_none(), run.rows.lost, Reverse((readable, run.findings.len())), *rank)
    });
    let mut sorted = Sorted::default();
    for file_run in all {
        let same = sorted.runs.iter().filter(|kept| kept.is_same(&file_run));
        if let Some(kept) = same.max_by_key(|kept| common_folders(&kept.file, &file_run.file)) {
            let reason = format!("contains the same run as {}", kept.file);
            sorted.skipped.push(SkippedFile { of: file_run.file, reason });
        } else if file_run.run.is_part {
            sorted.take_part(file_run.run, file_run.file);
        } else {
            sorted.runs.push(file_run);
        }
    }
    sorted
}

impl FileRun {
    /// Returns whether another file contains the same run: under the same identifier, or with the same results in
    /// another format.
    fn is_same(&self, other: &Self) -> bool {
        self.run.run_id == other.run.run_id || (self.rank != other.rank && self.run.includes(&other.run))
    }
}

impl Sorted {
    fn take_part(&mut self, run: Run, file: String) {
        let belongs = |(part, files): &&mut (Run, Vec<String>)| {
            let is_same =
                part.tool == run.tool && part.completed == run.completed && part.tool_version == run.tool_version;
            is_same && files.first().is_some_and(|first| folder(first) == folder(&file))
        };
        match self.parts.iter_mut().find(belongs) {
            Some((part, files)) => {
                part.add_part(run);
                files.push(file);
            }
            None => self.parts.push((run, vec![file])),
        }
    }
}

fn folder(file: &str) -> &str {
    file.rsplit_once(is_separator).map_or("", |(folder, _)| folder)
}

/// Returns the number of folders that two files have in common.
fn common_folders(a: &str, b: &str) -> usize {
    let steps = folder(a).split(is_separator).zip(folder(b).split(is_separator));
    steps.take_while(|(a, b)| a == b).count()
}

fn is_separator(character: char) -> bool {
    matches!(character, '/' | '\\')
}
