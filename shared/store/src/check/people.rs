//! Inspects members, invitations and sessions.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Inspection;
use crate::invitations::StoredInvitation;
use crate::keys;
use crate::sessions::{SESSION_HOURS, Session};
use crate::{MemberRecord, Membership, Organization, StoreError};

const HOUR: i64 = 60 * 60;

impl Organization {
    pub(super) async fn inspect_people(&self, found: &mut Inspection) -> Result<(), StoreError> {
        let members: Vec<MemberRecord> = self.store.intact(self.partition.members()).await?;
        for member in &members {
            let key = keys::membership(&member.identity, self.id());
            let membership: Option<Membership> = self.store.get_intact(key).await?;
            let is_led_to = membership.is_some_and(|membership| membership.member_id == member.member_id);
            found.expect(is_led_to, &member.member_id, "no one can sign in as the member");
        }
        let invitations: Vec<StoredInvitation> = self.store.intact(self.partition.invitations()).await?;
        for StoredInvitation { record, hash } in invitations {
            let lookup: Option<StoredInvitation> = self.store.get_intact(keys::invitation_lookup(&hash)).await?;
            // DynamoDB deletes the two items of an expired invitation one after the other.
            let agrees = lookup.is_some_and(|lookup| lookup.record == record) || record.expires_at <= now();
            found.expect(agrees, &record.invitation_id, "the link of the invitation does not point to it");
        }
        let sessions: Vec<Session> = self.store.intact(self.partition.sessions()).await?;
        let lasting = sessions.iter().filter(|session| session.expires_at > now() + (SESSION_HOURS + 1) * HOUR);
        for session in lasting {
            found.expect(false, &session.member_id, "a session of the member lasts longer than sessions do");
        }
        Ok(())
    }
}

/// Returns the present time, in seconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
