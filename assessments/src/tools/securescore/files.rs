//! Scores and profiles of several tenants, from any number of files.

use std::collections::{BTreeMap, BTreeSet};

use super::profile::Profile;
use super::profiles::Profiles;
use super::run::run_of;
use super::score::Score;
use crate::file::{Input, RowKey, Unreadable, read_page};
use crate::run::{Issue, IssueKind, Run};

/// Scores and profiles of one or several tenants.
#[derive(Default)]
pub(crate) struct SecureScore {
    /// Keyed by the tenant's identifier as in the file, which may be malformed.
    tenants: BTreeMap<String, TenantScore>,
    unreadable: BTreeSet<RowKey>,
}

/// Latest score and profiles of one tenant.
#[derive(Default)]
struct TenantScore {
    latest: Option<Score>,
    profiles: Profiles,
}

/// Reads a page of `GET /security/secureScores`.
pub(crate) fn read_scores(input: Input<'_>) -> Result<SecureScore, Unreadable> {
    let mut scores = SecureScore::default();
    read_page(input, |score| match score {
        Ok(score) => scores.take_score(score),
        Err(key) => drop(scores.unreadable.insert(key)),
    })?;
    Ok(scores)
}

/// Reads a page of `GET /security/secureScoreControlProfiles`.
pub(crate) fn read_profiles(input: Input<'_>) -> Result<SecureScore, Unreadable> {
    let mut scores = SecureScore::default();
    let extent = read_page(input, |profile| match profile {
        Ok(profile) => scores.take_profile(profile),
        Err(key) => drop(scores.unreadable.insert(key)),
    })?;
    scores.tenants.values_mut().for_each(|tenant| tenant.profiles.extent = extent);
    Ok(scores)
}

impl SecureScore {
    fn take_score(&mut self, score: Score) {
        self.tenants.entry(score.tenant_key()).or_default().take_score(score);
    }

    fn take_profile(&mut self, profile: Profile) {
        self.tenants.entry(profile.tenant_key()).or_default().profiles.take(profile);
    }

    /// Adds the scores and profiles of other files.
    pub(crate) fn join(&mut self, other: Self) {
        for (id, other) in other.tenants {
            let tenant = self.tenants.entry(id).or_default();
            other.latest.into_iter().for_each(|score| tenant.take_score(score));
            tenant.profiles.join(other.profiles);
        }
        self.unreadable.extend(other.unreadable);
    }

    /// Returns the run of each tenant that has a score, and issues that concern no run.
    pub(crate) fn into_runs(self) -> (Vec<Run>, Vec<Issue>) {
        let mut issues = Vec::new();
        if !self.unreadable.is_empty() {
            let message = format!("skipped rows that are neither scores nor profiles: {}", self.unreadable.len());
            issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
        let mut runs = Vec::new();
        for tenant in self.tenants.into_values() {
            match tenant.latest {
                Some(score) => runs.push(run_of(score, &tenant.profiles)),
                None => issues.push(Issue::of_file(
                    IssueKind::CounterpartMissing,
                    "the files contain the control profiles of a tenant without its results: add its secureScores",
                )),
            }
        }
        (runs, issues)
    }
}

impl TenantScore {
    /// Takes a score if it is later than the one before.
    fn take_score(&mut self, score: Score) {
        if self.latest.as_ref().is_none_or(|latest| latest.order() < score.order()) {
            self.latest = Some(score);
        }
    }
}
