//! The tenant, its licences and its settings.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::{Rows, time};
use crate::query::Query;
use crate::tenant::{Plan, View};

pub(crate) fn organization<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    Rows::given(vec![json!({
        "id": tenant.id,
        "displayName": tenant.name,
        "createdDateTime": time(now - TimeDelta::days(1_500)),
        "onPremisesSyncEnabled": Value::Null,
        "tenantType": "AAD",
        "assignedPlans": [],
        "provisionedPlans": [],
        "businessPhones": [],
        "marketingNotificationEmails": [],
        "securityComplianceNotificationMails": [],
        "securityComplianceNotificationPhones": [],
        "technicalNotificationMails": [],
        "verifiedDomains": [{
            "name": tenant.domain(),
            "type": "Managed",
            "isDefault": true,
            "isInitial": false,
            "capabilities": "Email, OfficeCommunicationsOnline",
        }],
    })])
}

pub(crate) fn skus<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let tenant = view.tenant;
    let mut plans = vec![("EXCHANGE_S_STANDARD", "9aaf7827-d63c-4b61-89c3-182f06f82e5c")];
    if tenant.plan.includes(Plan::P1) {
        plans.push(("AAD_PREMIUM", "41781fb2-bc02-4b7c-bd55-b576c07bb09d"));
    }
    if tenant.plan.includes(Plan::P2) {
        plans.push(("AAD_PREMIUM_P2", "eec0eb4f-6444-4f95-aba0-50c24d67f998"));
    }
    if tenant.share_point {
        plans.push(("SHAREPOINTSTANDARD", "c7699d2e-19aa-44de-8edf-1736da088ca1"));
    }
    let plan = |(name, id): &(&str, &str)| json!({ "servicePlanId": id, "servicePlanName": name, "provisioningStatus": "Success", "appliesTo": "User" });
    let sku = tenant.object("sku", 0);
    Rows::given(vec![json!({
        "id": format!("{}_{sku}", tenant.id),
        "skuId": sku,
        "skuPartNumber": "INVENTED_SUITE",
        "accountId": tenant.id,
        "accountName": tenant.name,
        "appliesTo": "User",
        "capabilityStatus": "Enabled",
        "consumedUnits": tenant.users - tenant.users / 10,
        "prepaidUnits": { "enabled": tenant.users, "suspended": 0, "warning": 0, "lockedOut": 0 },
        "subscriptionIds": [tenant.object("subscription", 0)],
        "servicePlans": plans.iter().map(plan).collect::<Vec<_>>(),
    })])
}

pub(crate) fn domains<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let tenant = view.tenant;
    let days = if tenant.has("no password expiry") { 2_147_483_647 } else { 90 };
    let domain = |name: String, is_initial: bool| {
        json!({
            "id": name,
            "authenticationType": "Managed",
            "availabilityStatus": Value::Null,
            "isAdminManaged": true,
            "isDefault": !is_initial,
            "isInitial": is_initial,
            "isRoot": true,
            "isVerified": true,
            "supportedServices": ["Email", "OfficeCommunicationsOnline"],
            "passwordValidityPeriodInDays": days,
            "passwordNotificationWindowInDays": 14,
            "state": Value::Null,
        })
    };
    let initial = format!("{}.onmicrosoft.com", tenant.slug().replace('-', ""));
    Rows::given(vec![domain(tenant.domain(), false), domain(initial, true)])
}

pub(crate) fn authorization_policy(View { tenant, .. }: View) -> Value {
    let consent: &[&str] = match tenant.has("no user consent") {
        true => &[],
        false => &["ManagePermissionGrantsForSelf.microsoft-user-default-legacy"],
    };
    let guests = match tenant.has("restricted guests") {
        true => "2af84b1e-32c8-42b7-82bc-daa82404023b",
        false => "10dae51f-b6af-4016-8d66-8c2a99b929b3",
    };
    json!({
        "id": "authorizationPolicy",
        "displayName": "Authorization Policy",
        "description": "Used to manage authorization related settings across the company.",
        "allowInvitesFrom": if tenant.has("invitations by administrators") { "adminsAndGuestInviters" } else { "everyone" },
        "allowedToSignUpEmailBasedSubscriptions": !tenant.has("no sign-up"),
        "allowedToUseSSPR": true,
        "allowEmailVerifiedUsersToJoinOrganization": false,
        "allowUserConsentForRiskyApps": Value::Null,
        "blockMsolPowerShell": false,
        "guestUserRoleId": guests,
        "defaultUserRolePermissions": {
            "allowedToCreateApps": !tenant.has("no applications of users"),
            "allowedToCreateSecurityGroups": true,
            "allowedToCreateTenants": !tenant.has("no tenants of users"),
            "allowedToReadBitlockerKeysForOwnedDevice": true,
            "allowedToReadOtherUsers": true,
            "permissionGrantPoliciesAssigned": consent,
        },
    })
}

pub(crate) fn methods_policy(View { tenant, now }: View) -> Value {
    let state = |enabled: bool| if enabled { "enabled" } else { "disabled" };
    let everyone = json!({ "targetType": "group", "id": "all_users" });
    let all = json!([{ "targetType": "group", "id": "all_users", "isRegistrationRequired": false }]);
    let weak = !tenant.has("no codes by message");
    let nobody = json!({ "targetType": "group", "id": "00000000-0000-0000-0000-000000000000" });
    let shown = json!({ "state": "enabled", "includeTarget": everyone, "excludeTarget": nobody });
    let method = |name: &str, id: &str, enabled: bool, more: Value| {
        let mut row = json!({
            "@odata.type": format!("#microsoft.graph.{name}AuthenticationMethodConfiguration"),
            "id": id,
            "state": state(enabled),
            "excludeTargets": [],
            "includeTargets": all,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            row[name] = value.clone();
        }
        row
    };
    let methods = vec![
        method(
            "fido2",
            "Fido2",
            true,
            json!({ "isAttestationEnforced": true, "isSelfServiceRegistrationAllowed": true }),
        ),
        method(
            "microsoftAuthenticator",
            "MicrosoftAuthenticator",
            true,
            json!({
                "isSoftwareOathEnabled": false,
                "featureSettings": {
                    "displayAppInformationRequiredState": shown,
                    "displayLocationInformationRequiredState": shown,
                },
            }),
        ),
        method("sms", "Sms", weak, json!({})),
        method(
            "temporaryAccessPass",
            "TemporaryAccessPass",
            true,
            json!({
                "defaultLifetimeInMinutes": 60,
                "defaultLength": 8,
                "minimumLifetimeInMinutes": 60,
                "maximumLifetimeInMinutes": if tenant.has("short passes") { 480 } else { 1_440 },
                "isUsableOnce": tenant.has("short passes"),
            }),
        ),
        method("voice", "Voice", false, json!({ "isOfficePhoneAllowed": false })),
        method("email", "Email", weak, json!({ "allowExternalIdToUseEmailOtp": "default" })),
    ];
    json!({
        "id": "authenticationMethodsPolicy",
        "displayName": "Authentication Methods Policy",
        "description": "The tenant-wide policy that controls which authentication methods are allowed.",
        "lastModifiedDateTime": time(now - TimeDelta::days(30)),
        "policyVersion": "1.5",
        "policyMigrationState": "migrationComplete",
        "registrationEnforcement": { "authenticationMethodsRegistrationCampaign": {
            "state": "default",
            "snoozeDurationInDays": 1,
            "excludeTargets": [],
            "includeTargets": [{ "id": "all_users", "targetType": "group", "targetedAuthenticationMethod": "microsoftAuthenticator" }],
        } },
        "authenticationMethodConfigurations": methods,
    })
}

pub(crate) fn security_defaults(View { tenant, .. }: View) -> Value {
    json!({
        "id": "00000000-0000-0000-0000-000000000005",
        "displayName": "Security Defaults",
        "description": "Security defaults is a set of basic identity security mechanisms.",
        "isEnabled": tenant.plan == Plan::Free && tenant.has("security defaults"),
    })
}

pub(crate) fn consent_requests(View { tenant, .. }: View) -> Value {
    let enabled = tenant.has("consent requests");
    let query = format!("/v1.0/users/{}", tenant.object("user", 0));
    let reviewer = json!({ "query": query, "queryType": "MicrosoftGraph", "queryRoot": Value::Null });
    json!({
        "isEnabled": enabled,
        "notifyReviewers": enabled,
        "remindersEnabled": enabled,
        "requestDurationInDays": 30,
        "version": 1,
        "reviewers": if enabled { json!([reviewer]) } else { json!([]) },
    })
}

pub(crate) fn app_management(View { tenant, .. }: View) -> Value {
    let limit = json!({
        "restrictionType": "passwordLifetime",
        "state": "enabled",
        "maxLifetime": "P180D",
        "restrictForAppsCreatedAfterDateTime": "2020-01-01T00:00:00Z",
    });
    let limits = if tenant.has("short secrets") { json!([limit]) } else { json!([]) };
    json!({
        "id": "00000000-0000-0000-0000-000000000000",
        "displayName": "Default app management tenant policy",
        "description": "Default tenant policy that enforces app management restrictions.",
        "isEnabled": tenant.has("short secrets"),
        "applicationRestrictions": { "passwordCredentials": limits, "keyCredentials": [] },
        "servicePrincipalRestrictions": { "passwordCredentials": limits, "keyCredentials": [] },
    })
}

pub(crate) fn cross_tenant(_: View) -> Value {
    let access = |kind: &str, users: &str, applications: &str| {
        json!({
            "usersAndGroups": { "accessType": kind, "targets": [{ "target": users, "targetType": "user" }] },
            "applications": { "accessType": kind, "targets": [{ "target": applications, "targetType": "application" }] },
        })
    };
    json!({
        "id": "default",
        "isServiceDefault": true,
        "inboundTrust": {
            "isMfaAccepted": false,
            "isCompliantDeviceAccepted": false,
            "isHybridAzureADJoinedDeviceAccepted": false,
        },
        "b2bCollaborationInbound": access("allowed", "AllUsers", "AllApplications"),
        "b2bCollaborationOutbound": access("allowed", "AllUsers", "AllApplications"),
        "b2bDirectConnectInbound": access("blocked", "AllUsers", "AllApplications"),
        "b2bDirectConnectOutbound": access("blocked", "AllUsers", "AllApplications"),
        "automaticUserConsentSettings": { "inboundAllowed": Value::Null, "outboundAllowed": Value::Null },
    })
}

pub(crate) fn devices(View { tenant, .. }: View) -> Value {
    let everyone = json!({ "@odata.type": "#microsoft.graph.allDeviceRegistrationMembership" });
    let nobody = json!({ "@odata.type": "#microsoft.graph.noDeviceRegistrationMembership" });
    json!({
        "id": "deviceRegistrationPolicy",
        "displayName": "Device Registration Policy",
        "description": "Tenant-wide policy that manages initial provisioning controls.",
        "userDeviceQuota": 50,
        "multiFactorAuthConfiguration": if tenant.has("joining with a second factor") { "required" } else { "notRequired" },
        "azureADRegistration": { "isAdminConfigurable": false, "allowedToRegister": everyone },
        "azureADJoin": {
            "isAdminConfigurable": true,
            "allowedToJoin": everyone,
            "localAdmins": { "enableGlobalAdmins": true, "registeringUsers": nobody },
        },
        "localAdminPassword": { "isEnabled": tenant.has("local passwords") },
    })
}

pub(crate) fn group_settings<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let limited = if view.tenant.has("groups of few") { "False" } else { "True" };
    Rows::given(vec![json!({
        "id": view.tenant.object("setting", 0),
        "displayName": "Group.Unified",
        "templateId": "62375ab9-6b52-47ed-826b-58e47e0e304b",
        "values": [
            { "name": "EnableGroupCreation", "value": limited },
            { "name": "AllowGuestsToBeGroupOwner", "value": "False" },
            { "name": "AllowToAddGuests", "value": "True" },
        ],
    })])
}

pub(crate) fn sharing(View { tenant, .. }: View) -> Value {
    let limited = tenant.has("limited sharing");
    json!({
        "sharingCapability": if limited { "existingExternalUserSharingOnly" } else { "externalUserAndGuestSharing" },
        "sharingDomainRestrictionMode": if limited { "allowList" } else { "none" },
        "sharingAllowedDomainList": if limited { json!(["partner.example"]) } else { json!([]) },
        "sharingBlockedDomainList": [],
        "isResharingByExternalUsersEnabled": !limited,
        "isRequireAcceptingUserToMatchInvitedUserEnabled": limited,
        "isLegacyAuthProtocolsEnabled": !tenant.has("modern sharing"),
        "isUnmanagedSyncAppForTenantRestricted": tenant.has("managed sync"),
        "idleSessionSignOut": {
            "isEnabled": tenant.has("idle sign-out"),
            "warnAfterInSeconds": 3_000,
            "signOutAfterInSeconds": 3_600,
        },
        "allowedDomainGuidsForSyncApp": [],
        "availableManagedPathsForSiteCreation": ["/sites/", "/teams/"],
        "excludedFileExtensionsForSyncApp": [],
        "deletedUserPersonalSiteRetentionPeriodInDays": 30,
        "isSiteCreationEnabled": true,
        "siteCreationDefaultManagedPath": "/sites/",
        "siteCreationDefaultStorageLimitInMB": 26_214_400,
        "imageTaggingOption": "basic",
    })
}

pub(crate) fn synchronization<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    Rows::given(vec![json!({
        "id": view.tenant.id,
        "features": {
            "blockCloudObjectTakeoverThroughHardMatchEnabled": false,
            "blockSoftMatchEnabled": false,
            "passwordSyncEnabled": false,
        },
    })])
}

pub(crate) fn report_settings(View { tenant, .. }: View) -> Value {
    json!({ "displayConcealedNames": tenant.quirks.names_concealed })
}
