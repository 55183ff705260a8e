//! Inspects members, invitations, sessions, recorded imports, and the items outside the organization that point to
//! people.

use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::TryStreamExt;
use model::OrganizationId;
use serde::Deserialize;

use super::{Discrepancy, Inspection};
use crate::imports::ImportItem;
use crate::invitations::StoredInvitation;
use crate::keys;
use crate::sessions::{SESSION_HOURS, Session};
use crate::table::page_items;
use crate::{Membership, Organization, Store, StoreError};

const HOUR: i64 = 60 * 60;

/// A membership with its partition key.
#[derive(Deserialize)]
struct Identity {
    pk: String,
    #[serde(flatten)]
    membership: Membership,
}

impl Organization {
    pub(super) async fn inspect_people(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let members = self.members().await?;
        for member in &members {
            let key = keys::membership(&member.identity, self.id());
            let membership: Option<Membership> = self.store.get(key).await?;
            let is_led_to = membership.is_some_and(|membership| membership.member_id == member.member_id);
            found.expect(is_led_to, &member.member_id, "no one can sign in as the member");
        }
        for StoredInvitation { record, hash } in self.stored_invitations().await? {
            let lookup: Option<StoredInvitation> = self.store.get(keys::invitation_lookup(&hash)).await?;
            // DynamoDB deletes the two items of an expired invitation one after the other.
            let agrees = lookup.is_some_and(|lookup| lookup.record == record) || record.expires_at <= now();
            found.expect(agrees, &record.invitation_id, "the link of the invitation does not point to it");
        }
        let sessions: Vec<Session> = self.store.all(self.partition.sessions()).await?;
        let lasting = sessions.iter().filter(|session| session.expires_at > now() + (SESSION_HOURS + 1) * HOUR);
        for session in lasting {
            found.expect(false, &session.member_id, "a session of the member lasts longer than sessions do");
        }
        Ok(())
    }

    pub(super) async fn inspect_imports(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let imports: Vec<ImportItem> = self.store.all(self.partition.imports()).await?;
        for import in imports {
            let id = import.import_id.clone();
            found.expect(import.open().is_ok(), id, "the record of the import cannot be read");
        }
        Ok(())
    }
}

impl Store {
    /// Returns identities that point to members that do not exist, and invitations that no organization lists, so that
    /// no one could revoke them. Reads the whole table, because nothing else points to them.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn stray_people(&self) -> Result<Vec<(OrganizationId, Discrepancy)>, StoreError> {
        let mut strays = Vec::new();
        let identities: Vec<Identity> =
            self.scan(keys::IDENTITIES).map_ok(page_items).try_flatten().try_collect().await?;
        for Identity { pk, membership: Membership { organization_id, member_id } } in identities {
            let member = self.organization(&organization_id).member(&member_id).await?;
            let agrees = member.is_some_and(|member| keys::membership(&member.identity, &organization_id).pk == pk);
            if !agrees {
                let what = "an identity points to the member, who does not exist";
                strays.push((organization_id, Discrepancy { subject: member_id.to_string(), what }));
            }
        }
        let lookups = self.scan(keys::INVITATION_LOOKUPS).map_ok(page_items).try_flatten();
        let lookups: Vec<StoredInvitation> = lookups.try_collect().await?;
        for StoredInvitation { record, .. } in lookups.into_iter().filter(|lookup| lookup.record.expires_at > now()) {
            let listing = self.organization(&record.organization_id).partition.invitation(&record.invitation_id);
            let listed: Option<StoredInvitation> = self.get(listing).await?;
            if listed.is_none() {
                let what = "the invitation is open but not listed";
                strays.push((record.organization_id, Discrepancy { subject: record.invitation_id.to_string(), what }));
            }
        }
        Ok(strays)
    }
}

/// Returns the present time, in seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
