//! Combines the contents of several files.

use std::collections::BTreeSet;

use model::{ProviderTenantId, Timestamp};

use super::contents::Contents;
use crate::activity::Window;
use crate::directory::Directory;
use crate::report::DEFAULT_LOOKBACK_DAYS;
use crate::run::{Finding, Issue, IssueKind, Run};
use crate::tools::securescore::SecureScore;

/// Combined contents of a set of files.
#[derive(Default)]
pub struct Combined {
    /// The runs, each of one tool against one tenant.
    pub runs: Vec<Run>,
    /// The exports of the directory, if there are any.
    pub directory: Option<Directory>,
    /// Contents that are missing or could not be combined.
    pub issues: Vec<Issue>,
}

/// Combines the contents of a set of files. The order of the files does not matter.
///
/// Not all exports of a directory name their tenant, so all exports in the set have to be from one tenant. If they name
/// several tenants, none of them is used.
pub fn combine(files: impl IntoIterator<Item = Contents>) -> Combined {
    let mut combined = Combined::default();
    let mut secure_score = SecureScore::default();
    let mut directory = None;
    for file in files {
        combined.runs.extend(file.runs);
        combined.issues.extend(file.issues);
        if let Some(scores) = file.secure_score {
            secure_score.join(scores);
        }
        if let Some(exports) = file.directory {
            directory.get_or_insert_with(Directory::default).join(*exports);
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
    /// Forgets times after a moment, which are wrong: those of runs and of log entries.
    pub fn forget_times_after(&mut self, moment: Timestamp) {
        self.runs.iter_mut().for_each(|run| run.forget_time_after(moment));
        let entries = self.directory.as_mut().map_or(0, |directory| directory.remove_after(moment));
        if entries > 0 {
            let message = format!("skipped log entries with a time in the future: {entries}");
            self.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
    }

    /// Leaves out exports of a tenant other than the given one or, without a given one, other than that of every run.
    /// Reports of one tenant must never contain the administrators of another.
    pub fn leave_out_foreign_exports(&mut self, tenant: Option<&ProviderTenantId>) {
        let Some(of_exports) = self.directory.as_ref().and_then(Directory::tenant) else { return };
        let mut of_runs = self.runs.iter().filter_map(|run| run.tenant.as_ref()).peekable();
        let foreign = match tenant {
            Some(tenant) => *tenant != of_exports,
            None => of_runs.peek().is_some() && of_runs.all(|of_run| *of_run != of_exports),
        };
        if foreign {
            let message = format!("left out the exports of the directory, which are from another tenant: {of_exports}");
            self.issues.push(Issue::of_file(IssueKind::TenantsMixed, message));
            self.directory = None;
        }
    }

    /// Adds an issue if there are exports and no run.
    pub fn report_exports_alone(&mut self) {
        if self.runs.is_empty() && self.directory.is_some() {
            let message = "the exports of the directory make no report of their own: import them together with the \
                           tool's results, also if these were imported before";
            self.issues.push(Issue::of_file(IssueKind::CounterpartMissing, message));
        }
    }

    /// Replaces the administrators of the runs by those of the exports, as of the end of each run and with their sign-ins
    /// of a number of days before it: the given number, else that of the run, else [`DEFAULT_LOOKBACK_DAYS`]. Has no effect without such exports, or on a run without an end, which does not
    /// become a report.
    ///
    /// Exports that name their tenant apply to its runs only. Exports and runs that name none belong together if all
    /// others name the same tenant.
    pub fn review_admins(&mut self, lookback_days: Option<u32>) {
        let Some(directory) = &self.directory else { return };
        let of_exports = directory.tenant();
        let named: BTreeSet<_> = self.runs.iter().filter_map(|run| run.tenant.as_ref()).chain(&of_exports).collect();
        let several = named.len() > 1;
        if several && of_exports.is_none() {
            let message = "ignored the exports of the directory for the administrators, because they do not name their \
                           tenant: add the export of subscribedSkus";
            self.issues.push(Issue::of_file(IssueKind::TenantsMixed, message));
            return;
        }
        for run in self.runs.iter_mut().filter(|run| !several || run.tenant == of_exports) {
            let Some(end) = run.completed else { continue };
            let days = lookback_days.or(run.lookback_days).unwrap_or(DEFAULT_LOOKBACK_DAYS);
            if let Some(review) = directory.admin_review(end, days) {
                run.set_admins(review);
            }
            let observed = directory.observe(Window::before(end, days));
            for Finding { check, .. } in &mut run.findings {
                check.observed_usage = observed.usage(&check.control_id);
            }
        }
    }

    fn add_directory(&mut self, mut directory: Directory) {
        let tenants = directory.tenants().len();
        if tenants > 1 {
            let message = format!("left out the exports of {tenants} tenants: import one tenant at a time");
            self.issues.push(Issue::of_file(IssueKind::TenantsMixed, message));
            return;
        }
        directory.deduplicate();
        self.issues.extend(directory.issues());
        self.directory = Some(directory);
    }
}
