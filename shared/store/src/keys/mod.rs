//! All keys of the table. This module decides whether one organization's data can reach another.
//!
//! A [`Partition`] is built from only an organization's id and builds all of that organization's keys. The only keys
//! outside of partitions are look-ups by a hash (of an API key, an invitation or a person's identity) or by a time (that
//! of the next report that is due), which have to find the organization, and the register of organizations, which no
//! function reads.

mod events;
mod lookups;
mod people;
mod reports;
mod targets;
mod tenants;
#[cfg(test)]
mod tests;
mod usage;

use std::fmt;

use model::{FormId, ImportId, KeyId, OrganizationId, ReportId, RequestId, ServiceTenantId, Timestamp, UploadId};
use serde::Deserialize;

pub(super) use lookups::{
    DUE, IDENTITIES, INVITATION_LOOKUPS, KEY_LOOKUPS, due, due_until, invitation_lookup, key_lookup, membership,
    memberships, organization_of, register, registered, stamp,
};
pub(super) use targets::event_of;

/// Prefix of the partitions of all organizations.
pub(super) const PARTITIONS: &str = "ORG#";

/// Sorts after every character that a key holds.
const END: char = '~';

/// The full key of one item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub(super) struct Key {
    pub(super) pk: String,
    pub(super) sk: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.pk, self.sk)
    }
}

/// The keys from one to another within a partition, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) pk: String,
    pub(super) first: String,
    pub(super) last: String,
}

impl Key {
    /// Returns the partition of the key.
    pub(super) fn partition(&self) -> Partition {
        Partition(self.pk.clone())
    }

    /// Returns a part of the sort key: part 0 names the kind of the item.
    pub(super) fn part(&self, place: usize) -> Option<&str> {
        self.sk.split('#').nth(place)
    }

    /// Returns part 1 of the sort key as the identifier of a tenant.
    pub(super) fn tenant(&self) -> Option<ServiceTenantId> {
        self.part(1)?.parse().ok()
    }
}

impl Range {
    /// Returns whether the range contains a key.
    pub(super) fn contains(&self, key: &Key) -> bool {
        self.pk == key.pk && (&self.first..=&self.last).contains(&&key.sk)
    }

    /// Ends a list of reports at one of them, included. The list has no other end yet.
    pub(super) fn up_to_report(self, completed_at: Timestamp, id: &ReportId) -> Self {
        Self { last: format!("{}{completed_at}#{id}", self.last.trim_end_matches(END)), ..self }
    }

    /// Returns the part of the range after one of its keys.
    pub(super) fn after(self, key: &Key) -> Self {
        // A range contains its first key; no key lies between a key and the same one with the lowest character.
        Self { first: format!("{}\u{1}", key.sk), ..self }
    }

    /// Returns the part of the range before another range, whose first key is a bare prefix that no item has.
    pub(super) fn before(self, below: &Self) -> Self {
        Self { last: below.first.clone(), ..self }
    }
}

/// The partition that holds everything of one organization.
#[derive(Debug, Clone)]
pub(super) struct Partition(String);

impl Partition {
    pub(super) fn of(organization: &OrganizationId) -> Self {
        Self(format!("{PARTITIONS}{organization}"))
    }

    /// Returns the keys of all items of the organization.
    pub(super) fn everything(&self) -> Range {
        Range { pk: self.0.clone(), first: "!".to_owned(), last: END.to_string() }
    }

    /// Returns the key of the organization itself.
    pub(super) fn organization(&self) -> Key {
        self.key("ORG".to_owned())
    }

    /// Returns the key of the brand of the documents for the organization's clients.
    pub(super) fn brand(&self) -> Key {
        self.key("BRAND".to_owned())
    }

    /// Returns the key of an API key as listed.
    pub(super) fn api_key(&self, id: &KeyId) -> Key {
        self.key(format!("APIKEY#{id}"))
    }

    /// Returns the keys of all API keys.
    pub(super) fn api_keys(&self) -> Range {
        self.below("APIKEY#")
    }

    /// Returns the key of an import by upload. Identifiers sort by their times.
    pub(super) fn import(&self, id: &ImportId) -> Key {
        self.key(format!("IMPORT#{id}"))
    }

    /// Returns the keys of all recorded imports, oldest first.
    pub(super) fn imports(&self) -> Range {
        self.below("IMPORT#")
    }

    /// Returns the key of an import that was requested with an API key. Identifiers sort by their times.
    pub(super) fn import_job(&self, key: &KeyId, id: &ImportId) -> Key {
        self.key(format!("JOB#{key}#{id}"))
    }

    /// Returns the keys of all imports that were requested with API keys.
    pub(super) fn all_import_jobs(&self) -> Range {
        self.below("JOB#")
    }

    /// Returns the keys of the imports that were requested with an API key, oldest first: all, or those before one.
    pub(super) fn import_jobs(&self, key: &KeyId, before: Option<&ImportId>) -> Range {
        let range = self.below(&format!("JOB#{key}#"));
        let Some(before) = before else { return range };
        // A range contains its last key; no identifier lies between the same one with a lower last character and it.
        let mut last = format!("JOB#{key}#{before}");
        let character = last.pop().and_then(|last| char::from_u32(u32::from(last) - 1));
        last.extend(character.into_iter().chain([END]));
        Range { last, ..range }
    }

    /// Returns the key of the only import of an API key and the digest of an idempotency key.
    pub(super) fn only_job(&self, key: &KeyId, digest: &str) -> Key {
        self.key(format!("ONLYJOB#{key}#{digest}"))
    }

    /// Returns the key of a set of documents. Identifiers sort by their times.
    pub(super) fn document_set(&self, id: &RequestId) -> Key {
        self.key(format!("DOCUMENTS#{id}"))
    }

    /// Returns the keys of all sets of documents, oldest first.
    pub(super) fn document_sets(&self) -> Range {
        self.below("DOCUMENTS#")
    }

    /// Returns the key of a chunk of a file of an upload.
    pub(super) fn upload_chunk(&self, id: &UploadId, file: u32, chunk: usize) -> Key {
        self.key(format!("UPLOAD#{id}#{file:04}#{chunk:04}"))
    }

    /// Returns the keys of all chunks of all uploads.
    pub(super) fn uploads(&self) -> Range {
        self.below("UPLOAD#")
    }

    /// Returns the keys of all chunks of an upload, in their order.
    pub(super) fn upload(&self, id: &UploadId) -> Range {
        self.below(&format!("UPLOAD#{id}#"))
    }

    /// Returns the key of an entry of the audit trail.
    pub(super) fn audit_entry(&self, at: Timestamp, id: &str) -> Key {
        self.key(format!("AUDIT#{at}#{id}"))
    }

    /// Returns the keys of the entries of the audit trail, oldest first: all, or those up to a place in it.
    pub(super) fn audit_trail(&self, until: Option<&str>) -> Range {
        let range = self.below("AUDIT#");
        match until {
            Some(until) => Range { last: format!("{}{until}", range.first), ..range },
            None => range,
        }
    }

    /// Returns whether a key is that of an entry of the audit trail of a time.
    pub(super) fn is_audit_entry(&self, key: &Key, at: Timestamp) -> bool {
        self.below(&format!("AUDIT#{at}#")).contains(key)
    }

    /// Returns the keys of the entries of the audit trail that were written at or after a moment.
    pub(super) fn audit_trail_since(&self, since: Timestamp) -> Range {
        self.since("AUDIT#", Some(since))
    }

    /// Returns the key of the progress of the organization's arrival from another table.
    pub(super) fn arriving(&self) -> Key {
        self.key("ARRIVING".to_owned())
    }

    /// Returns the keys of all items after one of them.
    pub(super) fn everything_after(&self, after: Option<&str>) -> Range {
        let all = self.everything();
        match after {
            Some(after) => all.after(&self.key(after.to_owned())),
            None => all,
        }
    }

    /// Returns whether a key is in the organization's partition.
    pub(super) fn holds(&self, key: &Key) -> bool {
        key.pk == self.0
    }

    /// Returns the keys of a tenant's items of a kind: the one of the tenant itself, and those below it. The range ends
    /// before those of other tenants, as an identifier has no character up to `$`.
    pub(super) fn of_tenant(&self, kind: &str, tenant: &ServiceTenantId) -> Range {
        Range { pk: self.0.clone(), first: format!("{kind}#{tenant}"), last: format!("{kind}#{tenant}$") }
    }

    /// Returns the key of a form that was used.
    pub(super) fn used_form(&self, id: &FormId) -> Key {
        self.key(format!("FORM#{id}"))
    }

    /// Returns the sort key of the organization among those of a person.
    pub(super) fn organization_of_person(&self) -> String {
        self.0.clone()
    }

    fn key(&self, sk: String) -> Key {
        Key { pk: self.0.clone(), sk }
    }

    fn below(&self, prefix: &str) -> Range {
        Range { pk: self.0.clone(), first: prefix.to_owned(), last: format!("{prefix}{END}") }
    }

    fn since(&self, prefix: &str, since: Option<Timestamp>) -> Range {
        let range = self.below(prefix);
        match since {
            Some(since) => Range { first: format!("{prefix}{since}"), ..range },
            None => range,
        }
    }
}
