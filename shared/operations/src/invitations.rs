//! Links of invitations.

use model::Secret;

/// Returns the invitation's link: the first person who signs in with it accepts the invitation.
pub fn invitation_link(dashboard: &str, secret: &Secret) -> String {
    format!("{}/invitations/{}", dashboard.trim_end_matches('/'), secret.reveal())
}
