//! Keys outside of the organizations' partitions: look-ups by a hash or a time, and the register of organizations.

use model::{IdentityHash, KeyHash, OrganizationId, SecretHash, Timestamp};

use super::{END, Key, Partition, Range};

/// Prefix of the partitions of all key look-ups.
pub(crate) const KEY_LOOKUPS: &str = "KEY#";
/// Prefix of the partitions of all look-ups of invitations.
pub(crate) const INVITATION_LOOKUPS: &str = "INVITATION#";
/// Prefix of the partitions of all people.
pub(crate) const IDENTITIES: &str = "IDENTITY#";
/// The partition of the look-ups of organizations with schedules.
pub(crate) const DUE: &str = "DUE";

/// Returns the key of the look-up of an API key by its hash.
pub(crate) fn key_lookup(hash: &KeyHash) -> Key {
    Key { pk: format!("{KEY_LOOKUPS}{}", hash.as_str()), sk: "KEY".to_owned() }
}

/// Returns the key of the look-up of an invitation by the hash of its secret.
pub(crate) fn invitation_lookup(hash: &SecretHash) -> Key {
    Key { pk: format!("{INVITATION_LOOKUPS}{}", hash.as_str()), sk: "INVITATION".to_owned() }
}

/// Returns the key of the membership of a person in an organization.
pub(crate) fn membership(identity: &IdentityHash, organization: &OrganizationId) -> Key {
    Key { pk: identity_partition(identity), sk: Partition::of(organization).organization_of_person() }
}

/// Returns the keys of all memberships of a person.
pub(crate) fn memberships(identity: &IdentityHash) -> Range {
    Range { pk: identity_partition(identity), first: "ORG#".to_owned(), last: format!("ORG#{END}") }
}

fn identity_partition(identity: &IdentityHash) -> String {
    format!("{IDENTITIES}{}", identity.as_str())
}

/// Returns the key of an organization in the register.
pub(crate) fn registered(organization: &OrganizationId) -> Key {
    Key { pk: "ORGANIZATIONS".to_owned(), sk: organization.to_string() }
}

/// Returns the key of the look-up of an organization by the time at which its next report is due.
pub(crate) fn due(at: Timestamp, organization: &OrganizationId) -> Key {
    Key { pk: DUE.to_owned(), sk: format!("{at}#{organization}") }
}

/// Returns the keys of the look-ups of all organizations with reports that are due, the longest waiting ones first.
pub(crate) fn due_until(now: Timestamp) -> Range {
    Range { pk: DUE.to_owned(), first: "!".to_owned(), last: format!("{now}#{END}") }
}

/// Returns the organization that a sort key names: that of a membership, of an entry in the register, or of a look-up
/// by a time.
pub(crate) fn organization_of(key: &Key) -> Option<OrganizationId> {
    let is_named = key.pk.starts_with(IDENTITIES) || key.pk == register().pk || key.pk == DUE;
    key.sk.rsplit('#').next().filter(|_| is_named)?.parse().ok()
}

/// Returns the key of the format of a data file.
pub(crate) fn stamp() -> Key {
    Key { pk: "DATA".to_owned(), sk: "FORMAT".to_owned() }
}

/// Returns the keys of all organizations in the register.
pub(crate) fn register() -> Range {
    Range { pk: "ORGANIZATIONS".to_owned(), first: "!".to_owned(), last: END.to_string() }
}
