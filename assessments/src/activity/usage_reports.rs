//! Usage reports of Microsoft 365, which are tables with a row per user, and the report of forwarded messages.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate, NaiveTime};
use model::Timestamp;

use super::collected::{Activity, Period};
use super::events::{Entry, Events, Subject};
use super::measure::{ALL, Measure};
use super::speech::Source;
use super::tables::{Columns, flag};
use crate::file::{Input, RowKey, Unreadable};

/// Reads `getEmailAppUsageUserDetail`.
pub(crate) fn read_mail_apps(input: Input<'_>) -> Result<Activity, Unreadable> {
    const APPS: [(&str, &str); 3] = [("imap4 app", "IMAP4"), ("pop3 app", "POP3"), ("smtp app", "SMTP")];
    read_report(input, Source::MailApps, &[Measure::MailApp], |user, events| {
        for (column, label) in APPS {
            if user.row.text(column).is_some_and(used) {
                events.add(Measure::MailApp, label, user.entry);
            }
        }
    })
}

/// Reads `getMailboxUsageDetail`.
pub(crate) fn read_mailboxes(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Mailboxes, &[Measure::Mailbox], |user, events| {
        events.add(Measure::Mailbox, if user.active { "used" } else { "unused" }, user.entry);
    })
}

/// Reads `getSharePointActivityUserDetail`.
pub(crate) fn read_share_point(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Files, &[Measure::SharedOutside], |user, events| shared(user, events, "SharePoint"))
}

/// Reads `getOneDriveActivityUserDetail`.
pub(crate) fn read_one_drive(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Files, &[Measure::SharedOutside], |user, events| shared(user, events, "OneDrive"))
}

/// Reads `getTeamsUserActivityUserDetail`.
pub(crate) fn read_teams(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Teams, &[Measure::Meeting], |user, events| {
        if let Some(meetings) = user.row.number("meetings organized count").filter(|count| *count > 0) {
            events.add_many(Measure::Meeting, ALL, user.entry, meetings);
        }
    })
}

/// Reads the report of messages that were forwarded to other organizations.
pub(crate) fn read_forwarding(input: Input<'_>) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    let log = activity.log(Source::Forwarding);
    log.events.observable(Measure::Forwarded);
    for (number, row) in input.table::<BTreeMap<String, String>>()?.enumerate() {
        let Some(row) = row?.map(Columns::of) else {
            log.note_unreadable(RowKey::of(&number.to_string()));
            continue;
        };
        let forwarder = row.text("forwarder").or(row.text("forwarders")).unwrap_or_default();
        let Some(at) = row.time("date").or_else(|| start_of(row.day("date")?)) else {
            log.note_unreadable(RowKey::of(&number.to_string()));
            continue;
        };
        let kind = row.text("forwarding type").unwrap_or_default().to_ascii_lowercase();
        let label = match kind.replace([' ', '-'], "").as_str() {
            "inboxrule" | "inboxrules" | "mailboxrule" | "mailboxrules" => "inbox rules",
            "smtpforwarding" | "mailboxforwarding" => "mailbox forwarding",
            "transportrule" | "transportrules" | "mailflowrule" | "mailflowrules" => "mail flow rules",
            _ => "other forwarding",
        };
        let entry = Entry { id: Subject::of(&number.to_string()), at, subject: Subject::of(forwarder) };
        log.note(RowKey::of(&number.to_string()), at);
        log.events.add_many(Measure::Forwarded, label, entry, row.number("forward count").unwrap_or(1));
    }
    Ok(activity)
}

/// A user of a usage report.
struct ReportUser<'a> {
    row: &'a Columns,
    entry: Entry,
    /// Whether the user was active within the report's period.
    active: bool,
}

/// Reads a usage report. Users who were deleted are left out.
fn read_report(
    input: Input<'_>,
    source: Source,
    measures: &[Measure],
    add: impl Fn(&ReportUser<'_>, &mut Events),
) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    for row in input.table::<BTreeMap<String, String>>()? {
        let Some(row) = row?.map(Columns::of) else { continue };
        let (Some(period), Some(at)) = (period(&row), refreshed(&row).and_then(start_of)) else { continue };
        let events = activity.report(source, period);
        measures.iter().for_each(|measure| events.observable(*measure));
        if row.text("is deleted").and_then(flag) == Some(true) {
            continue;
        }
        let user = Subject::of(row.text("user principal name").unwrap_or_default());
        let last = row.day("last activity date");
        let first = period.last.checked_sub_days(Days::new(period.days.into()));
        let entry = Entry { id: user, at, subject: user };
        add(&ReportUser { row: &row, entry, active: last.is_some() && last > first }, events);
    }
    Ok(activity)
}

fn shared(user: &ReportUser<'_>, events: &mut Events, service: &'static str) {
    if let Some(files) = user.row.number("shared externally file count").filter(|count| *count > 0) {
        events.add_many(Measure::SharedOutside, service, user.entry, files);
    }
}

/// Apps are marked by `Yes`, or by a number of uses in older reports.
fn used(cell: &str) -> bool {
    flag(cell) == Some(true) || cell.parse::<u64>().is_ok_and(|uses| uses > 0)
}

fn refreshed(row: &Columns) -> Option<NaiveDate> {
    row.day("report refresh date")
}

fn period(row: &Columns) -> Option<Period> {
    Some(Period { last: refreshed(row)?, days: row.number("report period")? })
}

fn start_of(day: NaiveDate) -> Option<Timestamp> {
    day.and_time(NaiveTime::MIN).and_utc().try_into().ok()
}
