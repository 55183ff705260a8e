//! The snapshot of a tenant in which every control is secure.

use model::snapshot::{LEGACY_CLIENTS, endpoint as at};
use serde_json::{Value, json};

use super::{
    ADMIN, EMERGENCY, GUEST, INTUNE, MEMBER, OTHER_ADMIN, P1, P2, ROLES, Snapshot, TENANT, VENDOR, assignment, dns,
    grant, page, policy, sign_in,
};

const STRANGER: &str = "99999999-2222-3333-4444-555555555555";

impl Snapshot {
    /// Returns a snapshot of a tenant in which every control that can be assessed is secure.
    pub(crate) fn secure() -> Self {
        let plans = [P1, P2, INTUNE].map(|id| json!({ "servicePlanId": id, "provisioningStatus": "Success" }));
        let snapshot = Self::empty()
            .with(at::ORGANIZATION, page(&[json!({ "id": TENANT, "onPremisesSyncEnabled": true })]))
            .with(
                at::SUBSCRIBED_SKUS,
                page(&[json!({
                    "id": format!("{TENANT}_sku-1"), "accountId": TENANT, "skuPartNumber": "SPE_E5",
                    "capabilityStatus": "Enabled", "consumedUnits": 4, "servicePlans": plans,
                })]),
            )
            .with(
                at::DOMAINS,
                page(&[json!({
                    "id": "example.com", "isVerified": true, "isRoot": true, "authenticationType": "Managed",
                    "passwordValidityPeriodInDays": 2_147_483_647_i64, "supportedServices": ["Email"],
                })]),
            );
        dns_of(directory_of(policies_of(snapshot)))
    }
}

fn policies_of(snapshot: Snapshot) -> Snapshot {
    let shown = ["62375ab9-6b52-47ed-826b-58e47e0e304b", "5cf42378-d67d-4f36-ba46-e8b86229381d"];
    let password_rules = [
        ("EnableBannedPasswordCheck", "True"),
        ("BannedPasswordList", "contoso\toslo"),
        ("LockoutThreshold", "10"),
        ("LockoutDurationInSeconds", "60"),
    ];
    snapshot
        .with(
            at::AUTHORIZATION_POLICY,
            json!({
                "allowInvitesFrom": "adminsAndGuestInviters", "guestUserRoleId": "2af84b1e-32c8-42b7-82bc-daa82404023b",
                "allowedToSignUpEmailBasedSubscriptions": false, "allowEmailVerifiedUsersToJoinOrganization": false,
                "defaultUserRolePermissions": {
                    "allowedToCreateApps": false, "allowedToCreateTenants": false,
                    "allowedToCreateSecurityGroups": false, "permissionGrantPoliciesAssigned": [],
                },
            }),
        )
        .with(at::AUTHENTICATION_METHODS_POLICY, methods_policy())
        .with(at::SECURITY_DEFAULTS, json!({ "isEnabled": false }))
        .with(at::ADMIN_CONSENT_REQUEST_POLICY, json!({ "isEnabled": true, "reviewers": [{ "query": "/users/x" }] }))
        .with(
            at::DEFAULT_APP_MANAGEMENT_POLICY,
            json!({
                "isEnabled": true, "applicationRestrictions": secret_restrictions(),
                "servicePrincipalRestrictions": secret_restrictions(),
            }),
        )
        .with(
            at::CROSS_TENANT_ACCESS_DEFAULT,
            json!({ "b2bDirectConnectInbound": {
                "usersAndGroups": { "accessType": "blocked", "targets": [{ "target": "AllUsers", "targetType": "user" }] },
                "applications": {
                    "accessType": "blocked", "targets": [{ "target": "AllApplications", "targetType": "application" }],
                },
            } }),
        )
        .with(
            at::DEVICE_REGISTRATION_POLICY,
            json!({
                "multiFactorAuthConfiguration": "required", "localAdminPassword": { "isEnabled": true },
                "azureADJoin": { "allowedToJoin": { "@odata.type": "#microsoft.graph.allDeviceRegistrationMembership" } },
            }),
        )
        .with(
            at::GROUP_SETTINGS,
            page(&[setting(shown[0], &[("EnableGroupCreation", "False")]), setting(shown[1], &password_rules)]),
        )
        .with(
            at::SHAREPOINT_SETTINGS,
            json!({
                "sharingCapability": "existingExternalUserSharingOnly", "sharingDomainRestrictionMode": "allowList",
                "sharingAllowedDomainList": ["partner.example"], "isResharingByExternalUsersEnabled": false,
                "isRequireAcceptingUserToMatchInvitedUserEnabled": true, "isLegacyAuthProtocolsEnabled": false,
                "isUnmanagedSyncAppForTenantRestricted": true,
                "idleSessionSignOut": { "isEnabled": true, "signOutAfterInSeconds": 3600 },
            }),
        )
        .with(
            at::ON_PREMISES_SYNCHRONIZATION,
            page(&[json!({ "id": TENANT, "features": {
                "blockCloudObjectTakeoverThroughHardMatchEnabled": true, "blockSoftMatchEnabled": true,
            } })]),
        )
        .with(at::REPORT_SETTINGS, json!({ "displayConcealedNames": false }))
        .with(at::CONDITIONAL_ACCESS_POLICIES, page(&policies()))
        .with(
            at::NAMED_LOCATIONS,
            page(&[json!({
                "@odata.type": "#microsoft.graph.ipNamedLocation", "id": "office", "displayName": "Office",
                "isTrusted": true, "ipRanges": [{ "cidrAddress": "192.0.2.0/24" }, { "cidrAddress": "2001:db8:1::/48" }],
            })]),
        )
        .with(at::OBJECTS_BY_ID, page(&[json!({ "@odata.type": "#microsoft.graph.user", "id": EMERGENCY })]))
}

fn directory_of(snapshot: Snapshot) -> Snapshot {
    let admins = [assignment("1", ADMIN, "user", ROLES[0]), assignment("2", MEMBER, "user", ROLES[2])];
    let instances = admins.clone().map(|mut row| {
        row["assignmentType"] = json!("Activated");
        row["endDateTime"] = json!("2026-05-01T12:00:00Z");
        row
    });
    let eligible = [assignment("3", OTHER_ADMIN, "user", ROLES[0]), assignment("4", GUEST, "user", ROLES[5])];
    let app = json!({
        "id": VENDOR, "displayName": "Vendor", "appOwnerOrganizationId": STRANGER, "accountEnabled": true,
    });
    let grant =
        json!({ "id": "g1", "clientId": VENDOR, "consentType": "AllPrincipals", "scope": " User.Read profile" });
    let role = |id: &str| {
        page(&[json!({ "id": id, "appRoleId": "00000000-0000-0000-0000-00000000000a", "principalId": VENDOR })])
    };
    let users = [user(ADMIN, "Member"), user(OTHER_ADMIN, "Member"), user(MEMBER, "Member"), user(GUEST, "Guest")];
    let snapshot = snapshot
        .with(at::ROLE_ASSIGNMENTS, page(&admins))
        .with(at::ROLE_ASSIGNMENT_INSTANCES, page(&instances))
        .with(at::ROLE_ELIGIBILITY_INSTANCES, page(&eligible))
        .with_query(at::ROLE_POLICIES, "$filter=scopeId eq '/'", page(&ROLES.map(rules)))
        .with_query(at::USERS, "$select=id,signInActivity&$top=500", page(&users))
        .with(
            at::REGISTRATIONS,
            page(&[registration(ADMIN, "member"), registration(OTHER_ADMIN, "member"), registration(MEMBER, "member")]),
        )
        .with(at::RISKY_USERS, page(&[]))
        .with(
            at::APPLICATIONS,
            page(&[json!({ "id": "app", "displayName": "Own", "passwordCredentials": [
                { "startDateTime": "2026-01-01T00:00:00Z", "endDateTime": "2026-07-01T00:00:00Z" },
            ] })]),
        )
        .with(at::SERVICE_PRINCIPALS, page(&[app]))
        .with(at::PERMISSION_GRANTS, page(&[grant]))
        .with(at::GRAPH_ROLE_ASSIGNMENTS, role("r1"))
        .with(at::EXCHANGE_ROLE_ASSIGNMENTS, role("r2"))
        .with(at::SHAREPOINT_ROLE_ASSIGNMENTS, role("r3"))
        .with(&format!("{}period='D30')", at::MAIL_APPS_REPORT), mail_report());
    let legacy = LEGACY_CLIENTS.map(|client| format!("clientAppUsed eq '{client}'")).join(" or ");
    let snapshot = [ADMIN, OTHER_ADMIN].iter().fold(snapshot, |snapshot, id| {
        let query = format!("$filter=userId eq '{id}' and createdDateTime ge 2026-04-01T00:00:00Z");
        snapshot.with_query(at::SIGN_INS, &query, page(&[sign_in(id, 0)]))
    });
    snapshot.with_query(
        at::SIGN_INS,
        &format!("$filter=createdDateTime ge 2026-04-01T00:00:00Z and ({legacy})"),
        page(&[]),
    )
}

fn dns_of(snapshot: Snapshot) -> Snapshot {
    let snapshot = dns(snapshot, "example.com", &["v=spf1 include:spf.example.net -all", "other=1"]);
    let snapshot = dns(snapshot, "_dmarc.example.com", &["v=DMARC1; p=reject; rua=mailto:dmarc@example.com"]);
    let snapshot = dns(snapshot, "selector1._domainkey.example.com", &["v=DKIM1; k=rsa; p=MIIB"]);
    dns(snapshot, "selector2._domainkey.example.com", &[])
}

/// Returns the policies of the secure tenant.
pub(crate) fn policies() -> Vec<Value> {
    let mut sessions = policy("Sessions", json!({}), Value::Null);
    sessions["sessionControls"] = json!({
        "signInFrequency": {
            "isEnabled": true, "value": 4, "type": "hours", "frequencyInterval": "timeBased",
            "authenticationType": "primaryAndSecondaryAuthentication",
        },
        "persistentBrowser": { "isEnabled": true, "mode": "never" },
    });
    let flow = |flow: &str| json!({ "authenticationFlows": { "transferMethods": flow } });
    let action = json!({
        "includeApplications": [], "excludeApplications": [], "includeUserActions": ["urn:user:registersecurityinfo"],
    });
    vec![
        policy("Legacy", json!({ "clientAppTypes": ["exchangeActiveSync", "other"] }), grant(&["block"])),
        policy("Resistant", json!({}), resistant()),
        policy("User risk", json!({ "userRiskLevels": ["high"] }), grant(&["block"])),
        policy("Sign-in risk", json!({ "signInRiskLevels": ["high"] }), grant(&["mfa"])),
        policy("Devices", json!({}), grant(&["compliantDevice", "domainJoinedDevice"])),
        policy("Registration", json!({ "applications": action }), grant(&["mfa"])),
        policy("Flows", flow("deviceCodeFlow,authenticationTransfer"), grant(&["block"])),
        sessions,
    ]
}

fn resistant() -> Value {
    let combinations = ["windowsHelloForBusiness", "fido2", "x509CertificateMultiFactor"];
    let mut grant = grant(&[]);
    grant["authenticationStrength"] = json!({ "id": "4", "allowedCombinations": combinations });
    grant
}

fn methods_policy() -> Value {
    let shown = json!({
        "state": "enabled", "includeTarget": { "targetType": "group", "id": "all_users" },
        "excludeTarget": { "targetType": "group", "id": "00000000-0000-0000-0000-000000000000" },
    });
    let mut authenticator = method("MicrosoftAuthenticator", "enabled");
    authenticator["featureSettings"] = json!({
        "displayAppInformationRequiredState": shown, "displayLocationInformationRequiredState": shown,
    });
    let mut passes = method("TemporaryAccessPass", "enabled");
    passes["isUsableOnce"] = json!(true);
    passes["maximumLifetimeInMinutes"] = json!(480);
    json!({
        "id": "authenticationMethodsPolicy", "policyMigrationState": "migrationComplete",
        "registrationEnforcement": { "authenticationMethodsRegistrationCampaign": { "state": "enabled" } },
        "authenticationMethodConfigurations": [
            method("Sms", "disabled"), method("Voice", "disabled"), method("Email", "disabled"),
            method("Fido2", "enabled"), authenticator, passes,
        ],
    })
}

fn method(id: &str, state: &str) -> Value {
    json!({ "id": id, "state": state, "includeTargets": [] })
}

fn setting(template: &str, values: &[(&str, &str)]) -> Value {
    let values = values.iter().map(|(name, value)| json!({ "name": name, "value": value }));
    json!({ "id": format!("setting {template}"), "templateId": template, "values": values.collect::<Vec<_>>() })
}

fn secret_restrictions() -> Value {
    let restriction = |kind: &str, life: Value| {
        json!({
            "restrictionType": kind, "maxLifetime": life, "state": "enabled",
            "restrictForAppsCreatedAfterDateTime": "0001-01-01T00:00:00Z",
        })
    };
    json!({ "passwordCredentials": [
        restriction("passwordLifetime", json!("P180D")), restriction("symmetricKeyLifetime", json!("P180D")),
    ] })
}

fn user(id: &str, kind: &str) -> Value {
    json!({
        "id": id, "userPrincipalName": format!("{}@example.com", &id[..8]), "displayName": "A person", "mail": null,
        "accountEnabled": true, "userType": kind, "createdDateTime": "2024-01-01T00:00:00Z",
        "assignedLicenses": [{ "disabledPlans": [], "skuId": "sku-1" }], "onPremisesSyncEnabled": null,
        "lastPasswordChangeDateTime": "2026-04-01T00:00:00Z", "externalUserState": null,
        "signInActivity": { "lastSuccessfulSignInDateTime": "2026-04-30T00:00:00Z" },
    })
}

fn registration(id: &str, kind: &str) -> Value {
    json!({
        "id": id, "userPrincipalName": "x", "userType": kind, "isAdmin": kind == "member", "isMfaRegistered": true,
        "methodsRegistered": ["fido2SecurityKey", "mobilePhone"],
    })
}

fn rules(role: &str) -> Value {
    let alert = |id: &str| {
        json!({
            "@odata.type": "#microsoft.graph.unifiedRoleManagementPolicyNotificationRule", "id": id,
            "notificationRecipients": ["alerts@example.com"],
        })
    };
    json!({
        "id": format!("assignment {role}"), "policyId": role, "roleDefinitionId": role, "scopeId": "/",
        "policy": { "id": role, "rules": [
            {
                "@odata.type": "#microsoft.graph.unifiedRoleManagementPolicyApprovalRule",
                "id": "Approval_EndUser_Assignment", "setting": { "isApprovalRequired": true },
            },
            alert("Notification_Admin_Admin_Assignment"),
            alert("Notification_Admin_Admin_Eligibility"),
            alert("Notification_Admin_EndUser_Assignment"),
        ] },
    })
}

fn mail_report() -> Value {
    json!([
        "Report Refresh Date,User Principal Name,Is Deleted,Last Activity Date,IMAP4 App,POP3 App,SMTP App,Report Period",
        "2026-04-29,one@example.com,False,2026-04-28,,,,30",
    ])
}
