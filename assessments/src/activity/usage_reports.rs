//! Usage reports of Microsoft 365, which are tables with a row per user.

use std::collections::BTreeMap;

use chrono::Days;

use super::collected::{Activity, Period};
use super::events::{Entry, Shown};
use super::measure::{ALL, Measure};
use super::speech::Source;
use super::subject::Subject;
use super::tables::{Columns, flag};
use crate::file::{Input, RowKey, Unreadable};

/// Reads `getEmailAppUsageUserDetail`.
pub(crate) fn read_mail_apps(input: Input<'_>) -> Result<Activity, Unreadable> {
    const APPS: [(&str, &str); 3] = [("imap4 app", "IMAP4"), ("pop3 app", "POP3"), ("smtp app", "SMTP")];
    read_report(input, Source::MailApps, Measure::MailApp, |user, shown| {
        for (column, label) in APPS {
            if user.row.text(column).is_some_and(used) {
                shown.add(Measure::MailApp, label);
            }
        }
    })
}

/// Reads `getMailboxUsageDetail`.
pub(crate) fn read_mailboxes(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Mailboxes, Measure::Mailbox, |user, shown| {
        shown.add(Measure::Mailbox, if user.active { "used" } else { "unused" });
    })
}

/// Reads `getSharePointActivityUserDetail`.
pub(crate) fn read_share_point(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Files, Measure::SharedOutside, |user, shown| shared(user, shown, "SharePoint"))
}

/// Reads `getOneDriveActivityUserDetail`.
pub(crate) fn read_one_drive(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Files, Measure::SharedOutside, |user, shown| shared(user, shown, "OneDrive"))
}

/// Reads `getTeamsUserActivityUserDetail`.
pub(crate) fn read_teams(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Teams, Measure::Meeting, |user, shown| {
        if let Some(meetings) = user.row.number("meetings organized count").filter(|count| *count > 0) {
            shown.add_many(Measure::Meeting, ALL, meetings);
        }
    })
}

/// A user of a usage report.
struct ReportUser<'a> {
    row: &'a Columns,
    /// Whether the user was active within the report's period.
    active: bool,
}

/// Reads a usage report. Users who were deleted are left out.
fn read_report(
    input: Input<'_>,
    source: Source,
    measure: Measure,
    show: impl Fn(&ReportUser<'_>, &mut Shown),
) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    for (number, row) in input.log_table::<BTreeMap<String, String>>()?.enumerate() {
        let row = row?.map(Columns::of);
        let dated = row.as_ref().and_then(|row| Some((row, period(row)?, row.start_of_day("report refresh date")?)));
        let Some((row, period, at)) = dated else {
            activity.note_unreadable(source, RowKey::of(&number.to_string()));
            continue;
        };
        let events = activity.report(source, period);
        events.observable(measure);
        if row.text("is deleted").and_then(flag) == Some(true) {
            continue;
        }
        let last = row.day("last activity date");
        let first = period.last.checked_sub_days(Days::new(period.days.into()));
        let mut shown = Shown::default();
        show(&ReportUser { row, active: last.is_some() && last > first }, &mut shown);
        // Organizations can have names concealed: then there is a digest in place of each.
        let user = row.text("user principal name").unwrap_or_default();
        events.add(Entry { key: RowKey::of(&user.to_lowercase()), at, subject: Subject::of(user) }, shown);
    }
    Ok(activity)
}

fn shared(user: &ReportUser<'_>, shown: &mut Shown, service: &'static str) {
    if let Some(files) = user.row.number("shared externally file count").filter(|count| *count > 0) {
        shown.add_many(Measure::SharedOutside, service, files);
    }
}

/// Apps are marked by `Yes`, or by a number of uses in older reports.
fn used(cell: &str) -> bool {
    flag(cell) == Some(true) || cell.parse::<u64>().is_ok_and(|uses| uses > 0)
}

fn period(row: &Columns) -> Option<Period> {
    Some(Period { last: row.day("report refresh date")?, days: row.number("report period")? })
}
