//! Sign-ins: how often they failed, and what required a second factor.
//!
//! A log is by far the largest export, so only data that a review needs is kept: the failures, when a second factor was
//! last required of each user and when it was not. The log of the activity has the keys of the sign-ins, because pages can
//! occur more than once.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use model::{MfaEnforcement, Timestamp};

use super::sign_in_row::{Enforcement, SignIn};
use crate::activity::{Columns, Entry, Log, Subject};
use crate::file::{Extent, Input, RowKey, Unreadable, read_page};

/// The sign-ins of the files.
#[derive(Default)]
pub(super) struct SignIns {
    users: BTreeMap<String, Activity>,
}

/// The sign-ins of one user.
#[derive(Default)]
struct Activity {
    /// Times of failed sign-ins, with their identifiers, because a page can occur more than once.
    failures: BTreeSet<(Timestamp, String)>,
    /// First and last time of each day (UTC) at which each kind of enforcement was seen. That is enough for every window
    /// of at least a day.
    enforcement: BTreeMap<(Enforcement, NaiveDate), [Timestamp; 2]>,
}

impl SignIns {
    /// Reads a page of the log, and adds what it shows of activity to `log`.
    pub(super) fn read(input: Input<'_>, log: &mut Log) -> Result<Self, Unreadable> {
        let mut page = Self::default();
        log.extent = read_page(input, |row: Result<SignIn, RowKey>| match row {
            Ok(row) => page.take(row, log),
            Err(key) => log.note_unreadable(key),
        })?;
        Ok(page)
    }

    /// Reads the table that the admin centre exports, and adds what it shows of activity to `log`.
    pub(super) fn read_table(input: Input<'_>, log: &mut Log) -> Result<Self, Unreadable> {
        let mut page = Self::default();
        for (number, row) in input.table::<BTreeMap<String, String>>()?.enumerate() {
            match row?.map(Columns::of).as_ref().and_then(SignIn::of_table) {
                Some(row) => page.take(row, log),
                None => log.note_unreadable(RowKey::of(&number.to_string())),
            }
        }
        log.extent = Extent::of_page(false, None);
        Ok(page)
    }

    fn take(&mut self, row: SignIn, log: &mut Log) {
        let key = RowKey::of(&row.id);
        let Some(time) = row.created_date_time else {
            log.note_unreadable(key);
            return;
        };
        if log.note(key, time) {
            let subject = Subject::of(&row.user_id);
            row.shown().observe(Entry { id: Subject::of(&row.id), at: time, subject }, &mut log.events);
        }
        if row.is_interactive == Some(false) {
            log.has_non_interactive();
        }
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
            for ((enforcement, _), times) in activity.enforcement {
                times.into_iter().for_each(|time| joined.note(enforcement, time));
            }
        }
    }

    /// Returns the number of failed sign-ins of a user after `start` and up to `end`.
    pub(super) fn failures(&self, user: &str, start: Option<Timestamp>, end: Timestamp) -> u32 {
        let Some(activity) = self.users.get(user) else { return 0 };
        let within = activity.failures.iter().filter(|(time, _)| Some(*time) > start && *time <= end);
        u32::try_from(within.count()).unwrap_or(u32::MAX)
    }

    /// Returns what required a second factor of a user after `start` and up to `end`. It is unknown if no sign-in shows it.
    pub(super) fn enforcement(&self, user: &str, start: Option<Timestamp>, end: Timestamp) -> MfaEnforcement {
        let seen = self.users.get(user).into_iter().flat_map(|activity| &activity.enforcement);
        let within = seen.filter(|(_, times)| times.iter().any(|time| Some(*time) > start && *time <= end));
        match within.map(|((enforcement, _), _)| *enforcement).min() {
            Some(Enforcement::Policy) => MfaEnforcement::CaPolicy,
            Some(Enforcement::PerUser) => MfaEnforcement::PerUser,
            Some(Enforcement::None) => MfaEnforcement::None,
            None => MfaEnforcement::Unknown,
        }
    }
}

impl Activity {
    fn note(&mut self, enforcement: Enforcement, time: Timestamp) {
        let day = time.to_datetime().date_naive();
        let [first, last] = self.enforcement.entry((enforcement, day)).or_insert([time; 2]);
        (*first, *last) = ((*first).min(time), (*last).max(time));
    }
}
