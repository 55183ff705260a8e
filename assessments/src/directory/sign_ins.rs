//! The log of sign-ins, in pages and as the admin centre's table.

use super::sign_in_row::SignIn;
use crate::activity::{Columns, Entry, Log, Measure, Subject};
use crate::file::{Extent, Input, RowKey, Unreadable, read_page};

/// Reads a page of the log.
pub(super) fn read_log(input: Input<'_>, log: &mut Log) -> Result<(), Unreadable> {
    let mut only_applications = false;
    let extent = read_page(input, |row: Result<SignIn, RowKey>| match row {
        Ok(row) if row.is_by_application() => only_applications = log.is_empty(),
        Ok(row) => take(&row, log, None),
        Err(key) => log.note_unreadable(key),
    })?;
    // Such a page belongs to another list: without those of users, nothing is known of users.
    if !(only_applications && log.is_empty()) {
        log.extent = extent;
    }
    Ok(())
}

/// Reads the table that the admin centre exports. Sign-ins of applications are in tables of their own, which say nothing of
/// users.
pub(super) fn read_log_table(input: Input<'_>, log: &mut Log) -> Result<(), Unreadable> {
    for (number, row) in Columns::of_table(input)?.enumerate() {
        match row?.as_ref().and_then(SignIn::of_table) {
            Some(row) => take(&row, log, None),
            None => log.note_unreadable(RowKey::of(&number.to_string())),
        }
    }
    log.extent = Extent::of_page(false, None);
    Ok(())
}

/// Adds a sign-in, or of it only what it shows of some measures.
pub(super) fn take(row: &SignIn, log: &mut Log, measures: Option<&[Measure]>) {
    let key = RowKey::of(&row.id);
    let (Some(at), Some(user)) = (row.created_date_time, &row.user_id) else {
        log.note_unreadable(key);
        return;
    };
    if row.is_interactive == Some(false) {
        log.has_non_interactive();
    }
    let mut shown = row.shown().shows();
    measures.into_iter().for_each(|measures| shown.keep_only(measures));
    log.take(Entry { key, at, subject: Subject::of(user) }, shown);
}
