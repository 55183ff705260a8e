//! Inspects the items outside of the organizations' partitions: look-ups of keys, invitations and people, and the
//! register.

use futures_util::TryStreamExt;
use model::OrganizationId;

use super::items::damage_of;
use super::people::now;
use super::{Discrepancy, Inspection};
use crate::api_keys::{Access, StoredKey};
use crate::invitations::StoredInvitation;
use crate::keys::{self, Key};
use crate::schedules::{Due, Schedules};
use crate::table::{Decoded, Found, Item};
use crate::{MemberRecord, Membership, Store, StoreError};

/// The discrepancies of an organization, or of none if the item does not say whose it is.
pub type OutsideDiscrepancy = (Option<OrganizationId>, Discrepancy);

impl Store {
    /// Returns damaged items outside of the organizations, keys that give access although their organization does not
    /// list them, so that no one could delete them, open invitations that no one could revoke, and identities that point
    /// to members that do not exist. Reads the whole table, because nothing else points to such items.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn inspect_outside(&self) -> Result<Vec<OutsideDiscrepancy>, StoreError> {
        let mut found = Vec::new();
        let mut pages = std::pin::pin!(self.outside());
        while let Some(page) = pages.try_next().await? {
            for item in page {
                found.extend(self.inspect_one_outside(item).await?);
            }
        }
        Ok(found)
    }

    async fn inspect_one_outside(&self, item: Item) -> Result<Option<OutsideDiscrepancy>, StoreError> {
        let key = Key::of(&item)?;
        if let Some(damage) = damage_of(&item)? {
            let mut inspection = Inspection::default();
            inspection.damaged(&damage);
            return Ok(inspection.discrepancies.pop().map(|found| (owner(&key, &item), found)));
        }
        if key.pk.starts_with(keys::KEY_LOOKUPS) {
            let access = Access::decoded(item)?;
            let listing = self.organization(&access.organization_id).partition.api_key(&access.key_id);
            let listed: Option<StoredKey> = self.get_intact(listing).await?;
            let agrees = listed.is_some_and(|listed| keys::key_lookup(&listed.hash) == key);
            let what = "the key gives access but is not listed";
            return Ok(stray(agrees, access.organization_id, access.key_id, what));
        }
        if key.pk.starts_with(keys::IDENTITIES) {
            let Found { value: Membership { organization_id: id, member_id }, .. } = Found::decoded(item)?;
            let member = self.organization(&id).partition.member(&member_id);
            let member: Option<MemberRecord> = self.get_intact(member).await?;
            let agrees = member.is_some_and(|member| keys::membership(&member.identity, &id) == key);
            return Ok(stray(agrees, id, member_id, "an identity points to the member, who does not exist"));
        }
        if key.pk == keys::DUE {
            let Due { organization_id: id } = Due::decoded(item)?;
            let schedules: Option<Schedules> = self.get_intact(self.organization(&id).partition.schedules()).await?;
            let next_at = schedules.and_then(|schedules| schedules.next_at);
            let is_its = next_at.is_some_and(|at| keys::due(at, &id) == key);
            // The service may have looked meanwhile.
            let agrees = is_its || self.get_item(key).await?.is_none();
            return Ok(stray(agrees, id.clone(), id, "a look-up names another time than the organization's schedules"));
        }
        if key.pk.starts_with(keys::INVITATION_LOOKUPS) {
            let StoredInvitation { record, .. } = StoredInvitation::decoded(item)?;
            let listing = self.organization(&record.organization_id).partition.invitation(&record.invitation_id);
            let listed: Option<StoredInvitation> = self.get_intact(listing).await?;
            let agrees = listed.is_some() || record.expires_at <= now();
            let what = "the invitation is open but not listed";
            return Ok(stray(agrees, record.organization_id, record.invitation_id, what));
        }
        Ok(None)
    }
}

/// Returns the organization that an item names in its content or, in the register, in its key.
pub(crate) fn owner(key: &Key, item: &Item) -> Option<OrganizationId> {
    let named = || item.get("organizationId").or(item.get("importsInto"))?.as_s().ok()?.parse().ok();
    keys::organization_of(key).or_else(named)
}

fn stray(
    agrees: bool,
    organization: OrganizationId,
    subject: impl ToString,
    what: &'static str,
) -> Option<OutsideDiscrepancy> {
    (!agrees).then(|| (Some(organization), Discrepancy { subject: subject.to_string(), what }))
}
