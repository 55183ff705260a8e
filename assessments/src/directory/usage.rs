//! Usage and billing of a tenant, derived from its users.

use chrono::{Datelike, Days, Months, NaiveDate};
use model::{BillableStatus, BillableUser};

use super::exports::Directory;
use super::rows::User;

/// Days after a tenant was added that are not billed.
pub const TRIAL_DAYS: u32 = 14;

/// Terms of billing for a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// Day (UTC) the tenant was added.
    pub onboarding_date: NaiveDate,
    /// Days of trial from that day on; [`TRIAL_DAYS`] unless agreed otherwise.
    pub trial_days: u32,
    /// Whether the tenant is paused on the requested day.
    pub is_paused: bool,
    /// Whether the tenant is not for resale.
    pub is_not_for_resale: bool,
}

/// Usage of a tenant on a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// First billable day (UTC): the day after the trial.
    pub first_billable_date: NaiveDate,
    /// Status on the day. Not for resale takes precedence over paused, and paused over trial.
    pub billable_status: BillableStatus,
    /// Users with at least one licence.
    pub total_licensed_users: u32,
    /// The same number if any day of the month is billed, else 0. A tenant that is paused or not for resale is not
    /// billed.
    pub billable_users_this_month: u32,
    /// Percentage of the month's days that are billed, 0 to 100, rounded to two decimals.
    pub prorating_percentage_this_month: f64,
}

/// Reason why the licensed users are unknown. A bill for some of the users would be wrong without anyone noticing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LicensesUnknown {
    /// No file contains the list of users.
    #[error("no file contains the list of users")]
    NoUsers,
    /// A page is missing.
    #[error("the list of users is incomplete: add its missing pages")]
    PageMissing,
    /// Rows of the list are malformed, and may be users with a licence.
    #[error("{0} rows of the list of users are malformed: export it as Microsoft Graph returns it")]
    UnreadableRows(usize),
    /// The list has no rows, which is more likely a failed export than a tenant without users.
    #[error(
        "the list of users is empty, so the export may have failed: export the users again, or add --allow-empty if the \
         tenant has none"
    )]
    Empty,
    /// The users were exported without their licences.
    #[error("the users were exported without assignedLicenses: add it to $select")]
    NoLicenses,
}

impl Directory {
    /// Returns the usage on a day.
    ///
    /// # Errors
    /// Returns an error if the exports do not show who is licensed.
    pub fn usage(&self, terms: &Terms, day: NaiveDate) -> Result<Usage, LicensesUnknown> {
        let licensed = self.known_users()?.filter(|user| user.is_licensed()).count();
        Ok(terms.usage(u32::try_from(licensed).unwrap_or(u32::MAX), day))
    }

    /// Accepts an empty list of users.
    pub fn allow_no_users(&mut self) {
        self.no_users_allowed = true;
    }

    /// Returns all users, in order of their ids. Those with a licence are billable.
    ///
    /// | field | from | without it |
    /// |---|---|---|
    /// | `id`, `userPrincipalName` | the same | no user |
    /// | `displayName`, `mail` | the same | empty |
    /// | `accountEnabled` | the same | true |
    /// | `assignedLicenseSkuIds` | `skuId` of each of `assignedLicenses` | no result |
    ///
    /// # Errors
    /// Returns an error if the exports do not show who is licensed.
    pub fn users(&self) -> Result<Vec<BillableUser>, LicensesUnknown> {
        Ok(self.known_users()?.map(User::billable).collect())
    }

    fn known_users(&self) -> Result<impl Iterator<Item = &User>, LicensesUnknown> {
        let users = self.users.rows().map(|(_, user)| user);
        match self.users.state() {
            state if !state.is_known() => Err(LicensesUnknown::NoUsers),
            state if state.is_partial() => Err(LicensesUnknown::PageMissing),
            state if state.unreadable > 0 => Err(LicensesUnknown::UnreadableRows(state.unreadable)),
            _ if users.clone().any(|user| user.assigned_licenses.is_none()) => Err(LicensesUnknown::NoLicenses),
            _ if users.clone().next().is_none() && !self.no_users_allowed => Err(LicensesUnknown::Empty),
            _ => Ok(users),
        }
    }
}

impl Terms {
    /// Returns the first billable day (UTC).
    pub fn first_billable_date(&self) -> NaiveDate {
        let trial = Days::new(self.trial_days.into());
        self.onboarding_date.checked_add_days(trial).unwrap_or(NaiveDate::MAX)
    }

    /// Returns the usage of a number of licensed users on a day.
    pub fn usage(&self, total_licensed_users: u32, day: NaiveDate) -> Usage {
        let prorating = self.prorating_percentage(day);
        Usage {
            first_billable_date: self.first_billable_date(),
            billable_status: self.status(day),
            total_licensed_users,
            billable_users_this_month: if prorating > 0.0 { total_licensed_users } else { 0 },
            prorating_percentage_this_month: prorating,
        }
    }

    fn status(&self, day: NaiveDate) -> BillableStatus {
        if self.is_not_for_resale {
            BillableStatus::NotForResale
        } else if self.is_paused {
            BillableStatus::Paused
        } else if day < self.first_billable_date() {
            BillableStatus::Trial
        } else {
            BillableStatus::Active
        }
    }

    /// Returns the percentage of days that are billed in the month of `day`.
    fn prorating_percentage(&self, day: NaiveDate) -> f64 {
        if self.is_paused || self.is_not_for_resale {
            return 0.0;
        }
        let (start, end) = month_of(day);
        let billed = (end - self.first_billable_date().max(start)).num_days().max(0);
        percentage(billed, (end - start).num_days())
    }
}

/// Returns the first day of a day's month and that of the next month.
fn month_of(day: NaiveDate) -> (NaiveDate, NaiveDate) {
    let start = day.with_day(1).unwrap_or(day);
    (start, start.checked_add_months(Months::new(1)).unwrap_or(NaiveDate::MAX))
}

/// Returns a percentage, rounded to two decimals.
fn percentage(part: i64, whole: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "days of a month")]
    let share = part as f64 / whole.max(1) as f64;
    (share * 10_000.0).round() / 100.0
}
