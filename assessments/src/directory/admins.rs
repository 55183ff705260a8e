//! Review of the top-privilege administrators.

use std::collections::{BTreeMap, BTreeSet};

use model::{MfaEnforcement, MfaMethod, Timestamp};

use super::exports::Directory;
use super::policies::AccountSetting;
use super::rows::Member;
use crate::activity::{BY_ACCOUNT, BY_NOTHING, BY_POLICY, Measure, Subject, Tally, Window};
use crate::run::{AdminReview, Administrator};

impl Directory {
    /// Returns the administrators at a time, with their sign-ins of a number of days before it. Returns `None` if no
    /// file contains the members of the top role.
    ///
    /// | field | from | without it |
    /// |---|---|---|
    /// | `count` | people who hold the role, assigned or eligible, directly or through a group; applications do not count | |
    /// | `complete` | whether all holders are known, and the lists lack no page and no row | |
    /// | `user_principal_name` | the member, else the users | left out of `admins`, and `complete` is false |
    /// | `mfa_method` | strongest of `methodsRegistered` | `UNKNOWN` |
    /// | `mfa_enforcement` | sign-ins: `CA_POLICY` if a conditional access policy or the security defaults required a second factor; else `PER_USER` if the account's own setting did; else `NONE` if a password alone was enough; without sign-ins, the conditional access policies, then the account's own setting | `UNKNOWN` |
    /// | `password_age_days` | whole days since the users' `lastPasswordChangeDateTime` | none |
    /// | `failed_sign_ins` | sign-ins with an error, without those that were only interrupted | 0 |
    ///
    /// Only sign-ins of the beta version show every enforcement; those of v1.0 show policies only.
    pub fn admin_review(&self, at: Timestamp, lookback_days: u32) -> Option<AdminReview> {
        if !self.lists_admins() {
            return None;
        }
        let sign_ins = self.sign_ins_of(Window::before(at, lookback_days), &self.member_subjects());
        let none = Tally::default();
        let of = |id: &str| sign_ins.get(&Subject::of(id)).unwrap_or(&none);
        let holders = self.holders();
        let people = &holders.people;
        let admins: Vec<_> =
            people.iter().filter_map(|(id, member)| self.administrator(id, member, of(id), at)).collect();
        let all_known = holders.unknown_groups == 0 && holders.unknown == 0;
        Some(AdminReview {
            count: u32::try_from(people.len()).ok(),
            complete: all_known && self.lists_are_whole() && admins.len() == people.len(),
            admins,
        })
    }

    /// Returns the sign-ins of some users in a window.
    pub(super) fn sign_ins_of(&self, window: Window, users: &BTreeSet<Subject>) -> BTreeMap<Subject, Tally> {
        self.activity.sign_ins().map(|log| log.events.tallies(window, users)).unwrap_or_default()
    }

    /// Returns whether the exports contain the administrators.
    pub(crate) fn lists_admins(&self) -> bool {
        self.members.state().is_known()
    }

    fn administrator(&self, id: &str, member: &Member, sign_ins: &Tally, at: Timestamp) -> Option<Administrator> {
        let user = self.users.row(id);
        let name = member.user_principal_name.as_ref().or(user.map(|user| &user.user_principal_name))?;
        let password_change = user.and_then(|user| user.last_password_change_date_time);
        Some(Administrator {
            user_principal_name: name.clone(),
            mfa_enforcement: self.enforcement(id, sign_ins),
            mfa_method: self.registrations.row(id).map_or(MfaMethod::Unknown, |row| row.strongest()),
            password_age_days: password_change.map(|change| days_between(change, at)),
            failed_sign_ins: failures(sign_ins),
        })
    }

    /// Returns what requires a second factor of an administrator: what the sign-ins show, else what is configured.
    fn enforcement(&self, id: &str, sign_ins: &Tally) -> MfaEnforcement {
        let seen = |label| sign_ins.counts(Measure::SecondFactor).is_some_and(|counts| counts.events(Some(label)) > 0);
        if seen(BY_POLICY) {
            MfaEnforcement::CaPolicy
        } else if seen(BY_ACCOUNT) {
            MfaEnforcement::PerUser
        } else if seen(BY_NOTHING) {
            MfaEnforcement::None
        } else if self.policies.rows().any(|(_, it)| it.requires_second_factor_of(id)) {
            MfaEnforcement::CaPolicy
        } else if self.account_settings.row(id).is_some_and(AccountSetting::requires_second_factor) {
            MfaEnforcement::PerUser
        } else {
            MfaEnforcement::Unknown
        }
    }

    fn lists_are_whole(&self) -> bool {
        let lists = [
            self.members.state(),
            self.eligible.state(),
            self.users.state(),
            self.registrations.state(),
            self.state_of_sign_ins(),
        ];
        !lists.iter().any(|list| list.is_partial() || list.unreadable > 0)
    }
}

/// Returns the number of sign-ins that failed.
pub(super) fn failures(sign_ins: &Tally) -> u32 {
    let failures = sign_ins.counts(Measure::FailedSignIn).map_or(0, |counts| counts.events(None));
    u32::try_from(failures).unwrap_or(u32::MAX)
}

/// Returns the whole days from one time to a later one, else 0.
fn days_between(from: Timestamp, to: Timestamp) -> u32 {
    u32::try_from((to.to_datetime() - from.to_datetime()).num_days()).unwrap_or(0)
}
