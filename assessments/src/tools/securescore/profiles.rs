//! The profiles of one tenant.

use std::collections::{BTreeMap, BTreeSet};

use model::ControlId;

use super::profile::{Decision, Profile};
use super::score::Score;
use crate::file::Extent;
use crate::run::{Issue, IssueKind};

/// The profiles of one tenant, by the control that each describes.
#[derive(Default)]
pub(super) struct Profiles {
    by_control: BTreeMap<String, Profile>,
    /// How much of the list the files contain.
    pub(super) extent: Extent,
}

impl Profiles {
    /// Takes a profile. Of two profiles of one control, the one with the later decision counts.
    pub(super) fn take(&mut self, profile: Profile) {
        let control = profile.control().to_owned();
        if self.by_control.get(&control).is_none_or(|known| *known < profile) {
            self.by_control.insert(control, profile);
        }
    }

    /// Adds the profiles of other pages.
    pub(super) fn join(&mut self, other: Self) {
        other.by_control.into_values().for_each(|profile| self.take(profile));
        self.extent.join(other.extent);
    }

    /// Returns the profile of a control.
    pub(super) fn of(&self, control: &ControlId) -> Option<&Profile> {
        self.by_control.get(control.as_str())
    }

    /// Returns the decision about a control.
    pub(super) fn decision(&self, control: &ControlId) -> Decision {
        self.of(control).map_or(Decision::None, Profile::decision)
    }

    /// Returns an issue for everything in the score that the profiles do not describe.
    pub(super) fn issues(&self, score: &Score) -> Vec<Issue> {
        if !self.extent.is_known() {
            let message = "no file contains the secureScoreControlProfiles of the tenant: titles, fixes and severities \
                           come from the catalogue, and decisions such as ignored or planned are unknown";
            return vec![Issue::of_file(IssueKind::CounterpartMissing, message)];
        }
        let mut issues = Vec::new();
        if !self.extent.is_whole(self.by_control.len()) {
            let message = "the list of secureScoreControlProfiles is incomplete: add its missing pages";
            issues.push(Issue::of_file(IssueKind::PageMissing, message));
        }
        let controls = score.control_scores.iter().flatten().map(|control| &control.control_name);
        let missing: BTreeSet<&str> =
            controls.clone().filter(|control| self.of(control).is_none()).map(ControlId::as_str).collect();
        if !missing.is_empty() {
            let count = missing.len();
            let ids = Vec::from_iter(missing).join(", ");
            let message = format!("imported controls without a profile, with the texts of the score; {count}: {ids}");
            issues.push(Issue::of_file(IssueKind::ProfileMissing, message));
        }
        issues.extend(controls.filter(|control| self.decision(control) == Decision::Unknown).map(|control| {
            let message = "is marked with an unknown word; its points decide";
            Issue::of_control(IssueKind::UnknownMark, control, message)
        }));
        issues
    }
}
