//! The report of messages that were forwarded to other organizations.
//!
//! The admin centre exports it by day, or as the table of all forwarders within a period that the table does not name.

use chrono::DateTime;
use model::Timestamp;

use super::collected::Activity;
use super::events::{Entry, EntryFindings};
use super::measure::Measure;
use super::speech::Source;
use super::subject::Subject;
use super::tables::Columns;
use crate::file::{Input, RowKey, Unreadable};

/// Reads the report.
pub(crate) fn read_forwarding(input: Input<'_>) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    let by_day = input.shape().is_table_with(&["Date"]);
    for (number, row) in Columns::of_table(input)?.enumerate() {
        let row = row?;
        let dated = row.as_ref().and_then(|row| Some((row, if by_day { day_of(row) } else { any_time() }?)));
        let Some((row, at)) = dated else {
            let key = RowKey::of(&number.to_string());
            if by_day {
                activity.log(Source::Forwarding).note_unreadable(key);
            } else {
                activity.note_unreadable(Source::Forwarding, key);
            }
            continue;
        };
        let forwarder = row.text("forwarders").or(row.text("forwarder")).unwrap_or_default();
        let entry = Entry { key: row.key(), at, subject: Subject::of(forwarder) };
        if by_day {
            activity.log(Source::Forwarding).take(entry, shows(row));
        } else {
            activity.undated(Source::Forwarding).add(entry, shows(row));
        }
    }
    Ok(activity)
}

fn day_of(row: &Columns) -> Option<Timestamp> {
    row.time("date").or_else(|| row.start_of_day("date"))
}

/// Returns a time for rows without one, which are counted whatever the window.
fn any_time() -> Option<Timestamp> {
    DateTime::UNIX_EPOCH.try_into().ok()
}

fn shows(row: &Columns) -> EntryFindings {
    let kind = row.text("forwarding type").unwrap_or_default().to_ascii_lowercase();
    let label = match kind.replace([' ', '-'], "").as_str() {
        "inboxrule" | "inboxrules" | "mailboxrule" | "mailboxrules" => "inbox rules",
        "smtpforwarding" | "mailboxforwarding" => "mailbox forwarding",
        "transportrule" | "transportrules" | "mailflowrule" | "mailflowrules" => "mail flow rules",
        _ => "other forwarding",
    };
    let mut shown = EntryFindings::default();
    if row.is_no_number("forward count") || row.is_no_number("count") {
        shown.not_understood(Measure::Forwarded);
    }
    shown.add_many(Measure::Forwarded, label, row.number("forward count").or(row.number("count")).unwrap_or(1));
    shown
}
