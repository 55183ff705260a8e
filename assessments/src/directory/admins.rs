//! Review of the top-privilege administrators.

use chrono::TimeDelta;
use model::{MfaMethod, Timestamp};

use super::exports::Directory;
use super::list::ListItem;
use super::rows::Member;
use crate::run::{AdminReview, Administrator};

impl Directory {
    /// Returns the administrators at a time, with their sign-ins of a number of days before it. Returns `None` if no file
    /// contains the members of the top role.
    ///
    /// | field | from | without it |
    /// |---|---|---|
    /// | `count` | members that are persons; applications do not count | |
    /// | `complete` | whether all members are listed, none is a group, and no page of the lists below is missing | |
    /// | `user_principal_name` | the member, else the users | left out of `admins`, and `complete` is false |
    /// | `mfa_method` | strongest of `methodsRegistered` | `UNKNOWN` |
    /// | `mfa_enforcement` | sign-ins: `CA_POLICY` if a conditional access policy or the security defaults required a second factor; else `PER_USER` if the account's own setting did; else `NONE` if a password alone was enough | `UNKNOWN` |
    /// | `password_age_days` | whole days since the users' `lastPasswordChangeDateTime` | none |
    /// | `failed_sign_ins` | sign-ins with an error, without those that were only interrupted | 0 |
    ///
    /// Only sign-ins of the beta version show every enforcement; those of v1.0 show policies only.
    pub fn admin_review(&self, at: Timestamp, lookback_days: u32) -> Option<AdminReview> {
        if !self.lists_admins() {
            return None;
        }
        let start = start_of_window(at, lookback_days);
        let persons: Vec<&Member> =
            self.members.rows().map(|(_, member)| member).filter(|member| member.is_user()).collect();
        let admins: Vec<_> = persons.iter().filter_map(|member| self.administrator(member, start, at)).collect();
        Some(AdminReview {
            count: u32::try_from(persons.len()).ok(),
            complete: self.lists_all_members() && admins.len() == persons.len(),
            admins,
        })
    }

    /// Whether the exports contain the administrators.
    pub(crate) fn lists_admins(&self) -> bool {
        self.members.state().is_known()
    }

    fn administrator(&self, member: &Member, start: Option<Timestamp>, at: Timestamp) -> Option<Administrator> {
        let id = member.id().to_ascii_lowercase();
        let user = self.users.row(&id);
        let name = member.user_principal_name.as_ref().or(user.map(|user| &user.user_principal_name))?;
        let password_change = user.and_then(|user| user.last_password_change_date_time);
        Some(Administrator {
            user_principal_name: name.clone(),
            mfa_enforcement: self.sign_ins.enforcement(&id, start),
            mfa_method: self.registrations.row(&id).map_or(MfaMethod::Unknown, |row| row.strongest()),
            password_age_days: password_change.map(|change| days_between(change, at)),
            failed_sign_ins: self.sign_ins.failures(&id, start, at),
        })
    }

    fn lists_all_members(&self) -> bool {
        let others = [self.users.state(), self.registrations.state(), self.sign_ins.state()];
        !self.members.state().is_partial()
            && !self.members.rows().any(|(_, member)| member.is_group())
            && !others.iter().any(|list| list.is_partial())
    }
}

/// Returns the time a number of days before another. Returns `None`, which is before all others, if there is no such
/// time.
fn start_of_window(end: Timestamp, days: u32) -> Option<Timestamp> {
    end.to_datetime().checked_sub_signed(TimeDelta::days(days.into()))?.try_into().ok()
}

/// Returns the whole days from one time to a later one, else 0.
fn days_between(from: Timestamp, to: Timestamp) -> u32 {
    u32::try_from((to.to_datetime() - from.to_datetime()).num_days()).unwrap_or(0)
}
