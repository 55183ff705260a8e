//! The directory's audit log: `GET /auditLogs/directoryAudits`, and the table that the admin centre exports.

use model::Timestamp;
use serde::Deserialize;

use super::audit::{AuditEntry, succeeded};
use super::collected::Activity;
use super::events::Entry;
use super::log::Log;
use super::measure::Measure;
use super::speech::Source;
use super::subject::Subject;
use super::tables::Columns;
use crate::file::{Input, RowKey, Unreadable, read_boolean, read_page, time};

/// Name of the property that says whether a consent is an administrator's.
const ADMIN_CONSENT: &str = "ConsentContext.IsAdminConsent";

/// Reads a page of `GET /auditLogs/directoryAudits`.
pub(crate) fn read_audit_log(input: Input<'_>) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    let log = activity.log(Source::DirectoryAudit);
    let extent = read_page(input, |row: Result<Audit, RowKey>| match row {
        Ok(row) => row.add_to(log, None),
        Err(key) => log.note_unreadable(key),
    })?;
    activity.log(Source::DirectoryAudit).extent = extent;
    Ok(activity)
}

/// Reads the table that the admin centre exports.
pub(crate) fn read_audit_table(input: Input<'_>) -> Result<Activity, Unreadable> {
    let mut activity = Activity::default();
    let log = activity.log(Source::DirectoryAudit);
    for (number, row) in Columns::of_table(input)?.enumerate() {
        let row = row?;
        match row.as_ref().and_then(|row| Some((row, row.time("date (utc)").or_else(|| row.time("date"))?))) {
            Some((row, at)) => add_row(row, at, log),
            None => log.note_unreadable(RowKey::of(&number.to_string())),
        }
    }
    Ok(activity)
}

/// An entry of `GET /auditLogs/directoryAudits`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Audit {
    id: String,
    activity_display_name: String,
    #[serde(deserialize_with = "time")]
    activity_date_time: Option<Timestamp>,
    result: Option<String>,
    #[serde(default)]
    initiated_by: Option<Initiator>,
    #[serde(default)]
    target_resources: Option<Vec<Target>>,
    #[serde(default)]
    additional_details: Option<Vec<Detail>>,
}

#[derive(Deserialize)]
struct Initiator {
    app: Option<InitiatingApp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitiatingApp {
    display_name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    id: Option<String>,
    #[serde(default)]
    modified_properties: Option<Vec<ModifiedProperty>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModifiedProperty {
    display_name: Option<String>,
    new_value: Option<String>,
}

#[derive(Deserialize)]
struct Detail {
    key: Option<String>,
    value: Option<String>,
}

/// Adds an entry as JSON, or of it only what it shows of some measures.
pub(crate) fn take_audit(row: &str, log: &mut Log, measures: Option<&[Measure]>) {
    match serde_json::from_str::<Audit>(row) {
        Ok(row) => row.add_to(log, measures),
        Err(_) => log.note_unreadable(RowKey::of(row)),
    }
}

impl Audit {
    /// Adds the entry to a log, or of it only what it shows of some measures.
    pub(crate) fn add_to(self, log: &mut Log, measures: Option<&[Measure]>) {
        let Some(at) = self.activity_date_time else { return log.note_unreadable(RowKey::of(&self.id)) };
        let target = self.target_resources.iter().flatten().find_map(|target| target.id.as_deref());
        let entry = Entry { key: RowKey::of(&self.id), at, subject: Subject::of(target.unwrap_or(&self.id)) };
        let shown = AuditEntry {
            succeeded: succeeded(self.result.as_deref()),
            admin_consent: self.admin_consent(),
            initiating_app: self.initiated_by.and_then(|initiator| initiator.app?.display_name),
            activity: self.activity_display_name,
        };
        let mut shown = shown.shows();
        measures.into_iter().for_each(|measures| shown.keep_only(measures));
        log.take(entry, shown);
    }

    fn admin_consent(&self) -> Option<bool> {
        let properties = self.target_resources.iter().flatten().flat_map(|target| target.modified_properties.iter());
        let properties = properties.flatten().map(|it| (it.display_name.as_deref(), it.new_value.as_deref()));
        let details = self.additional_details.iter().flatten().map(|it| (it.key.as_deref(), it.value.as_deref()));
        let mut values = properties.chain(details).filter(|(name, _)| *name == Some(ADMIN_CONSENT));
        values.find_map(|(_, value)| read_boolean(unquoted(value?)))
    }
}

/// Adds a row of the table, which has numbered columns for targets and their properties.
fn add_row(row: &Columns, at: Timestamp, log: &mut Log) {
    let activity = row.text("activity").unwrap_or_default();
    let target = row.text("target1objectid").or(row.text("target1displayname")).unwrap_or_default();
    let id = [row.text("correlationid").unwrap_or_default(), &at.to_string(), activity, target].join("\n");
    let properties = row.pairs("target1modifiedproperty", "name", "newvalue");
    let details = row.pairs("additionaldetail", "key", "value");
    let mut values = properties.chain(details).filter(|(name, _)| name.eq_ignore_ascii_case(ADMIN_CONSENT));
    let admin_consent = values.find_map(|(_, value)| read_boolean(unquoted(value)));
    let shown = AuditEntry {
        activity: activity.to_owned(),
        succeeded: succeeded(row.text("result")),
        initiating_app: row.text("actorserviceprincipalname").or(row.text("actordisplayname")).map(str::to_owned),
        admin_consent,
    };
    let subject = if target.is_empty() { Subject::of(&id) } else { Subject::of(target) };
    log.take(Entry { key: RowKey::of(&id), at, subject }, shown.shows());
}

/// Values of properties are JSON texts: `"True"` with its quotation marks.
fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\\'])
}
