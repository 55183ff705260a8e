//! The parts that files hold, put together.

use std::collections::BTreeSet;

use model::{ProviderTenantId, Timestamp};

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
    /// Leaves out exports that name another tenant than the one that the files are imported for or, where none is
    /// named, than every run: the administrators of one tenant must not get into the reports of another.
    pub fn leave_out_foreign_exports(&mut self, tenant: Option<&ProviderTenantId>) {
        let Some(of_exports) = self.directory.as_ref().and_then(Directory::tenant) else { return };
        let mut of_runs = self.runs.iter().filter_map(|run| run.tenant.as_ref()).peekable();
        let foreign = match tenant {
            Some(tenant) => *tenant != of_exports,
            None => of_runs.peek().is_some() && of_runs.all(|of_run| *of_run != of_exports),
        };
        if foreign {
            let message = format!("the exports of the directory are of another tenant, {of_exports}, and are left out");
            self.issues.push(Issue::of_file(IssueKind::TenantsMixed, message));
            self.directory = None;
        }
    }

    /// Gives the runs the administrators that the exports tell of, at the end of each run and with their sign-ins of
    /// that many days before it, in place of what the tools' own files say of them. A run that does not tell its end
    /// counts as one of the time of import. Changes nothing without such exports.
    ///
    /// Exports that name their tenant are for its runs only. Those that do not, and runs that do not, are taken to
    /// belong together as long as all that is named is one tenant.
    pub fn review_admins(&mut self, imported_at: Timestamp, lookback_days: u32) {
        let Some(directory) = &self.directory else { return };
        if !directory.lists_admins() {
            return;
        }
        let of_exports = directory.tenant();
        let named: BTreeSet<_> = self.runs.iter().filter_map(|run| run.tenant.as_ref()).chain(&of_exports).collect();
        let several = named.len() > 1;
        if several && of_exports.is_none() {
            let message = "the exports do not say which of the tenants they are of; the administrators are left to the \
                           tools' own files: add the export of subscribedSkus";
            self.issues.push(Issue::of_file(IssueKind::TenantsMixed, message));
            return;
        }
        for run in self.runs.iter_mut().filter(|run| !several || run.tenant == of_exports) {
            let end = run.completed.unwrap_or(imported_at);
            if let Some(review) = directory.admin_review(end, lookback_days) {
                run.set_admins(review);
            }
        }
    }

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
