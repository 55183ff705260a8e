//! Look-ups of keys, invitations and people, the register, and the organization itself.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::AttributeValue;
use model::KeyHash;
use serde::Serialize;

use super::Plan;
use super::contents::{Contents, Read, State};
use super::tenants::Tenants;
use crate::api_keys::{Access, ApiKeyListing, StoredKey};
use crate::invitations::StoredInvitation;
use crate::keys::{self, Key};
use crate::organizations::Registered;
use crate::results::ControlsItem;
use crate::schedules::{Due, is_followed};
use crate::table::Found;
use crate::{Discrepancy, MemberRecord, Membership, Organization, OrganizationRecord, Schedules, StoreError};

impl Contents {
    /// Returns the keys of the items outside that the organization's items lead to. The format of a data file is
    /// nobody's: a release that does not find it writes it anew.
    pub(super) fn lookups_of(&self, Organization { id, partition, .. }: &Organization) -> HashSet<Key> {
        let keys = self.intact(partition.api_keys()).into_iter().map(|key: StoredKey| keys::key_lookup(&key.hash));
        let invitations = self.intact(partition.invitations()).into_iter();
        let invitations = invitations.map(|invitation: StoredInvitation| keys::invitation_lookup(&invitation.hash));
        let members = self.intact(partition.members()).into_iter();
        let members = members.map(|member: MemberRecord| keys::membership(&member.identity, id));
        let next_at = self.value(&partition.schedules()).and_then(|schedules: Schedules| schedules.next_at);
        let due = next_at.map(|at| keys::due(at, id));
        keys.chain(invitations).chain(members).chain(due).chain([keys::registered(id), keys::stamp()]).collect()
    }
}

impl Plan<'_> {
    pub(super) fn lookups(&mut self, tenants: &Tenants) -> Result<(), StoreError> {
        let id = &self.organization.id;
        self.expect(keys::registered(id), &Registered { organization_id: id.clone() }, None)?;
        if let Some(organization) = self.organization_itself()? {
            self.access(&organization)?;
        }
        self.invitations()?;
        self.people()?;
        self.schedules(tenants)
    }

    /// Returns the organization, rebuilt if it is damaged. Returns `None` if its value at the gateway is lost.
    fn organization_itself(&mut self) -> Result<Option<OrganizationRecord>, StoreError> {
        let id = self.organization.id.clone();
        let key = self.organization.partition.organization();
        let Some(read) = self.contents.get(&key).filter(|read| read.state == State::Damaged) else {
            return Ok(self.contents.value(&key));
        };
        let given = || {
            let mut given = self.contents.outside(keys::KEY_LOOKUPS).filter_map(|(_, read)| read.value::<Access>());
            given.next().map(|access| access.usage_plan_key)
        };
        let Some(usage_plan_key) = read.part("usagePlanKey").or_else(given) else {
            let what = "the value of the organization's key at the gateway is lost: restore the item from a backup";
            self.left.push(Discrepancy { subject: key.to_string(), what });
            return Ok(None);
        };
        let record = OrganizationRecord {
            name: read.part("name").unwrap_or_else(|| id.to_string()),
            created_at: read.part("createdAt").unwrap_or(self.now),
            organization_id: id,
            usage_plan_key,
        };
        self.expect(key, &record, None)?;
        Ok(Some(record))
    }

    /// A listed key gives access, and a key that gives access is listed.
    fn access(&mut self, organization: &OrganizationRecord) -> Result<(), StoreError> {
        let partition = &self.organization.partition;
        let listed: Vec<StoredKey> = self.contents.intact(partition.api_keys());
        let given = self.given();
        for StoredKey { listing, hash } in &listed {
            let own = given.iter().find(|(of, access)| of == hash && access.key_id == listing.key_id);
            // Damage of the listing gives a key no other rights.
            let Some(rights) = own.map(|(_, access)| access.rights.clone()).or(listing.rights()) else { continue };
            let access = Access {
                organization_id: organization.organization_id.clone(),
                rights,
                key_id: listing.key_id.clone(),
                usage_plan_key: organization.usage_plan_key.clone(),
                last_used_on: own.and_then(|(_, access)| access.last_used_on),
            };
            self.expect_lookup(keys::key_lookup(hash), &access)?;
        }
        for (hash, Access { key_id, rights, .. }) in given {
            // A look-up that names another key is rebuilt from the listing of its own.
            if listed.iter().any(|listed| listed.listing.key_id == key_id || listed.hash == hash) {
                continue;
            }
            let key = partition.api_key(&key_id);
            let read = self.contents.get(&key);
            let description = read.and_then(|read| read.part("description"));
            let created_at = read.and_then(|read| read.part("createdAt")).unwrap_or(self.now);
            let listing = ApiKeyListing::new(key_id, description, created_at, &rights);
            self.expect(key, &StoredKey { listing, hash }, None)?;
        }
        Ok(())
    }

    /// Returns the access that keys give, with their hashes.
    fn given(&self) -> Vec<(KeyHash, Access)> {
        let hash = |key: &Key| {
            let hash = key.pk.strip_prefix(keys::KEY_LOOKUPS)?.to_owned();
            serde_dynamo::from_attribute_value(AttributeValue::S(hash)).ok()
        };
        let given = self.contents.outside(keys::KEY_LOOKUPS);
        given.filter_map(|(key, read)| hash(key).zip(read.value())).collect()
    }

    /// An open invitation is stored twice: each is rebuilt from the other, first from the one that people see.
    fn invitations(&mut self) -> Result<(), StoreError> {
        let partition = &self.organization.partition;
        let now = self.now.to_datetime().timestamp();
        let is_open = |invitation: &StoredInvitation| now < invitation.record.expires_at;
        let mut listed: Vec<StoredInvitation> = self.contents.intact(partition.invitations());
        listed.retain(is_open);
        let given = self.contents.outside(keys::INVITATION_LOOKUPS).filter_map(|(_, read)| read.value());
        let given: Vec<StoredInvitation> = given.filter(is_open).collect();
        for invitation in &listed {
            self.expect_lookup(keys::invitation_lookup(&invitation.hash), invitation)?;
        }
        for invitation in given {
            let id = &invitation.record.invitation_id;
            if !listed.iter().any(|listed| listed.record.invitation_id == *id || listed.hash == invitation.hash) {
                self.expect(partition.invitation(id), &invitation, None)?;
            }
        }
        Ok(())
    }

    /// Every member can sign in, and nobody else can.
    fn people(&mut self) -> Result<(), StoreError> {
        let Organization { id, partition, .. } = self.organization;
        let mut leading = HashSet::new();
        for MemberRecord { member_id, identity, .. } in self.contents.intact(partition.members()) {
            let key = keys::membership(&identity, id);
            self.expect_lookup(key.clone(), &Membership { organization_id: id.clone(), member_id })?;
            leading.insert(key);
        }
        let given = self.contents.outside(keys::IDENTITIES).filter_map(|(_, read)| read.value());
        for Found { key, value: Membership { member_id, .. } } in given.collect::<Vec<_>>() {
            if !leading.contains(&key) && !self.contents.is_later(&partition.member(&member_id)) {
                self.set_aside(&key, None);
            }
        }
        Ok(())
    }

    /// Lets whatever is scheduled be looked at. An organization whose time is lost is looked at at once.
    fn schedules(&mut self, tenants: &Tenants) -> Result<(), StoreError> {
        let Organization { id, partition, .. } = self.organization;
        let key = partition.schedules();
        if self.contents.is_later(&key) {
            return Ok(());
        }
        let read = self.contents.get(&key);
        let mut schedules = read.and_then(Read::value).unwrap_or_else(|| Schedules {
            schedule: read.and_then(|read| read.part("schedule")),
            labels: read.and_then(|read| read.part("labels")).unwrap_or_default(),
            documents: read.and_then(|read| read.part("documents")).unwrap_or_default(),
            stale_after: read.and_then(|read| read.part("staleAfter")),
            requested_until: read.and_then(|read| read.part("requestedUntil")).unwrap_or(self.now),
            trends_from: read.and_then(|read| read.part("trendsFrom")),
            next_at: read.and_then(|read| read.part("nextAt")),
            version: read.and_then(|read| read.part("version")).unwrap_or_default(),
        });
        let controls: Option<ControlsItem> = self.contents.value(&partition.controls());
        let listed = tenants.listed.values().map(|listed| &listed.record);
        if schedules.next_at.is_none() && is_followed(Some(&schedules), controls.as_ref(), listed) {
            schedules.next_at = Some(self.now);
        }
        let lookup = schedules.next_at.map(|at| keys::due(at, id));
        if read.is_some() || lookup.is_some() {
            self.expect(key, &schedules, None)?;
        }
        if let Some(lookup) = &lookup {
            self.expect_lookup(lookup.clone(), &Due { organization_id: id.clone() })?;
        }
        let strays = self.contents.outside(keys::DUE).map(|(key, _)| key.clone());
        for key in strays.filter(|key| Some(key) != lookup.as_ref()).collect::<Vec<_>>() {
            self.set_aside(&key, None);
        }
        Ok(())
    }

    /// Lets a look-up have a value, unless it names another organization.
    fn expect_lookup<T: Serialize>(&mut self, key: Key, value: &T) -> Result<(), StoreError> {
        if self.contents.is_foreign(&key) {
            let what = "the item names another organization, so this repair leaves it as it is";
            self.left.push(Discrepancy { subject: key.to_string(), what });
            return Ok(());
        }
        self.expect(key, value, None)
    }
}
