//! Controls about sharing with people outside the organization.

use serde_json::Value;

use super::document::{Document, unreadable};
use super::source::Source;
use super::tenant::Tenant;
use super::verdict::{Judged, NotAssessed, open, secure, secure_if};

/// Longest time without activity in a browser: three hours.
const LONGEST_IDLE: i64 = 10_800;

/// Roles of guests, from the least permissions to those of a member.
const RESTRICTED_GUEST: &str = "2af84b1e-32c8-42b7-82bc-daa82404023b";
const GUEST: &str = "10dae51f-b6af-4016-8d66-8c2a99b929b3";
const MEMBER: &str = "a0b1b346-4d3e-4e8b-98f8-753987be4970";

fn share_point(tenant: &Tenant) -> Result<Document<'_>, NotAssessed> {
    tenant.document(Source::SharePointSettings)
}

/// Files are not shared with anybody who has a link.
pub(super) fn sharing_outside(tenant: &Tenant) -> Judged {
    match share_point(tenant)?.text("sharingCapability")? {
        "disabled" => secure("Files cannot be shared outside the organization."),
        "existingExternalUserSharingOnly" => secure("Files can be shared with guests whom the directory knows."),
        "externalUserSharingOnly" => secure("Files can be shared with new and known guests, who have to sign in."),
        "externalUserAndGuestSharing" => open("Files can be shared with anybody who has a link."),
        _ => unreadable("sharingCapability"),
    }
}

/// Files are shared with named domains only.
pub(super) fn sharing_domains(tenant: &Tenant) -> Judged {
    let settings = share_point(tenant)?;
    if settings.text("sharingCapability")? == "disabled" {
        return secure("Files cannot be shared outside the organization.");
    }
    match settings.text("sharingDomainRestrictionMode")? {
        "allowList" => {
            let domains = settings.list("sharingAllowedDomainList")?.len();
            let allowed = format!("Files can be shared with {} only.", model::counted(domains, "named domain"));
            secure_if(domains > 0, allowed, "Sharing is limited to named domains, but none is named.")
        }
        "none" => open("Files can be shared with any domain."),
        "blockList" => open("Files can be shared with any domain apart from some that are blocked."),
        _ => unreadable("sharingDomainRestrictionMode"),
    }
}

/// Guests cannot share what was shared with them.
pub(super) fn resharing(tenant: &Tenant) -> Judged {
    let allowed = share_point(tenant)?.flag("isResharingByExternalUsersEnabled")?;
    secure_if(
        !allowed,
        "Guests cannot share again what they do not own.",
        "Guests can share again what they do not own.",
    )
}

/// An invitation is accepted by the account that was invited.
pub(super) fn matching_account(tenant: &Tenant) -> Judged {
    let required = share_point(tenant)?.flag("isRequireAcceptingUserToMatchInvitedUserEnabled")?;
    secure_if(
        required,
        "An invitation can be accepted by the invited account alone.",
        "An invitation can be accepted by another account than the invited one.",
    )
}

/// SharePoint refuses old sign-in protocols.
pub(super) fn legacy_sharing(tenant: &Tenant) -> Judged {
    let allowed = share_point(tenant)?.flag("isLegacyAuthProtocolsEnabled")?;
    secure_if(!allowed, "SharePoint refuses old sign-in protocols.", "SharePoint accepts old sign-in protocols.")
}

/// Idle browsers are signed out.
pub(super) fn idle_sessions(tenant: &Tenant) -> Judged {
    let settings = share_point(tenant)?;
    if !settings.flag("idleSessionSignOut/isEnabled")? {
        return open("Idle browsers stay signed in to SharePoint.");
    }
    let seconds = settings.number("idleSessionSignOut/signOutAfterInSeconds")?;
    let state = format!("Idle browsers are signed out of SharePoint after {seconds} seconds.");
    secure_if((1..=LONGEST_IDLE).contains(&seconds), state.clone(), state)
}

/// Devices that nobody manages do not synchronize files.
pub(super) fn unmanaged_sync(tenant: &Tenant) -> Judged {
    let restricted = share_point(tenant)?.flag("isUnmanagedSyncAppForTenantRestricted")?;
    secure_if(restricted, "Only devices of named domains synchronize files.", "Any device can synchronize files.")
}

/// Few people invite guests.
pub(super) fn invitations(tenant: &Tenant) -> Judged {
    match tenant.document(Source::AuthorizationPolicy)?.text("allowInvitesFrom")? {
        "none" => secure("Nobody can invite guests."),
        "adminsAndGuestInviters" => secure("Administrators and people with the Guest Inviter role can invite guests."),
        "adminsGuestInvitersAndAllMembers" => open("All members can invite guests."),
        "everyone" => open("Everybody can invite guests, guests included."),
        _ => unreadable("allowInvitesFrom"),
    }
}

/// Guests see little of the directory.
pub(super) fn guest_permissions(tenant: &Tenant) -> Judged {
    match tenant.document(Source::AuthorizationPolicy)?.text("guestUserRoleId")?.to_ascii_lowercase().as_str() {
        RESTRICTED_GUEST => secure("Guests see only their own entries in the directory."),
        GUEST => secure("Guests see a limited part of the directory."),
        MEMBER => open("Guests see as much of the directory as members."),
        _ => unreadable("guestUserRoleId"),
    }
}

/// Users of other tenants get in by invitation only.
pub(super) fn direct_connect(tenant: &Tenant) -> Judged {
    let defaults = tenant.document(Source::CrossTenantAccessDefault)?;
    let mut everything_allowed = true;
    for path in ["b2bDirectConnectInbound/usersAndGroups", "b2bDirectConnectInbound/applications"] {
        let Some(part) = defaults.get(path).map(Document) else { return unreadable(path) };
        match part.text("accessType")? {
            "allowed" => {}
            // What is blocked is blocked for these targets alone.
            "blocked" => everything_allowed &= !blocks_everything(part)?,
            _ => return unreadable("accessType"),
        }
    }
    secure_if(
        !everything_allowed,
        "Users of other tenants cannot connect directly by default.",
        "Users of other tenants can connect directly by default.",
    )
}

fn blocks_everything(part: Document<'_>) -> Result<bool, NotAssessed> {
    let targets = part.list("targets")?;
    let is_all = |target: &Document<'_>| {
        matches!(target.get("target").and_then(Value::as_str), Some("AllUsers" | "AllApplications"))
    };
    Ok(targets.iter().any(is_all))
}
