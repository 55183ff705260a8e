//! Microsoft Secure Score, as Graph returns it: daily scores with a result for each control, and the profiles that
//! describe the controls, each list in one or several pages.
//!
//! | list | request |
//! |---|---|
//! | scores | `GET /security/secureScores`; `?$top=1` is enough, since only the latest score makes a report |
//! | profiles | `GET /security/secureScoreControlProfiles` |
//!
//! A score alone makes a report. Without the profile of a control, its title, fix and points are not known, nor
//! whether it was marked as ignored, as covered by a third party, or as planned.

mod number;
mod profile;
mod run;
mod score;

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{Extent, Listing, RowKey, read_page};
use crate::read::{Format, Input, Outline, Part, Unreadable};
use crate::run::{Issue, IssueKind, Run};
use profile::Profile;
use score::Score;

/// What the files of one or several tenants hold.
#[derive(Default)]
pub(crate) struct SecureScore {
    /// By what the rows have for the tenant's identifier, which need not be one.
    tenants: BTreeMap<String, Tenant>,
    unreadable: BTreeSet<RowKey>,
}

/// What the files hold of one tenant.
#[derive(Default)]
struct Tenant {
    latest: Option<Score>,
    profiles: Profiles,
}

/// The profiles of one tenant, by the control that each describes.
#[derive(Default)]
struct Profiles {
    by_control: BTreeMap<String, Profile>,
    extent: Extent,
}

impl SecureScore {
    fn take_score(&mut self, score: Score) {
        self.tenants.entry(score.tenant_key()).or_default().take_score(score);
    }

    fn take_profile(&mut self, profile: Profile) {
        self.tenants.entry(profile.tenant_key()).or_default().profiles.take(profile);
    }

    /// The files of both.
    pub(crate) fn join(&mut self, other: Self) {
        for (id, files) in other.tenants {
            let tenant = self.tenants.entry(id).or_default();
            files.latest.into_iter().for_each(|score| tenant.take_score(score));
            files.profiles.by_control.into_values().for_each(|profile| tenant.profiles.take(profile));
            tenant.profiles.extent.join(files.profiles.extent);
        }
        self.unreadable.extend(other.unreadable);
    }

    /// The run of each tenant that has a score, and what belongs to no run.
    pub(crate) fn into_runs(self) -> (Vec<Run>, Vec<Issue>) {
        let mut issues = Vec::new();
        if !self.unreadable.is_empty() {
            let unreadable = self.unreadable.len();
            let message = format!("rows that are neither scores nor profiles were left out: {unreadable}");
            issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
        }
        let mut runs = Vec::new();
        for tenant in self.tenants.into_values() {
            match tenant.latest {
                Some(score) => runs.push(score.into_run(&tenant.profiles)),
                None => issues.push(Issue::of_file(
                    IssueKind::CounterpartMissing,
                    "the profiles of a tenant's controls came without its secureScores, which hold the results",
                )),
            }
        }
        (runs, issues)
    }
}

impl Tenant {
    /// The latest score stands.
    fn take_score(&mut self, score: Score) {
        if self.latest.as_ref().is_none_or(|latest| latest.order() < score.order()) {
            self.latest = Some(score);
        }
    }
}

impl Profiles {
    /// Of two profiles of one control, the one marked last stands.
    fn take(&mut self, profile: Profile) {
        let control = profile.control().to_owned();
        if self.by_control.get(&control).is_none_or(|known| *known < profile) {
            self.by_control.insert(control, profile);
        }
    }
}

/// `GET /security/secureScores`
pub(crate) struct Scores;

impl Format for Scores {
    fn name(&self) -> &'static str {
        "Microsoft Secure Score's secureScores (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        Listing { name: "security/secureScores", keys: &["controlScores"] }.recognizes(outline)
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let mut files = SecureScore::default();
        read_page(input, |score| match score {
            Ok(score) => files.take_score(score),
            Err(key) => drop(files.unreadable.insert(key)),
        })?;
        Ok(vec![files.into()])
    }
}

/// `GET /security/secureScoreControlProfiles`
pub(crate) struct ControlProfiles;

impl Format for ControlProfiles {
    fn name(&self) -> &'static str {
        "Microsoft Secure Score's secureScoreControlProfiles (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        let keys = &["controlStateUpdates", "maxScore"];
        Listing { name: "security/secureScoreControlProfiles", keys }.recognizes(outline)
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let mut files = SecureScore::default();
        let extent = read_page(input, |profile| match profile {
            Ok(profile) => files.take_profile(profile),
            Err(key) => drop(files.unreadable.insert(key)),
        })?;
        files.tenants.values_mut().for_each(|tenant| tenant.profiles.extent = extent);
        Ok(vec![files.into()])
    }
}
