//! The runs of a file, one per tenant.

use std::collections::BTreeMap;

use model::{ProviderTenantId, Timestamp};

use super::finding::{Finding, Origin, ProwlerCheck};
use crate::catalogue::RevisedControl;
use crate::file::{TimeProblem, Unreadable};
use crate::run::{ControlResult, ControlResults, FileRuns, Issue, IssueKind, Repetition, Run, RunFacts, Tool};
use crate::text::number_after;

/// The tool's names for Microsoft 365; the second is that of its first versions.
const PROVIDERS: &[&str] = &["m365", "microsoft365"];

/// Name of the tool in its own findings. Other tools write findings of the same shape.
const PRODUCT: &str = "Prowler";

/// The check whose result contains the number of top-privilege administrators, and the phrase before the number.
const ADMINISTRATORS: (&str, &str) = ("admincenter_users_between_two_and_four_global_admins", "There are ");

/// The findings read so far, by tenant.
#[derive(Default)]
pub(super) struct TenantRuns {
    tenants: BTreeMap<Option<ProviderTenantId>, TenantRun>,
    unreadable: usize,
    other_provider: Option<String>,
    other_product: Option<String>,
}

impl TenantRuns {
    /// Takes one finding, or counts a malformed row.
    pub(super) fn take(&mut self, finding: Option<Finding>) {
        let Some(finding) = finding else {
            self.unreadable += 1;
            return;
        };
        if let Some(product) = finding.origin.product.as_ref().filter(|name| !name.eq_ignore_ascii_case(PRODUCT)) {
            self.other_product.get_or_insert(product.clone());
            return;
        }
        match &finding.origin.provider {
            Some(provider) if !PROVIDERS.contains(&provider.as_str()) => {
                self.other_provider.get_or_insert(provider.clone());
            }
            // A row that does not name its provider is damaged; the others decide whether the file is read.
            None => self.unreadable += 1,
            Some(_) => {
                let tenant = finding.origin.tenant.clone();
                if self.tenants.entry(tenant).or_default().take(finding).is_none() {
                    self.unreadable += 1;
                }
            }
        }
    }

    /// Returns the runs, and the number of malformed rows as an issue.
    ///
    /// # Errors
    /// Returns an error if there are findings of another tool or another provider: a tenant's report must not present
    /// them as the tool's results of Microsoft 365.
    pub(super) fn finish(self) -> Result<FileRuns, Unreadable> {
        if let Some(product) = self.other_product {
            return Err(Unreadable::other_product(&product, PRODUCT));
        }
        if let Some(provider) = self.other_provider {
            return Err(Unreadable::other_provider(&provider, PROVIDERS[0]));
        }
        let mut runs: Vec<_> = self.tenants.into_values().map(TenantRun::into_run).collect();
        let mut unreadable = self.unreadable;
        if runs.len() > 1 {
            // If other rows name their tenant, the tenant of these rows is damaged.
            runs.retain(|run| {
                run.tenant.is_some() || {
                    unreadable += run.rows.total;
                    false
                }
            });
        }
        // A malformed row may be of any tenant of the file.
        runs.iter_mut().for_each(|run| run.add_lost_rows(unreadable));
        if runs.is_empty() && unreadable > 0 {
            return Err(Unreadable::NoReadableRow(unreadable));
        }
        let mut issues = Vec::new();
        if unreadable > 0 {
            let message = format!("skipped rows that are not findings: {unreadable}");
            issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
        Ok(FileRuns { runs, issues })
    }
}

/// The findings of one tenant.
struct TenantRun {
    results: ControlResults<ProwlerCheck>,
    tenant: Option<ProviderTenantId>,
    version: Option<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    time_problem: Option<TimeProblem>,
    administrators: Option<u32>,
}

impl Default for TenantRun {
    fn default() -> Self {
        Self {
            results: ControlResults::new(Repetition::Resources),
            tenant: None,
            version: None,
            first: None,
            last: None,
            time_problem: None,
            administrators: None,
        }
    }
}

impl TenantRun {
    /// Takes a finding. Returns `None` if it does not name its check.
    fn take(&mut self, finding: Finding) -> Option<()> {
        let control = RevisedControl { control: finding.check.parse().ok()?, revision: 1 };
        let outcome = finding.outcome().map_err(str::to_owned);
        if finding.check == ADMINISTRATORS.0 {
            self.administrators = self.administrators.max(number_after(&[ADMINISTRATORS.1], &finding.text));
        }
        self.note(&finding.origin);
        let Finding { text: state, texts, damaged, .. } = finding;
        self.results.take(Some(ControlResult { control, outcome, state, texts, damaged }));
        Some(())
    }

    fn note(&mut self, origin: &Origin) {
        self.tenant.clone_from(&origin.tenant);
        self.version = self.version.take().max(origin.version.clone());
        self.first = [self.first, origin.time.ok()].into_iter().flatten().min();
        self.last = self.last.max(origin.time.ok());
        self.time_problem = self.time_problem.max(origin.time.err());
    }

    fn into_run(self) -> Run {
        let facts = RunFacts {
            version: self.version,
            tenant: self.tenant.map(String::from),
            started: self.first,
            completed: self.last,
            time_problem: self.time_problem,
            run_id: None,
            administrators: self.administrators,
        };
        facts.into_run(Tool::Prowler, self.results)
    }
}
