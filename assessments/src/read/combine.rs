//! The parts that files hold, put together.

use crate::directory::Directory;
use crate::run::{Issue, IssueKind, Run};
use crate::securescore::SecureScore;

use super::part::{Kind, Part};

/// What a set of files comes to.
#[derive(Default)]
pub struct Combined {
    /// The runs, each of one tool against one tenant.
    pub runs: Vec<Run>,
    /// The exports of the directory, where there are any.
    pub directory: Option<Directory>,
    /// What is missing from the files, and what could not be put together.
    pub issues: Vec<Issue>,
}

/// Puts the parts of a set of files together. The order of the files does not matter.
///
/// Exports of a directory do not all name their tenant, so all that are in the set must be of one. Where they name
/// several, none of them is used.
pub fn combine(parts: impl IntoIterator<Item = Part>) -> Combined {
    let mut combined = Combined::default();
    let mut secure_score = SecureScore::default();
    let mut directory = None;
    for Part(kind) in parts {
        match kind {
            Kind::Run(run) => combined.runs.push(run),
            Kind::SecureScore(part) => secure_score.join(part),
            Kind::Directory(part) => directory.get_or_insert_with(Directory::default).join(*part),
            Kind::Issue(issue) => combined.issues.push(issue),
        }
    }
    let (runs, issues) = secure_score.into_runs();
    combined.runs.extend(runs);
    combined.issues.extend(issues);
    if let Some(directory) = directory {
        combined.add_directory(directory);
    }
    combined
}

impl Combined {
    fn add_directory(&mut self, directory: Directory) {
        let tenants = directory.tenants().len();
        if tenants > 1 {
            let message = format!("the exports are of {tenants} directories, and are left out: import one at a time");
            self.issues.push(Issue::of_file(IssueKind::TenantsMixed, message));
            return;
        }
        self.issues.extend(directory.issues());
        self.directory = Some(directory);
    }
}
