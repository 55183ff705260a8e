//! The findings of a file, folded to runs: one for each tenant.

use std::collections::BTreeMap;

use model::{ProviderTenantId, Timestamp};

use super::finding::{Finding, Origin, Said};
use crate::catalogue::RevisedControl;
use crate::collector::{Collector, Outcome, Repetition, Row};
use crate::header::Header;
use crate::read::{Part, Unreadable};
use crate::run::{Issue, IssueKind, Run, Tool};
use crate::wording::number_after;

/// What the tool calls the suite; the second name is that of its first versions.
const PROVIDERS: &[&str] = &["m365", "microsoft365"];

/// The check whose result tells how many top-privilege administrators there are, and the words before the number.
const ADMINISTRATORS: (&str, &str) = ("admincenter_users_between_two_and_four_global_admins", "There are ");

/// Takes findings and folds them to runs.
#[derive(Default)]
pub(super) struct Runs {
    tenants: BTreeMap<Option<ProviderTenantId>, TenantRun>,
    unreadable: usize,
    other_provider: Option<String>,
}

impl Runs {
    /// Takes one finding, or notes that a row is none.
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

    /// The runs, and how many rows were no findings.
    ///
    /// # Errors
    /// When there are findings of another provider: they are no results of the suite, and a tenant's report must not
    /// look as if they were.
    pub(super) fn into_parts(self) -> Result<Vec<Part>, Unreadable> {
        if let Some(provider) = self.other_provider {
            return Err(Unreadable::other_provider(&provider, PROVIDERS[0]));
        }
        let mut parts: Vec<Part> = self.tenants.into_values().map(|tenant| tenant.into_run().into()).collect();
        if self.unreadable > 0 {
            let message = format!("rows that are no findings were left out: {}", self.unreadable);
            parts.push(Issue::of_file(IssueKind::UnreadableRow, message).into());
        }
        Ok(parts)
    }
}

/// The findings of one tenant.
struct TenantRun {
    checks: Collector<Said>,
    tenant: Option<ProviderTenantId>,
    version: Option<String>,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    administrators: Option<u32>,
}

impl Default for TenantRun {
    fn default() -> Self {
        Self {
            checks: Collector::new(Repetition::Resources),
            tenant: None,
            version: None,
            first: None,
            last: None,
            administrators: None,
        }
    }
}

impl TenantRun {
    fn take(&mut self, finding: Finding) -> Option<()> {
        let control: RevisedControl = RevisedControl { control: finding.check.parse().ok()?, revision: 1 };
        let outcome = finding.outcome().unwrap_or_else(|status| {
            self.checks.note_unknown(&control.control, status);
            Outcome::NotAssessed
        });
        if finding.check == ADMINISTRATORS.0 {
            self.administrators = self.administrators.max(number_after(&[ADMINISTRATORS.1], &finding.text));
        }
        self.note(finding.origin);
        self.checks.take(Row { control, outcome, state: finding.text, about: finding.said });
        Some(())
    }

    fn note(&mut self, origin: Origin) {
        self.tenant = origin.tenant;
        self.version = self.version.take().max(origin.version);
        self.first = [self.first, origin.time].into_iter().flatten().min();
        self.last = self.last.max(origin.time);
    }

    fn into_run(self) -> Run {
        let header = Header {
            version: self.version,
            tenant: self.tenant.map(String::from),
            started: self.first,
            completed: self.last,
            run_id: None,
            administrators: self.administrators,
        };
        header.into_run(Tool::Prowler, self.checks.finish(Said::plain))
    }
}
