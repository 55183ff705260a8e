//! Logs that the directory's diagnostic settings write to a storage account: records of any category, one per line.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::exports::Directory;
use super::sign_in_row::SignIn;
use super::sign_ins::take;
use crate::activity::{Audit, Source};
use crate::file::{Input, RowKey, Unreadable, read_page};

/// A record of a log.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    category: String,
    tenant_id: Option<String>,
    properties: Value,
}

/// Reads a file of such records. Records of other categories than sign-ins of users and audits show nothing.
///
/// # Errors
/// Returns an error if all records are of other categories.
pub(crate) fn read_diagnostics(input: Input<'_>) -> Result<Directory, Unreadable> {
    let mut directory = Directory::default();
    let mut sources = BTreeSet::new();
    let mut malformed = Vec::new();
    let extent = read_page(input, |row: Result<Record, RowKey>| match row {
        Ok(record) => sources.extend(record.add_to(&mut directory)),
        Err(key) => malformed.push(key),
    })?;
    if sources.is_empty() {
        return Err(Unreadable::Companion {
            found: "a log of the diagnostic settings without sign-ins of users and audits",
            instead: "import the categories SignInLogs, NonInteractiveUserSignInLogs and AuditLogs",
        });
    }
    for source in sources {
        let log = directory.activity.log(source);
        log.extent = extent;
        malformed.iter().for_each(|key| log.note_unreadable(*key));
    }
    Ok(directory)
}

impl Record {
    /// Adds the record to the log of its category, and returns that log.
    fn add_to(self, directory: &mut Directory) -> Option<Source> {
        let is_interactive = self.category.eq_ignore_ascii_case("SignInLogs");
        let source = match self.category.to_ascii_lowercase().as_str() {
            "signinlogs" | "noninteractiveusersigninlogs" => Source::SignIns,
            "auditlogs" => Source::DirectoryAudit,
            _ => return None,
        };
        directory.named_tenants.extend(self.tenant_id.and_then(|tenant| tenant.parse().ok()));
        let log = directory.activity.log(source);
        let key = RowKey::of(&self.properties.to_string());
        let read = match source {
            Source::SignIns => SignIn::deserialize(self.properties).map(|mut row| {
                row.is_interactive.get_or_insert(is_interactive);
                take(&row, log, None);
            }),
            _ => Audit::deserialize(self.properties).map(|entry| entry.add_to(log, None)),
        };
        read.unwrap_or_else(|_| log.note_unreadable(key));
        Some(source)
    }
}
