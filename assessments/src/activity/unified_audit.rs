//! The audit log of all services, as its search exports it: rows with a JSON record in each, as a table or as JSON.

use serde::Deserialize;
use serde_json::Value;

use super::audit::{AuditEntry, succeeded};
use super::collected::Activity;
use super::events::{Entry, EntryFindings};
use super::log::Log;
use super::speech::Source;
use super::subject::Subject;
use super::tables::Columns;
use crate::file::{Input, RowKey, Unreadable, WithoutOffset, read_boolean, read_page, read_time};

/// The service whose records are those of the directory's audit log.
const DIRECTORY: &str = "AzureActiveDirectory";

/// Name of the property that says whether a consent is an administrator's.
const ADMIN_CONSENT: &str = "ConsentContext.IsAdminConsent";

/// Reads the table. Rows of other services than the directory show nothing, but how far the log reaches.
pub(crate) fn read_unified_audit(input: Input<'_>) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    let log = activity.log(Source::UnifiedAudit);
    for (number, row) in Columns::of_table(input)?.enumerate() {
        if row?.and_then(|row| add_record(row.text("auditdata")?, log)).is_none() {
            log.note_unreadable(RowKey::of(&number.to_string()));
        }
    }
    Ok(activity)
}

/// Reads the rows as `Search-UnifiedAuditLog | ConvertTo-Json` writes them.
pub(crate) fn read_unified_audit_list(input: Input<'_>) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    let log = activity.log(Source::UnifiedAudit);
    let extent = read_page(input, |row: Result<Row, RowKey>| match row {
        Ok(Row { audit_data }) if add_record(&audit_data, log).is_some() => {}
        Ok(Row { audit_data }) => log.note_unreadable(RowKey::of(&audit_data)),
        Err(key) => log.note_unreadable(key),
    })?;
    activity.log(Source::UnifiedAudit).extent = extent;
    Ok(activity)
}

/// Adds the record of a row. Returns `None` if it is malformed.
fn add_record(record: &str, log: &mut Log) -> Option<()> {
    serde_json::from_str::<Record>(record).ok()?.add_to(log)
}

/// A row, with its record as text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    audit_data: String,
}

/// A record, in the column `AuditData`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Record {
    id: String,
    creation_time: Value,
    operation: String,
    workload: Option<String>,
    result_status: Option<String>,
    object_id: Option<String>,
    #[serde(default)]
    modified_properties: Option<Vec<Property>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Property {
    name: Option<String>,
    new_value: Option<String>,
}

impl Record {
    /// Adds the record. Returns `None` if it has no time.
    fn add_to(self, log: &mut Log) -> Option<()> {
        let at = read_time(&self.creation_time, WithoutOffset::IsUtc).ok()?;
        let subject = Subject::of(self.object_id.as_deref().unwrap_or(&self.id));
        let entry = Entry { key: RowKey::of(&self.id), at, subject };
        let is_of_directory = self.workload.as_deref().is_some_and(|workload| workload.eq_ignore_ascii_case(DIRECTORY));
        log.take(entry, if is_of_directory { self.shows() } else { EntryFindings::default() });
        Some(())
    }

    fn shows(self) -> EntryFindings {
        let mut consents =
            self.modified_properties.iter().flatten().filter(|it| it.name.as_deref() == Some(ADMIN_CONSENT));
        let admin_consent = consents.find_map(|it| read_boolean(it.new_value.as_deref()?.trim().trim_matches('"')));
        let succeeded = succeeded(self.result_status.as_deref());
        AuditEntry { activity: self.operation, succeeded, initiating_app: None, admin_consent }.shows()
    }
}
