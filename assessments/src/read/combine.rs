//! The parts that files hold, put together.

use crate::run::{Issue, Run};

use super::part::{Kind, Part};

/// What a set of files comes to.
#[derive(Debug, Default)]
pub struct Combined {
    /// The runs, each of one tool against one tenant.
    pub runs: Vec<Run>,
    /// What could not be put together.
    pub issues: Vec<Issue>,
}

/// Puts the parts of a set of files together. The order of the files does not matter.
pub fn combine(parts: impl IntoIterator<Item = Part>) -> Combined {
    let mut combined = Combined::default();
    for Part(kind) in parts {
        match kind {
            Kind::Run(run) => combined.runs.push(run),
            Kind::Issue(issue) => combined.issues.push(issue),
        }
    }
    combined
}
