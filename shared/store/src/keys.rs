//! All keys of the table. This file decides whether one organization's data can reach another.
//!
//! A [`Partition`] is built from only an organization's id and builds all of that organization's keys. The only keys
//! outside of partitions are look-ups by a hash (of an API key, an invitation or a person's identity), which have to
//! find the organization, and the register of organizations, which no function reads.

use chrono::NaiveDate;
use serde::Deserialize;

use model::KeyHash;
use model::{
    ControlId, IdentityHash, ImportId, InvitationId, KeyId, MemberId, OrganizationId, ProviderTenantId, ReportId,
    SecretHash, ServiceTenantId, Timestamp,
};

/// Sorts after every character that a key holds.
const END: char = '~';

/// The full key of one item.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct Key {
    pub(super) pk: String,
    pub(super) sk: String,
}

/// The keys from one to another within a partition, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) pk: String,
    pub(super) first: String,
    pub(super) last: String,
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

    /// Returns the part of the range before another range, whose first key is a bare prefix that no item has.
    pub(super) fn before(self, below: &Self) -> Self {
        Self { last: below.first.clone(), ..self }
    }
}

/// Prefix of the partitions of all key look-ups.
pub(super) const KEY_LOOKUPS: &str = "KEY#";
/// Prefix of the partitions of all look-ups of invitations.
pub(super) const INVITATION_LOOKUPS: &str = "INVITATION#";
/// Prefix of the partitions of all people.
pub(super) const IDENTITIES: &str = "IDENTITY#";

/// Returns the key of the look-up of an API key by its hash.
pub(super) fn key_lookup(hash: &KeyHash) -> Key {
    Key { pk: format!("{KEY_LOOKUPS}{}", hash.as_str()), sk: "KEY".to_owned() }
}

/// Returns the key of the look-up of an invitation by the hash of its secret.
pub(super) fn invitation_lookup(hash: &SecretHash) -> Key {
    Key { pk: format!("{INVITATION_LOOKUPS}{}", hash.as_str()), sk: "INVITATION".to_owned() }
}

/// Returns the key of the membership of a person in an organization.
pub(super) fn membership(identity: &IdentityHash, organization: &OrganizationId) -> Key {
    Key { pk: identity_partition(identity), sk: format!("ORG#{organization}") }
}

/// Returns the keys of all memberships of a person.
pub(super) fn memberships(identity: &IdentityHash) -> Range {
    Range { pk: identity_partition(identity), first: "ORG#".to_owned(), last: format!("ORG#{END}") }
}

fn identity_partition(identity: &IdentityHash) -> String {
    format!("{IDENTITIES}{}", identity.as_str())
}

/// Returns the key of an organization in the register.
pub(super) fn registered(organization: &OrganizationId) -> Key {
    Key { pk: "ORGANIZATIONS".to_owned(), sk: organization.to_string() }
}

/// Returns the keys of all organizations in the register.
pub(super) fn register() -> Range {
    Range { pk: "ORGANIZATIONS".to_owned(), first: "!".to_owned(), last: END.to_string() }
}

/// The partition that holds everything of one organization.
#[derive(Debug, Clone)]
pub(super) struct Partition(String);

impl Partition {
    pub(super) fn of(organization: &OrganizationId) -> Self {
        Self(format!("ORG#{organization}"))
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

    /// Returns the key of a tenant.
    pub(super) fn tenant(&self, id: &ServiceTenantId) -> Key {
        self.key(format!("TENANT#{id}"))
    }

    /// Returns the keys of all tenants that are not removed.
    pub(super) fn tenants(&self) -> Range {
        self.below("TENANT#")
    }

    /// Returns the key of a removed tenant.
    pub(super) fn removed_tenant(&self, id: &ServiceTenantId) -> Key {
        self.key(format!("REMOVED#{id}"))
    }

    /// Returns the keys of all removed tenants.
    pub(super) fn removed_tenants(&self) -> Range {
        self.below("REMOVED#")
    }

    /// Returns the mark of the last change of the tenant list.
    pub(super) fn tenants_changed(&self) -> Key {
        self.key("CHANGED#TENANTS".to_owned())
    }

    /// Returns the mark of the last change of a report, among those of a group of tenants.
    pub(super) fn reports_changed(&self, group: u32) -> Key {
        self.key(format!("CHANGED#{group:02}"))
    }

    /// Returns the marks of the last changes of the tenant list and of all reports.
    pub(super) fn all_changes(&self) -> Range {
        self.below("CHANGED#")
    }

    /// Returns the keys of the tenants of all providers' identifiers.
    pub(super) fn provider_tenants(&self) -> Range {
        self.below("PROVIDER#")
    }

    /// Returns the key of the tenant that has a provider's identifier.
    pub(super) fn provider_tenant(&self, id: &ProviderTenantId) -> Key {
        self.key(format!("PROVIDER#{id}"))
    }

    /// Returns the key of a report.
    pub(super) fn report(&self, tenant: &ServiceTenantId, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("REPORT#{tenant}#{completed_at}#{id}"))
    }

    /// Returns the keys of all reports, those of removed tenants included.
    pub(super) fn all_reports(&self) -> Range {
        self.below("REPORT#")
    }

    /// Returns the keys of the locations of all reports.
    pub(super) fn report_places(&self) -> Range {
        self.below("REPORTID#")
    }

    /// Returns the key of the location of a report, by its identifier.
    pub(super) fn report_place(&self, id: &ReportId) -> Key {
        self.key(format!("REPORTID#{id}"))
    }

    /// Returns the key of a report in the organization's history.
    pub(super) fn completed(&self, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("COMPLETED#{completed_at}#{id}"))
    }

    /// Returns the keys of the organization's history at or after a moment, oldest first.
    pub(super) fn history(&self, since: Option<Timestamp>) -> Range {
        self.since("COMPLETED#", since)
    }

    /// Returns the key of a report in its tenant's history.
    pub(super) fn history_item(&self, tenant: &ServiceTenantId, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("HISTORY#{tenant}#{completed_at}#{id}"))
    }

    /// Returns the keys of a tenant's history at or after a moment, oldest first.
    pub(super) fn history_of(&self, tenant: &ServiceTenantId, since: Option<Timestamp>) -> Range {
        self.since(&format!("HISTORY#{tenant}#"), since)
    }

    /// Returns the keys of the histories of all tenants.
    pub(super) fn all_histories(&self) -> Range {
        self.below("HISTORY#")
    }

    /// Returns the key of the newest report of a tenant.
    pub(super) fn latest(&self, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("LATEST#{completed_at}#{id}"))
    }

    /// Returns the keys of the newest report of every tenant, of those at or after a moment, oldest first.
    pub(super) fn all_latest(&self, since: Option<Timestamp>) -> Range {
        self.since("LATEST#", since)
    }

    /// Returns the key of a baseline report of a tenant, among those of the same tool.
    pub(super) fn baseline(&self, tenant: &ServiceTenantId, tool: &str, completed_at: Timestamp, id: &ReportId) -> Key {
        self.key(format!("BASELINE#{tenant}#{tool}#{completed_at}#{id}"))
    }

    /// Returns the keys of a tenant's baseline reports of one tool that completed at or before a moment, oldest first.
    pub(super) fn baselines(&self, tenant: &ServiceTenantId, tool: &str, until: Timestamp) -> Range {
        let prefix = format!("BASELINE#{tenant}#{tool}#");
        Range { pk: self.0.clone(), last: format!("{prefix}{until}#{END}"), first: prefix }
    }

    /// Returns the keys of the baseline reports of all tenants and tools.
    pub(super) fn all_baselines(&self) -> Range {
        self.below("BASELINE#")
    }

    /// Returns the key of the record of the organization's usage on a day.
    pub(super) fn usage_day(&self, date: NaiveDate) -> Key {
        self.key(format!("USAGEDAY#{date}"))
    }

    /// Returns the keys of the days with recorded usage up to a day, oldest first.
    pub(super) fn usage_days(&self, until: NaiveDate) -> Range {
        Range { pk: self.0.clone(), first: "USAGEDAY#".to_owned(), last: format!("USAGEDAY#{until}") }
    }

    /// Returns the keys of all days with recorded usage.
    pub(super) fn all_usage_days(&self) -> Range {
        self.below("USAGEDAY#")
    }

    /// Returns the key of one tenant's usage on a day, in one recording of that day.
    pub(super) fn usage(&self, date: NaiveDate, recording: &str, tenant: &ServiceTenantId) -> Key {
        self.key(format!("USAGE#{date}#{recording}#{tenant}"))
    }

    /// Returns the keys of all tenants' usage on a day, in one recording of that day.
    pub(super) fn usage_rows(&self, date: NaiveDate, recording: &str) -> Range {
        self.below(&format!("USAGE#{date}#{recording}#"))
    }

    /// Returns the keys of all recordings of a day.
    pub(super) fn usage_recordings(&self, date: NaiveDate) -> Range {
        self.below(&format!("USAGE#{date}#"))
    }

    /// Returns the key of the record of a tenant's billable users.
    pub(super) fn billable_users(&self, tenant: &ServiceTenantId) -> Key {
        self.key(format!("BILLABLEUSERS#{tenant}"))
    }

    /// Returns the key of a chunk of a tenant's billable users, in one recording of them.
    pub(super) fn billable_chunk(&self, tenant: &ServiceTenantId, recording: &str, chunk: usize) -> Key {
        self.key(format!("BILLABLE#{tenant}#{recording}#{chunk:06}"))
    }

    /// Returns the keys of all chunks of one recording, in order.
    pub(super) fn billable_chunks(&self, tenant: &ServiceTenantId, recording: &str) -> Range {
        self.below(&format!("BILLABLE#{tenant}#{recording}#"))
    }

    /// Returns the keys of all recordings of a tenant's billable users.
    pub(super) fn billable_recordings(&self, tenant: &ServiceTenantId) -> Range {
        self.below(&format!("BILLABLE#{tenant}#"))
    }

    /// Returns the key of an edit that is kept for a control of a tenant.
    pub(super) fn kept_edit(&self, tenant: &ServiceTenantId, control: &ControlId) -> Key {
        self.key(format!("KEPT#{tenant}#{control}"))
    }

    /// Returns the keys of all kept edits of a tenant. Controls may contain characters that sort after [`END`], so the
    /// range ends where the prefix of the next tenant would begin.
    pub(super) fn kept_edits(&self, tenant: &ServiceTenantId) -> Range {
        Range { pk: self.0.clone(), first: format!("KEPT#{tenant}#"), last: format!("KEPT#{tenant}$") }
    }

    /// Returns the keys of the kept edits of all tenants.
    pub(super) fn all_kept_edits(&self) -> Range {
        self.below("KEPT#")
    }

    /// Returns the key of an import by upload. Identifiers sort by their times.
    pub(super) fn import(&self, id: &ImportId) -> Key {
        self.key(format!("IMPORT#{id}"))
    }

    /// Returns the keys of all recorded imports, oldest first.
    pub(super) fn imports(&self) -> Range {
        self.below("IMPORT#")
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

    /// Returns the key of a member.
    pub(super) fn member(&self, id: &MemberId) -> Key {
        self.key(format!("MEMBER#{id}"))
    }

    /// Returns the keys of all members.
    pub(super) fn members(&self) -> Range {
        self.below("MEMBER#")
    }

    /// Returns the key of an invitation as listed.
    pub(super) fn invitation(&self, id: &InvitationId) -> Key {
        self.key(format!("INVITATION#{id}"))
    }

    /// Returns the keys of all invitations.
    pub(super) fn invitations(&self) -> Range {
        self.below("INVITATION#")
    }

    /// Returns the key of a session, by the hash of its secret.
    pub(super) fn session(&self, hash: &SecretHash) -> Key {
        self.key(format!("SESSION#{}", hash.as_str()))
    }

    /// Returns the keys of all sessions.
    pub(super) fn sessions(&self) -> Range {
        self.below("SESSION#")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_spelled_as_agreed() {
        let organization: OrganizationId = "org_1".parse().unwrap();
        let tenant: ServiceTenantId = "ten_1".parse().unwrap();
        let provider: ProviderTenantId = "CA08493A-C9C8-4DB0-A9E8-D3B4BAFAC269".parse().unwrap();
        let report: ReportId = "rpt_1".parse().unwrap();
        let at: Timestamp = "2026-01-31T09:30:00Z".parse().unwrap();
        let day = at.date();
        let p = Partition::of(&organization);
        insta::assert_debug_snapshot!((
            [
                p.organization(),
                p.brand(),
                p.api_key(&"key_1".parse().unwrap()),
                p.tenant(&tenant),
                p.removed_tenant(&tenant),
                p.provider_tenant(&provider),
                p.report(&tenant, at, &report),
                p.report_place(&report),
                p.completed(at, &report),
                p.history_item(&tenant, at, &report),
                p.latest(at, &report),
                p.baseline(&tenant, "ScubaGear", at, &report),
                p.usage_day(day),
                p.usage(day, "1", &tenant),
                p.billable_users(&tenant),
                p.billable_chunk(&tenant, "1", 2),
                p.tenants_changed(),
                p.reports_changed(7),
                p.kept_edit(&tenant, &"X.1".parse().unwrap()),
                p.import(&"imp_1".parse().unwrap()),
                p.audit_entry(at, "1"),
                registered(&organization),
            ],
            [
                p.everything(),
                p.api_keys(),
                p.tenants(),
                p.removed_tenants(),
                p.all_reports(),
                p.report_places(),
                p.provider_tenants(),
                p.all_baselines(),
                p.all_usage_days(),
                p.history(None),
                p.history(Some(at)),
                p.history(None).up_to_report(at, &report),
                p.history_of(&tenant, None),
                p.history_of(&tenant, Some(at)),
                p.all_histories(),
                p.all_latest(None),
                p.all_latest(Some(at)),
                p.baselines(&tenant, "ScubaGear", at),
                p.usage_days(day),
                p.usage_rows(day, "1"),
                p.usage_recordings(day),
                p.billable_chunks(&tenant, "1"),
                p.billable_recordings(&tenant),
                p.kept_edits(&tenant),
                p.all_kept_edits(),
                p.imports(),
                p.all_changes(),
                register(),
            ],
        ));
    }

    #[test]
    fn keys_of_people_are_spelled_as_agreed() {
        let organization: OrganizationId = "org_1".parse().unwrap();
        let p = Partition::of(&organization);
        let secret: model::Secret = "0".repeat(64).parse().unwrap();
        let identity = IdentityHash::of("https://issuer.example", "1");
        insta::assert_debug_snapshot!((
            [
                p.member(&"mem_1".parse().unwrap()),
                p.invitation(&"inv_1".parse().unwrap()),
                p.session(&secret.hash()),
                invitation_lookup(&secret.hash()),
                membership(&identity, &organization),
            ],
            [
                p.members(),
                p.invitations(),
                p.sessions(),
                p.audit_trail(None),
                p.audit_trail(Some("2026")),
                memberships(&identity)
            ],
        ));
    }

    #[test]
    fn a_key_look_up_holds_the_hash_and_not_the_key() {
        let key = model::ApiKey::generate().unwrap();
        let lookup = key_lookup(&key.hash());
        assert_eq!(lookup, Key { pk: format!("KEY#{}", key.hash().as_str()), sk: "KEY".to_owned() });
        assert!(!lookup.pk.contains(key.reveal()));
    }
}
