//! The runs of a file, one per tenant.

use std::collections::BTreeMap;

use model::{ProviderTenantId, Timestamp};

use super::finding::{Finding, Origin, ProwlerCheck};
use crate::catalogue::RevisedControl;
use crate::file::Unreadable;
use crate::run::{ControlResult, ControlResults, FileRuns, Issue, IssueKind, Repetition, Run, RunFacts, Tool};
use crate::text::number_after;

/// The tool's names for Microsoft 365; the second is that of its first versions.
const PROVIDERS: &[&str] = &["m365", "microsoft365"];

/// The check whose result contains the number of top-privilege administrators, and the phrase before the number.
const ADMINISTRATORS: (&str, &str) = ("admincenter_users_between_two_and_four_global_admins", "There are ");

/// The findings read so far, by tenant.
#[derive(Default)]
pub(super) struct TenantRuns {
    tenants: BTreeMap<Option<ProviderTenantId>, TenantRun>,
    unreadable: usize,
    other_provider: Option<String>,
}

impl TenantRuns {
    /// Takes one finding, or counts a malformed row.
    pub(super) fn take(&mut self, finding: Option<Finding>) {
        match finding {
            Some(finding) if PROVIDERS.contains(&finding.origin.provider.as_str()) => {
                let tenant = finding.origin.tenant.clone();
                if self.tenants.entry(tenant).or_default().take(finding).is_none() {
                    self.unreadable += 1;
                }
            }
            Some(finding) => {
                self.other_provider.get_or_insert(finding.origin.provider);
            }
            None => self.unreadable += 1,
        }
    }

    /// Returns the runs, and the number of malformed rows as an issue.
    ///
    /// # Errors
    /// Returns an error if there are findings of another provider: they are not results of Microsoft 365, and a tenant's
    /// report must not present them as such.
    pub(super) fn finish(self) -> Result<FileRuns, Unreadable> {
        if let Some(provider) = self.other_provider {
            return Err(Unreadable::other_provider(&provider, PROVIDERS[0]));
        }
        let runs = self.tenants.into_values().map(TenantRun::into_run).collect();
        let mut issues = Vec::new();
        if self.unreadable > 0 {
            let message = format!("skipped rows that are not findings: {}", self.unreadable);
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
        self.note(finding.origin);
        self.results.take(Some(ControlResult { control, outcome, state: finding.text, texts: finding.texts }));
        Some(())
    }

    fn note(&mut self, origin: Origin) {
        self.tenant = origin.tenant;
        self.version = self.version.take().max(origin.version);
        self.first = [self.first, origin.time].into_iter().flatten().min();
        self.last = self.last.max(origin.time);
    }

    fn into_run(self) -> Run {
        let facts = RunFacts {
            version: self.version,
            tenant: self.tenant.map(String::from),
            started: self.first,
            completed: self.last,
            run_id: None,
            administrators: self.administrators,
        };
        facts.into_run(Tool::Prowler, self.results)
    }
}
