//! Usage reports of Microsoft 365, which are tables with a row per user.

use chrono::Days;

use super::collected::{Activity, Period};
use super::events::{Entry, EntryFindings};
use super::measure::{ALL, Measure};
use super::speech::Source;
use super::subject::Subject;
use super::tables::Columns;
use crate::file::{Input, RowKey, Unreadable, read_boolean};

/// Reads `getEmailAppUsageUserDetail`.
pub(crate) fn read_mail_apps(input: Input<'_>) -> Result<Activity, Unreadable> {
    const APPS: [(&str, &str); 3] = [("imap4 app", "IMAP4"), ("pop3 app", "POP3"), ("smtp app", "SMTP")];
    read_report(input, Source::MailApps, Measure::MailApp, |user, shown| {
        for (column, label) in APPS {
            if user.row.text(column).is_some_and(is_used) {
                shown.add(Measure::MailApp, label);
            }
        }
    })
}

/// Reads `getMailboxUsageDetail`.
pub(crate) fn read_mailboxes(input: Input<'_>) -> Result<Activity, Unreadable> {
    read_report(input, Source::Mailboxes, Measure::Mailbox, |user, shown| match user.active {
        Some(active) => shown.add(Measure::Mailbox, if active { "used" } else { "unused" }),
        None => shown.not_understood(Measure::Mailbox),
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
        add_count(user, shown, "meetings organized count", (Measure::Meeting, ALL));
    })
}

/// A user of a usage report.
struct ReportUser<'a> {
    row: &'a Columns,
    /// Whether the user was active within the report's period; `None` if the date is malformed.
    active: Option<bool>,
}

/// Reads a usage report. Users who were deleted are left out.
fn read_report(
    input: Input<'_>,
    source: Source,
    measure: Measure,
    show: impl Fn(&ReportUser<'_>, &mut EntryFindings),
) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    for (number, row) in Columns::of_table(input)?.enumerate() {
        let row = row?;
        let dated = row.as_ref().and_then(|row| Some((row, period(row)?, row.start_of_day("report refresh date")?)));
        let Some((row, period, at)) = dated else {
            activity.note_unreadable(source, RowKey::of(&number.to_string()));
            continue;
        };
        let events = activity.report(source, period);
        events.observable(measure);
        if row.text("is deleted").and_then(read_boolean) == Some(true) {
            continue;
        }
        let last = row.day("last activity date");
        let is_malformed = last.is_none() && row.text("last activity date").is_some();
        let first = period.last.checked_sub_days(Days::new(period.days.into()));
        let mut shown = EntryFindings::default();
        let active = (!is_malformed).then_some(last.is_some() && last > first);
        show(&ReportUser { row, active }, &mut shown);
        // Organizations can have names concealed: then there is a digest in place of each.
        let user = row.text("user principal name").unwrap_or_default();
        events.add(Entry { key: RowKey::of(&user.to_lowercase()), at, subject: Subject::of(user) }, shown);
    }
    Ok(activity)
}

fn shared(user: &ReportUser<'_>, shown: &mut EntryFindings, service: &'static str) {
    add_count(user, shown, "shared externally file count", (Measure::SharedOutside, service));
}

fn add_count(
    user: &ReportUser<'_>,
    shown: &mut EntryFindings,
    column: &str,
    (measure, label): (Measure, &'static str),
) {
    match user.row.number(column) {
        Some(0) => {}
        Some(count) => shown.add_many(measure, label, count),
        None if user.row.is_no_number(column) => shown.not_understood(measure),
        None => {}
    }
}

/// Apps are marked by `Yes`, by their version, by `Undetermined`, or by a number of uses: by anything but a no.
fn is_used(cell: &str) -> bool {
    read_boolean(cell) != Some(false)
}

fn period(row: &Columns) -> Option<Period> {
    Some(Period { last: row.day("report refresh date")?, days: row.number("report period")? })
}
