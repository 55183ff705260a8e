//! Controls about accounts that nobody uses.

use std::collections::BTreeMap;

use chrono::{NaiveDate, TimeDelta};
use model::{NotAssessedReason, Timestamp, counted};

use super::rows::Account;
use crate::activity::Columns;
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, secure_if};
use crate::file::{Input, Unreadable};

/// Days without activity after which an account counts as unused.
const UNUSED: TimeDelta = TimeDelta::days(90);

/// Days after which an invitation that was not accepted is stale.
const STALE_INVITATION: TimeDelta = TimeDelta::days(30);

/// Columns of the report of active users with the last day in a service.
const LAST_DAYS: [&str; 6] = [
    "exchange last activity date",
    "onedrive last activity date",
    "sharepoint last activity date",
    "skype for business last activity date",
    "teams last activity date",
    "yammer last activity date",
];

/// The last day on which each user was active, by sign-in name in lower case, from the report of active users.
#[derive(Default)]
pub(in crate::controls) struct ActiveUsers {
    last: BTreeMap<String, Option<NaiveDate>>,
    /// Days that the report covers.
    days: Option<u32>,
    unreadable: usize,
}

impl ActiveUsers {
    /// Reads the table `getOffice365ActiveUserDetail` for a number of days, which only its request says.
    pub(in crate::controls) fn read(&mut self, input: Input<'_>, days: Option<u32>) -> Result<(), Unreadable> {
        self.days = days;
        for row in Columns::of_table(input)? {
            let row = row?;
            let read = row.as_ref().and_then(|row| Some((row, row.text("user principal name")?)));
            let Some((row, name)) = read else {
                self.unreadable += 1;
                continue;
            };
            let last = LAST_DAYS.iter().filter_map(|column| row.day(column)).max();
            let known = self.last.entry(name.to_lowercase()).or_default();
            *known = (*known).max(last);
        }
        Ok(())
    }
}

/// The last use of an account, as far as it is known.
enum Use {
    Used,
    Unused,
    Unknown,
}

/// Accounts of members that nobody uses are disabled.
pub(in crate::controls) fn unused_accounts(tenant: &Tenant) -> Judged {
    unused(tenant, false, "member", 0)
}

/// Guests who no longer come are removed.
pub(in crate::controls) fn unused_guests(tenant: &Tenant) -> Judged {
    tenant.complete(Source::Users, &tenant.lists.users)?;
    let stale = tenant.lists.users.rows().filter(|account| has_stale_invitation(account, tenant.now())).count();
    unused(tenant, true, "guest", stale)
}

fn has_stale_invitation(account: &Account, now: Timestamp) -> bool {
    let since = account.external_user_state_change_date_time.or(account.created_date_time);
    account.external_user_state.as_deref() == Some("PendingAcceptance") && is_before(since, now, STALE_INVITATION)
}

/// Returns whether a time is longer ago than this.
fn is_before(time: Option<Timestamp>, now: Timestamp, ago: TimeDelta) -> bool {
    time.is_some_and(|time| now.to_datetime() - time.to_datetime() > ago)
}

fn unused(tenant: &Tenant, guests: bool, kind: &str, stale_invitations: usize) -> Judged {
    let accounts = tenant.rows(Source::Users, &tenant.lists.users)?;
    let (mut total, mut unused, mut unknown) = (0, 0, 0);
    for account in accounts.filter(|account| account.is_guest() != Some(!guests)) {
        let (Some(enabled), Some(_), Some(created)) =
            (account.account_enabled, account.is_guest(), account.created_date_time)
        else {
            return not_assessed("The users were read without their kind, state or age.");
        };
        // A new account has had no time to be used.
        if !enabled || !is_before(Some(created), tenant.now(), UNUSED) {
            continue;
        }
        total += 1;
        match last_use(tenant, account) {
            Use::Used => {}
            Use::Unused => unused += 1,
            Use::Unknown => unknown += 1,
        }
    }
    let stale = format!("Invitations that were never accepted: {stale_invitations}. ");
    let stale = if stale_invitations > 0 { stale.as_str() } else { "" };
    if unused + stale_invitations == 0 && unknown > 0 {
        return Err(reason(tenant, unknown, kind));
    }
    let of = counted(total, &format!("enabled {kind}"));
    secure_if(
        unused + stale_invitations == 0,
        format!("All of {of} were active in the last {} days, or are new.", UNUSED.num_days()),
        format!("{stale}{unused} of {of} were not active in the last {} days.", UNUSED.num_days()),
    )
}

/// Returns whether an account was used, by its own last sign-in or by the report of active users.
fn last_use(tenant: &Tenant, account: &Account) -> Use {
    let of_last = |is_recent: bool| if is_recent { Use::Used } else { Use::Unused };
    // The interface knows every sign-in since 2020, and leaves the property out for an account without any.
    if tenant.whole_queries(Source::Users).any(|query| query.contains("signInActivity")) {
        let last = account.sign_in_activity.as_ref().and_then(|activity| activity.last());
        return of_last(last.is_some_and(|last| !is_before(Some(last), tenant.now(), UNUSED)));
    }
    let report = &tenant.lists.active_users;
    let name = account.user_principal_name.as_deref().unwrap_or_default().to_lowercase();
    let covers = report.days.is_some_and(|days| i64::from(days) >= UNUSED.num_days());
    match report.last.get(&name) {
        Some(last) if covers && names_are_shown(tenant).is_ok() => {
            let today = tenant.now().date();
            of_last(last.is_some_and(|last| today - last <= UNUSED))
        }
        _ => Use::Unknown,
    }
}

/// Returns an error if usage reports conceal names, or if that is not known.
fn names_are_shown(tenant: &Tenant) -> Result<(), NotAssessed> {
    tenant.whole(Source::ActiveUsersReport)?;
    tenant.readable(Source::ActiveUsersReport, tenant.lists.active_users.unreadable)?;
    match tenant.document(Source::ReportSettings)?.flag("displayConcealedNames")? {
        false => Ok(()),
        true => not_assessed(
            "Usage reports conceal the names of users: show them in the Microsoft 365 admin center (Settings, Org \
             settings, Reports).",
        ),
    }
}

/// Returns the reason why the use of accounts is not known.
fn reason(tenant: &Tenant, unknown: usize, kind: &str) -> NotAssessed {
    if let Err(reason) = names_are_shown(tenant) {
        return reason;
    }
    let accounts = counted(unknown, &format!("enabled {kind}"));
    let licence = if tenant.lacks(Licence::P1) { ", and their sign-ins need Microsoft Entra ID P1" } else { "" };
    NotAssessed::new(NotAssessedReason::Missing, format!("The usage report does not cover {accounts}{licence}."))
}
