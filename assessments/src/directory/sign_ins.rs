//! Sign-ins: how often they failed, and what required a second factor.
//!
//! A log is by far the largest export, so only data that a review needs is kept: the failures, when a second factor was
//! last required of each user and when it was not, and the keys of the sign-ins, because pages can occur more than once.

use std::collections::{BTreeMap, BTreeSet};

use model::{MfaEnforcement, Timestamp};
use serde::Deserialize;

use super::list::ListState;
use super::rows::time;
use crate::file::{Extent, Input, RowKey, Unreadable, read_page};

/// Error codes of interrupted sign-ins, which the log does not count as failed: the user was asked for a second factor, to
/// register one, to stay signed in, to choose an account, or to consent.
const INTERRUPTIONS: [i64; 11] = [16000, 50058, 50072, 50074, 50076, 50079, 50097, 50125, 50140, 50199, 65001];

/// The sign-ins of the files.
#[derive(Default)]
pub(super) struct SignIns {
    users: BTreeMap<String, Activity>,
    extent: Extent,
    seen: BTreeSet<RowKey>,
    unreadable: BTreeSet<RowKey>,
}

/// The sign-ins of one user.
#[derive(Default)]
struct Activity {
    /// Times of failed sign-ins, with their identifiers, because a page can occur more than once.
    failures: BTreeSet<(Timestamp, String)>,
    /// Time at which each kind of enforcement was last seen.
    enforcement: BTreeMap<Enforcement, Timestamp>,
}

/// Enforcement of the second factor in a sign-in, in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Enforcement {
    Policy,
    PerUser,
    None,
}

impl SignIns {
    /// Reads a page of the log.
    pub(super) fn read(input: Input<'_>) -> Result<Self, Unreadable> {
        let mut page = Self::default();
        page.extent = read_page(input, |row: Result<SignIn, RowKey>| match row {
            Ok(row) => page.take(row),
            Err(key) => drop(page.unreadable.insert(key)),
        })?;
        Ok(page)
    }

    fn take(&mut self, row: SignIn) {
        let key = RowKey::of(&row.id);
        let Some(time) = row.created_date_time else {
            self.unreadable.insert(key);
            return;
        };
        self.seen.insert(key);
        let enforcement = row.enforcement();
        let failed = row.failed();
        let activity = self.users.entry(row.user_id.to_ascii_lowercase()).or_default();
        if failed {
            activity.failures.insert((time, row.id));
        }
        if let Some(enforcement) = enforcement {
            activity.note(enforcement, time);
        }
    }

    /// Adds the pages of another log.
    pub(super) fn join(&mut self, other: Self) {
        for (user, activity) in other.users {
            let joined = self.users.entry(user).or_default();
            joined.failures.extend(activity.failures);
            activity.enforcement.into_iter().for_each(|(enforcement, time)| joined.note(enforcement, time));
        }
        self.extent.join(other.extent);
        self.seen.extend(other.seen);
        self.unreadable.extend(other.unreadable);
    }

    /// Returns the number of failed sign-ins of a user after `start` and up to `end`.
    pub(super) fn failures(&self, user: &str, start: Option<Timestamp>, end: Timestamp) -> u32 {
        let Some(activity) = self.users.get(user) else { return 0 };
        let within = activity.failures.iter().filter(|(time, _)| Some(*time) > start && *time <= end);
        u32::try_from(within.count()).unwrap_or(u32::MAX)
    }

    /// Returns what required a second factor of a user after `start`. It is unknown if no sign-in shows it.
    pub(super) fn enforcement(&self, user: &str, start: Option<Timestamp>) -> MfaEnforcement {
        let seen = self.users.get(user).into_iter().flat_map(|activity| &activity.enforcement);
        match seen.filter(|(_, last)| Some(**last) > start).map(|(enforcement, _)| *enforcement).min() {
            Some(Enforcement::Policy) => MfaEnforcement::CaPolicy,
            Some(Enforcement::PerUser) => MfaEnforcement::PerUser,
            Some(Enforcement::None) => MfaEnforcement::None,
            None => MfaEnforcement::Unknown,
        }
    }

    /// Returns how much of the log the files contain.
    pub(super) fn state(&self) -> ListState {
        ListState { extent: self.extent, rows: self.seen.len(), unreadable: self.unreadable.len() }
    }
}

impl Activity {
    fn note(&mut self, enforcement: Enforcement, time: Timestamp) {
        let last = self.enforcement.entry(enforcement).or_insert(time);
        *last = (*last).max(time);
    }
}

/// A sign-in, of `GET /auditLogs/signIns`. Only the beta version of Microsoft Graph returns the last three fields.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignIn {
    id: String,
    user_id: String,
    #[serde(default, deserialize_with = "time")]
    created_date_time: Option<Timestamp>,
    status: Option<SignInStatus>,
    #[serde(default)]
    applied_conditional_access_policies: Option<Vec<AppliedPolicy>>,
    authentication_requirement: Option<String>,
    #[serde(default)]
    authentication_requirement_policies: Option<Vec<RequirementPolicy>>,
    #[serde(default)]
    is_interactive: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignInStatus {
    #[serde(default)]
    error_code: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AppliedPolicy {
    enforced_grant_controls: Option<Vec<String>>,
    result: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequirementPolicy {
    requirement_provider: Option<String>,
}

impl SignIn {
    fn error_code(&self) -> i64 {
        self.status.as_ref().map_or(0, |status| status.error_code)
    }

    fn failed(&self) -> bool {
        let code = self.error_code();
        code != 0 && !INTERRUPTIONS.contains(&code)
    }

    fn enforcement(&self) -> Option<Enforcement> {
        let applied = self.applied_conditional_access_policies.iter().flatten();
        let mut providers = self.authentication_requirement_policies.iter().flatten();
        if applied.clone().any(AppliedPolicy::asks_for_second_factor)
            || providers.clone().any(RequirementPolicy::is_tenants)
        {
            Some(Enforcement::Policy)
        } else if providers.any(|policy| policy.requirement_provider.as_deref() == Some("user")) {
            Some(Enforcement::PerUser)
        } else if self.got_in_with_one_factor() {
            Some(Enforcement::None)
        } else {
            None
        }
    }

    /// Whether one factor was enough. Sign-ins without the user repeat the result of an earlier one and do not count.
    fn got_in_with_one_factor(&self) -> bool {
        self.error_code() == 0
            && self.is_interactive == Some(true)
            && self.authentication_requirement.as_deref() == Some("singleFactorAuthentication")
    }
}

impl AppliedPolicy {
    /// Whether the policy was enforced, not only reported, and requires a second factor.
    fn asks_for_second_factor(&self) -> bool {
        let in_force = matches!(self.result.as_deref(), Some("success" | "failure"));
        in_force && self.enforced_grant_controls.iter().flatten().any(|control| is_second_factor(control))
    }
}

impl RequirementPolicy {
    /// Whether it is a policy of the tenant. Security defaults are conditional access that the provider configures.
    fn is_tenants(&self) -> bool {
        matches!(
            self.requirement_provider.as_deref(),
            Some("multiConditionalAccess" | "securityDefaults" | "v1ConditionalAccess")
        )
    }
}

/// Whether a grant control requires a second factor, by its name or by an authentication strength.
fn is_second_factor(control: &str) -> bool {
    let control = control.to_ascii_lowercase().replace([' ', '-'], "");
    ["mfa", "multifactor", "authenticationstrength"].iter().any(|name| control.contains(name))
}
