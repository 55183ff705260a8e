//! Members of an organization: only an Admin can invite, change and remove them.

use model::{InvitationId, MemberId, Role, Secret, Timestamp};
use store::{InvitationError, InvitationRecord, MemberError, MemberRecord, Organization, StoreError};

use crate::actor::Admin;

/// Creates an invitation. Its secret is returned only here; [`link`] creates the link with it.
///
/// # Errors
/// If the organization does not exist or the store fails.
pub async fn invite(
    organization: &Organization,
    admin: &Admin,
    role: Role,
    note: Option<String>,
    invited_at: Timestamp,
) -> Result<(Secret, InvitationRecord), InvitationError> {
    admin.actor().acting_on(organization, invited_at).invite(role, note, invited_at).await
}

/// Returns all members, in the order in which they joined.
///
/// # Errors
/// If the store fails.
pub async fn list(organization: &Organization) -> Result<Vec<MemberRecord>, StoreError> {
    organization.members().await
}

/// Returns the invitation's link: the first person who signs in with it accepts the invitation.
pub fn link(dashboard: &str, secret: &Secret) -> String {
    format!("{}/invitations/{}", dashboard.trim_end_matches('/'), secret.reveal())
}

/// Revokes an invitation.
///
/// # Errors
/// If the invitation has ended already or the store fails.
pub async fn revoke(
    organization: &Organization,
    admin: &Admin,
    id: &InvitationId,
    revoked_at: Timestamp,
) -> Result<(), InvitationError> {
    admin.actor().acting_on(organization, revoked_at).revoke_invitation(id).await
}

/// Gives a member another role, and returns the member as it was.
///
/// # Errors
/// If there is no such member, the last Admin would lose the role, or the store fails.
pub async fn change_role(
    organization: &Organization,
    admin: &Admin,
    id: &MemberId,
    role: Role,
    changed_at: Timestamp,
) -> Result<MemberRecord, MemberError> {
    admin.actor().acting_on(organization, changed_at).change_role(id, role).await
}

/// Removes a member, and returns the member as it was. The member's next request is refused.
///
/// # Errors
/// If there is no such member, it is the last Admin, or the store fails.
pub async fn remove(
    organization: &Organization,
    admin: &Admin,
    id: &MemberId,
    removed_at: Timestamp,
) -> Result<MemberRecord, MemberError> {
    admin.actor().acting_on(organization, removed_at).remove_member(id).await
}
