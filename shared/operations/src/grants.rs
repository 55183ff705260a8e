//! Lists whatever gives access to organizations: API keys, open invitations and sessions.

use futures_util::{StreamExt, TryStreamExt, stream};
use model::{OrganizationId, Timestamp};
use serde::Serialize;
use store::{Store, StoreError};

/// Number of organizations that are read at once.
const AT_ONCE: usize = 8;

/// Something that gives access. Contains neither secrets nor names or addresses.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// The organization to which it gives access.
    pub organization_id: OrganizationId,
    /// Its kind.
    pub kind: GrantKind,
    /// Identifier of the key or the invitation, or of the member who signed in.
    pub id: String,
    /// When it was created, if that is stored.
    pub created_at: Option<Timestamp>,
    /// When it ends. Keys do not.
    pub expires_at: Option<Timestamp>,
    /// Distinguishes it from others of its organization.
    #[serde(skip)]
    item: String,
}

/// The kind of a [`Grant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum GrantKind {
    /// An API key.
    Key,
    /// An invitation that nobody has accepted.
    Invitation,
    /// A session of a member.
    Session,
}

impl Grant {
    /// Returns what distinguishes it from all others, in any table.
    pub fn identity(&self) -> (&OrganizationId, &str) {
        (&self.organization_id, &self.item)
    }
}

/// Returns everything that gives access to any organization of a table, by organization.
///
/// # Errors
/// If the store fails.
pub async fn grants(store: &Store, now: Timestamp) -> Result<Vec<Grant>, StoreError> {
    let organizations = store.as_operator().organization_ids().await?;
    let of_each = stream::iter(organizations).map(|id| async move { of_organization(store, id, now).await });
    of_each.buffered(AT_ONCE).try_concat().await
}

async fn of_organization(store: &Store, id: OrganizationId, now: Timestamp) -> Result<Vec<Grant>, StoreError> {
    let organization = store.organization(&id);
    let grant = |kind, id: String, item: String, created_at, expires_at| {
        let organization_id = organization.id().clone();
        Grant { organization_id, kind, id, created_at, expires_at, item }
    };
    let (keys, invitations) = (organization.keys().await?, organization.invitations(now).await?);
    let sessions = store.sessions(&id).open(now).await?;
    let keys = keys.into_iter().map(|key| {
        let id = key.key_id.to_string();
        grant(GrantKind::Key, id.clone(), id, Some(key.created_at), None)
    });
    let invitations = invitations.into_iter().map(|invitation| {
        let id = invitation.invitation_id.to_string();
        grant(GrantKind::Invitation, id.clone(), id, Some(invitation.created_at), invitation.expires())
    });
    let sessions = sessions.into_iter().map(|session| {
        grant(GrantKind::Session, session.member_id.to_string(), session.item, None, session.expires_at)
    });
    Ok(keys.chain(invitations).chain(sessions).collect())
}
