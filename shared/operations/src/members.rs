//! Members of an organization: only an Admin invites, changes and removes them.

use model::{InvitationId, MemberId, Role, Secret, Timestamp};
use store::{InvitationError, InvitationRecord, MemberError, MemberRecord, Organization};

use crate::actor::Admin;

/// Makes an invitation. Its secret is returned here and nowhere else; [`link`] makes the link of it.
///
/// # Errors
/// If the organization does not exist or the store fails.
pub async fn invite(
    organization: &Organization,
    _: &Admin,
    role: Role,
    note: Option<String>,
    now: Timestamp,
) -> Result<(Secret, InvitationRecord), InvitationError> {
    organization.invite(role, note, now).await
}

/// Returns the link that whoever signs in with it first accepts the invitation by.
pub fn link(dashboard: &str, secret: &Secret) -> String {
    format!("{}/invitations/{}", dashboard.trim_end_matches('/'), secret.reveal())
}

/// Revokes an invitation.
///
/// # Errors
/// If the invitation has ended already or the store fails.
pub async fn revoke(organization: &Organization, _: &Admin, id: &InvitationId) -> Result<(), InvitationError> {
    organization.revoke_invitation(id).await
}

/// Gives a member another role, and returns the member as it was.
///
/// # Errors
/// If there is no such member, the last Admin would lose the role, or the store fails.
pub async fn change_role(
    organization: &Organization,
    _: &Admin,
    id: &MemberId,
    role: Role,
) -> Result<MemberRecord, MemberError> {
    organization.change_role(id, role).await
}

/// Removes a member, and returns the member as it was. The member's next request is refused.
///
/// # Errors
/// If there is no such member, it is the last Admin, or the store fails.
pub async fn remove(organization: &Organization, _: &Admin, id: &MemberId) -> Result<MemberRecord, MemberError> {
    organization.remove_member(id).await
}
