//! Applications and devices.

use model::Status::{NotAssessed, Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::{CA, Case, values};
use crate::controls::snapshot::{Snapshot, TENANT, grant, page, policy};

pub(super) fn cases() -> Vec<Case> {
    const AUTHORIZATION: &str = at::AUTHORIZATION_POLICY;
    const DEVICES: &str = at::DEVICE_REGISTRATION_POLICY;
    let may = |field: &str| format!("defaultUserRolePermissions/{field}");
    let consent = |policies: &[&str]| {
        Snapshot::secure().put(AUTHORIZATION, &may("permissionGrantPoliciesAssigned"), json!(policies))
    };
    let first = "applicationRestrictions/passwordCredentials/0";
    let role = |id: &str| Snapshot::secure().put(at::GRAPH_ROLE_ASSIGNMENTS, "value/0/appRoleId", json!(id));
    let owner = |snapshot: Snapshot, owner: Value| {
        snapshot.put(at::SERVICE_PRINCIPALS, "value/0/appOwnerOrganizationId", owner)
    };
    let mail = "e2a3a72e-5f79-4c64-b1b1-878b674786c9";
    let scope = |scope: &str| Snapshot::secure().put(at::PERMISSION_GRANTS, "value/0/scope", json!(scope));
    let no_device_mfa = || Snapshot::secure().put(DEVICES, "multiFactorAuthConfiguration", json!("notRequired"));
    let join_policy = || {
        let action = json!({ "includeApplications": [], "includeUserActions": ["urn:user:registerdevice"] });
        policy("Join", json!({ "applications": action }), grant(&["mfa"]))
    };
    let hard = "value/0/features/blockCloudObjectTakeoverThroughHardMatchEnabled";
    let either = [(json!(false), Secure), (json!(true), Open)];
    let mut cases = vec![
        ("spr.ad.2", "for owned resources", consent(&["ManagePermissionGrantsForOwnedResource.x"]), Secure),
        (
            "spr.ad.2",
            "as recommended",
            consent(&["ManagePermissionGrantsForSelf.microsoft-user-default-recommended"]),
            Open,
        ),
        ("spr.ad.2", "to anything", consent(&["ManagePermissionGrantsForSelf.microsoft-user-default-legacy"]), Open),
        (
            "spr.ad.2",
            "to low permissions",
            consent(&["ManagePermissionGrantsForSelf.microsoft-user-default-low"]),
            NotAssessed,
        ),
        (
            "spr.ad.3",
            "nobody to answer",
            Snapshot::secure().put(at::ADMIN_CONSENT_REQUEST_POLICY, "reviewers", json!([])),
            Open,
        ),
        ("spr.ad.6", "off", secrets("isEnabled", json!(false)), Open),
        ("spr.ad.6", "a restriction that is off", secrets(&format!("{first}/state"), json!("disabled")), Open),
        ("spr.ad.6", "a state of unknown meaning", secrets(&format!("{first}/state"), json!("paused")), NotAssessed),
        (
            "spr.ad.6",
            "for new applications",
            secrets(&format!("{first}/restrictForAppsCreatedAfterDateTime"), json!("2026-01-01T00:00:00Z")),
            Open,
        ),
        ("spr.ad.6", "blocked", secrets(&format!("{first}/restrictionType"), json!("passwordAddition")), Secure),
        (
            "spr.ad.6",
            "for applications alone",
            secrets("servicePrincipalRestrictions/passwordCredentials", json!([])),
            Open,
        ),
        ("spr.ad.7", "two years", credential("2026-01-01T00:00:00Z", "2028-01-01T00:00:00Z"), Open),
        ("spr.ad.7", "expired long ago", credential("2025-01-01T00:00:00Z", "2025-07-01T00:00:00Z"), Open),
        ("spr.ad.7", "just expired", credential("2026-01-01T00:00:00Z", "2026-04-20T00:00:00Z"), Secure),
        (
            "spr.ad.7",
            "no secrets",
            Snapshot::secure().put(at::APPLICATIONS, "value/0/passwordCredentials", json!([])),
            Secure,
        ),
        (
            "spr.ad.7",
            "not selected",
            Snapshot::secure().put(at::APPLICATIONS, "value/0/passwordCredentials", Value::Null),
            NotAssessed,
        ),
        ("spr.ad.8", "all mail", role(mail), Open),
        ("spr.ad.8", "of the tenant", owner(role(mail), json!(TENANT)), Secure),
        ("spr.ad.8", "of the provider", owner(role(mail), json!("F8CDEF31-a31e-4b4a-93e4-5f571e91255a")), Secure),
        ("spr.ad.8", "a managed identity", owner(role(mail), Value::Null), Secure),
        (
            "spr.ad.8",
            "switched off",
            role(mail).put(at::SERVICE_PRINCIPALS, "value/0/accountEnabled", json!(false)),
            Secure,
        ),
        (
            "spr.ad.8",
            "of an application that is not listed",
            role(mail).set(at::SERVICE_PRINCIPALS, page(&[])),
            NotAssessed,
        ),
        (
            "spr.ad.8",
            "a service that the tenant does not use",
            Snapshot::secure().failing(at::EXCHANGE_ROLE_ASSIGNMENTS, 404, "Request_ResourceNotFound"),
            Secure,
        ),
        (
            "spr.ad.8",
            "a service that was not read",
            Snapshot::secure().without(at::SHAREPOINT_ROLE_ASSIGNMENTS),
            NotAssessed,
        ),
        ("spr.ad.9", "all mail", scope("User.Read Mail.ReadWrite"), Open),
        (
            "spr.ad.9",
            "of one user",
            scope("Mail.Read").put(at::PERMISSION_GRANTS, "value/0/consentType", json!("Principal")),
            Secure,
        ),
        (
            "spr.ad.9",
            "a kind of unknown meaning",
            scope("Mail.Read").put(at::PERMISSION_GRANTS, "value/0/consentType", json!("Robots")),
            NotAssessed,
        ),
        ("spr.ad.9", "of the tenant", owner(scope("Mail.Read"), json!(TENANT)), Secure),
        ("spr.ad.10", "not required", no_device_mfa(), Open),
        ("spr.ad.10", "by a policy", no_device_mfa().add(CA, join_policy()), Secure),
        (
            "spr.ad.10",
            "by nobody",
            no_device_mfa().put(
                DEVICES,
                "azureADJoin/allowedToJoin/@odata.type",
                json!("#microsoft.graph.noDeviceRegistrationMembership"),
            ),
            Secure,
        ),
        ("spr.ad.10", "not required, policies not read", no_device_mfa().failing(CA, 403, ""), NotAssessed),
        ("spr.ad.12", "hard match", Snapshot::secure().put(at::ON_PREMISES_SYNCHRONIZATION, hard, json!(false)), Open),
        (
            "spr.ad.12",
            "not said",
            Snapshot::secure().put(at::ON_PREMISES_SYNCHRONIZATION, hard, Value::Null),
            NotAssessed,
        ),
        (
            "spr.ad.12",
            "not synchronized",
            Snapshot::secure()
                .put(at::ORGANIZATION, "value/0/onPremisesSyncEnabled", Value::Null)
                .without(at::ON_PREMISES_SYNCHRONIZATION),
            Secure,
        ),
        (
            "spr.ad.14",
            "all users",
            Snapshot::secure().put(at::GROUP_SETTINGS, "value/0/values/0/value", json!("true")),
            Open,
        ),
        ("spr.ad.14", "without settings", Snapshot::secure().set(at::GROUP_SETTINGS, page(&[])), Open),
        ("spr.ad.14", "not read", Snapshot::secure().failing(at::GROUP_SETTINGS, 500, ""), NotAssessed),
    ];
    cases.extend(values("spr.ad.1", AUTHORIZATION, &may("allowedToCreateApps"), &either));
    cases.extend(values("spr.ad.2", AUTHORIZATION, &may("permissionGrantPoliciesAssigned"), &[(json!([]), Secure)]));
    cases.extend(values(
        "spr.ad.3",
        at::ADMIN_CONSENT_REQUEST_POLICY,
        "isEnabled",
        &[(json!(true), Secure), (json!(false), Open)],
    ));
    cases.extend(values("spr.ad.4", AUTHORIZATION, &may("allowedToCreateTenants"), &either));
    cases.extend(values("spr.ad.5", AUTHORIZATION, &may("allowedToCreateSecurityGroups"), &either));
    cases.extend(values("spr.ad.6", at::DEFAULT_APP_MANAGEMENT_POLICY, "isEnabled", &[(json!(false), Open)]));
    cases.extend(values("spr.ad.10", DEVICES, "multiFactorAuthConfiguration", &[(json!("required"), Secure)]));
    cases.extend(values(
        "spr.ad.11",
        DEVICES,
        "localAdminPassword/isEnabled",
        &[(json!(true), Secure), (json!(false), Open)],
    ));
    cases.extend(values("spr.ad.13", AUTHORIZATION, "allowedToSignUpEmailBasedSubscriptions", &either));
    cases.extend(values("spr.ad.13", AUTHORIZATION, "allowEmailVerifiedUsersToJoinOrganization", &either));
    cases
}

fn credential(start: &str, end: &str) -> Snapshot {
    Snapshot::secure().put(
        at::APPLICATIONS,
        "value/0/passwordCredentials/0",
        json!({ "startDateTime": start, "endDateTime": end }),
    )
}

fn secrets(path: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(at::DEFAULT_APP_MANAGEMENT_POLICY, path, value)
}
