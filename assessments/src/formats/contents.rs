//! Contents of a file.

use std::fmt;

use crate::activity::Activity;
use crate::directory::Directory;
use crate::run::{FileRuns, Issue, Run, Tool};
use crate::tools::securescore::SecureScore;

/// Contents of a file: runs, or pieces that other files complete. [`combine`](super::combine) combines them.
#[derive(Default)]
pub struct Contents {
    /// Position of the file's format in the table of formats.
    pub(super) rank: usize,
    pub(super) runs: Vec<Run>,
    /// Scores or the profiles of their controls, which belong together.
    pub(super) secure_score: Option<SecureScore>,
    /// Lists of a directory, which belong to those of other files.
    pub(super) directory: Option<Box<Directory>>,
    /// Issues that concern no run.
    pub(super) issues: Vec<Issue>,
}

impl Contents {
    /// Returns the tool whose results the file contains. Returns `None` for exports of a directory.
    pub fn tool(&self) -> Option<Tool> {
        let score = self.secure_score.as_ref().map(|_| Tool::SecureScore);
        self.runs.first().map(|run| run.tool).or(score)
    }

    /// Returns a number for the format of the file. If a tool writes its results in several formats, the lowest one has
    /// the most of them.
    pub fn rank(&self) -> usize {
        self.rank
    }
}

impl From<Run> for Contents {
    fn from(run: Run) -> Self {
        Self { runs: vec![run], ..Self::default() }
    }
}

impl From<(Run, Directory)> for Contents {
    fn from((run, directory): (Run, Directory)) -> Self {
        Self { runs: vec![run], ..directory.into() }
    }
}

impl From<FileRuns> for Contents {
    fn from(FileRuns { runs, issues }: FileRuns) -> Self {
        Self { runs, issues, ..Self::default() }
    }
}

impl From<SecureScore> for Contents {
    fn from(secure_score: SecureScore) -> Self {
        Self { secure_score: Some(secure_score), ..Self::default() }
    }
}

impl From<Directory> for Contents {
    fn from(directory: Directory) -> Self {
        Self { directory: Some(Box::new(directory)), ..Self::default() }
    }
}

impl From<Activity> for Contents {
    fn from(activity: Activity) -> Self {
        Directory::from(activity).into()
    }
}

impl fmt::Debug for Contents {
    /// Leaves out the data, which can name people and customers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contents").field("tool", &self.tool()).finish_non_exhaustive()
    }
}
