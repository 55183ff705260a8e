//! What a file holds.

use std::fmt;

use crate::directory::Directory;
use crate::run::{Issue, Run, Tool};
use crate::securescore::SecureScore;

/// What a file holds: a run, or a piece of one that other files complete. [`combine`](super::combine) puts them
/// together.
pub struct Part(pub(crate) Kind);

/// Kind of a [`Part`].
pub(crate) enum Kind {
    /// A whole run.
    Run(Run),
    /// Scores or the profiles of their controls, which belong together.
    SecureScore(SecureScore),
    /// Lists of a directory, which belong to those of other files.
    Directory(Box<Directory>),
    /// Something in the file that belongs to no run and could not be taken as it stood.
    Issue(Issue),
}

impl Part {
    /// The tool whose results the part holds; none for exports of a directory and for issues.
    pub fn tool(&self) -> Option<Tool> {
        match &self.0 {
            Kind::Run(run) => Some(run.tool),
            Kind::SecureScore(_) => Some(Tool::SecureScore),
            Kind::Directory(_) | Kind::Issue(_) => None,
        }
    }
}

impl From<Run> for Part {
    fn from(run: Run) -> Self {
        Self(Kind::Run(run))
    }
}

impl From<SecureScore> for Part {
    fn from(files: SecureScore) -> Self {
        Self(Kind::SecureScore(files))
    }
}

impl From<Directory> for Part {
    fn from(directory: Directory) -> Self {
        Self(Kind::Directory(Box::new(directory)))
    }
}

impl From<Issue> for Part {
    fn from(issue: Issue) -> Self {
        Self(Kind::Issue(issue))
    }
}

impl fmt::Debug for Part {
    /// Leaves out what the part holds, which can name people and customers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Run(_) => "Run",
            Kind::SecureScore(_) => "SecureScore",
            Kind::Directory(_) => "Directory",
            Kind::Issue(_) => "Issue",
        })
    }
}
