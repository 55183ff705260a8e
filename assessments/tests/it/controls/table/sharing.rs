//! External sharing.

use model::Status::{Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::json;

use super::{Case, values};
use crate::controls::snapshot::{GROUP, Snapshot};

pub(super) fn cases() -> Vec<Case> {
    const SETTINGS: &str = at::SHAREPOINT_SETTINGS;
    const AUTHORIZATION: &str = at::AUTHORIZATION_POLICY;
    const DIRECT: &str = at::CROSS_TENANT_ACCESS_DEFAULT;
    let secure_if_true = [(json!(true), Secure), (json!(false), Open)];
    let secure_if_false = [(json!(false), Secure), (json!(true), Open)];
    let allowed = |snapshot: Snapshot, part: &str| {
        snapshot.put(DIRECT, &format!("b2bDirectConnectInbound/{part}/accessType"), json!("allowed"))
    };
    let mut cases = vec![
        ("spr.es.2", "no domain named", Snapshot::secure().put(SETTINGS, "sharingAllowedDomainList", json!([])), Open),
        (
            "spr.es.2",
            "not shared at all",
            Snapshot::secure().put(SETTINGS, "sharingCapability", json!("disabled")).put(
                SETTINGS,
                "sharingDomainRestrictionMode",
                json!("none"),
            ),
            Secure,
        ),
        ("spr.es.6", "off", Snapshot::secure().put(SETTINGS, "idleSessionSignOut/isEnabled", json!(false)), Open),
        ("spr.es.9", "users allowed, applications blocked", allowed(Snapshot::secure(), "usersAndGroups"), Secure),
        ("spr.es.9", "both allowed", allowed(allowed(Snapshot::secure(), "usersAndGroups"), "applications"), Open),
        (
            "spr.es.9",
            "some users blocked",
            allowed(Snapshot::secure(), "applications").put(
                DIRECT,
                "b2bDirectConnectInbound/usersAndGroups/targets/0/target",
                json!(GROUP),
            ),
            Open,
        ),
    ];
    cases.extend(values(
        "spr.es.1",
        SETTINGS,
        "sharingCapability",
        &[
            (json!("disabled"), Secure),
            (json!("existingExternalUserSharingOnly"), Secure),
            (json!("externalUserSharingOnly"), Secure),
            (json!("externalUserAndGuestSharing"), Open),
        ],
    ));
    cases.extend(values(
        "spr.es.2",
        SETTINGS,
        "sharingDomainRestrictionMode",
        &[(json!("allowList"), Secure), (json!("none"), Open), (json!("blockList"), Open)],
    ));
    cases.extend(values("spr.es.3", SETTINGS, "isResharingByExternalUsersEnabled", &secure_if_false));
    cases.extend(values("spr.es.4", SETTINGS, "isRequireAcceptingUserToMatchInvitedUserEnabled", &secure_if_true));
    cases.extend(values("spr.es.5", SETTINGS, "isLegacyAuthProtocolsEnabled", &secure_if_false));
    cases.extend(values(
        "spr.es.6",
        SETTINGS,
        "idleSessionSignOut/signOutAfterInSeconds",
        &[(json!(10_800), Secure), (json!(10_801), Open), (json!(0), Open)],
    ));
    cases.extend(values(
        "spr.es.7",
        AUTHORIZATION,
        "allowInvitesFrom",
        &[
            (json!("none"), Secure),
            (json!("adminsAndGuestInviters"), Secure),
            (json!("adminsGuestInvitersAndAllMembers"), Open),
            (json!("everyone"), Open),
        ],
    ));
    cases.extend(values(
        "spr.es.8",
        AUTHORIZATION,
        "guestUserRoleId",
        &[
            (json!("2AF84B1E-32c8-42b7-82bc-daa82404023b"), Secure),
            (json!("10dae51f-b6af-4016-8d66-8c2a99b929b3"), Secure),
            (json!("a0b1b346-4d3e-4e8b-98f8-753987be4970"), Open),
        ],
    ));
    cases.extend(values(
        "spr.es.9",
        DIRECT,
        "b2bDirectConnectInbound/usersAndGroups/accessType",
        &[(json!("blocked"), Secure)],
    ));
    cases.extend(values("spr.es.10", SETTINGS, "isUnmanagedSyncAppForTenantRestricted", &secure_if_true));
    cases
}
