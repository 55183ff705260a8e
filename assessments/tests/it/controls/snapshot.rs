//! Snapshots for tests: one of a tenant in which every control is secure, and changes to it.

use std::collections::BTreeMap;

use assessments::{Combined, Run, combine, read};
use model::Status;
use model::snapshot::{LEGACY_CLIENTS, endpoint as at};
use serde_json::{Value, json};

pub(crate) const TENANT: &str = "11111111-2222-3333-4444-555555555555";
pub(crate) const EMERGENCY: &str = "eeeeeeee-0000-0000-0000-000000000001";
pub(crate) const ADMIN: &str = "aaaaaaaa-0000-0000-0000-000000000001";
pub(crate) const OTHER_ADMIN: &str = "aaaaaaaa-0000-0000-0000-000000000002";
pub(crate) const MEMBER: &str = "bbbbbbbb-0000-0000-0000-000000000001";
pub(crate) const GUEST: &str = "cccccccc-0000-0000-0000-000000000001";
pub(crate) const GROUP: &str = "dddddddd-0000-0000-0000-000000000001";
pub(crate) const VENDOR: &str = "ffffffff-0000-0000-0000-000000000001";
const STRANGER: &str = "99999999-2222-3333-4444-555555555555";

/// The end of the snapshot.
pub(crate) const NOW: &str = "2026-05-01T09:10:00.000Z";

/// Roles that can take over a tenant, the top one first.
pub(crate) const ROLES: [&str; 8] = [
    "62e90394-69f5-4237-9190-012177145e10",
    "e8611ab8-c189-46e8-94e1-60213ab1f814",
    "fe930be7-5e62-47db-91af-98c3a49a38b1",
    "29232cdf-9323-42fd-ade2-1d097af3e4de",
    "f28a1f50-f6e7-4571-818b-6a12f2af6b6c",
    "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3",
    "158c047a-c907-4556-b7ef-446551a6b5f7",
    "8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2",
];

pub(crate) const P1: &str = "41781fb2-bc02-4b7c-bd55-b576c07bb09d";
pub(crate) const P2: &str = "eec0eb4f-6444-4f95-aba0-50c24d67f998";
pub(crate) const INTUNE: &str = "c1ec4a95-1f05-45b3-a863-aa3fa01f5687";

/// A snapshot as a test changes it.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) header: Value,
    pub(crate) responses: Vec<Value>,
    pub(crate) end: Value,
}

/// The result of each control.
pub(crate) type Results = BTreeMap<String, (Status, String)>;

impl Snapshot {
    /// Returns a snapshot without responses.
    pub(crate) fn empty() -> Self {
        Self {
            header: json!({
                "snapshot": 1,
                "providerTenantId": TENANT,
                "requestedAt": "2026-05-01T08:59:00Z",
                "startedAt": "2026-05-01T09:00:00Z",
                "emergencyAccess": [EMERGENCY],
            }),
            responses: Vec::new(),
            end: json!({ "end": { "completedAt": NOW, "activityLookbackDays": 30, "responses": 0 } }),
        }
    }

    /// Adds a response that succeeded.
    pub(crate) fn with(mut self, endpoint: &str, body: Value) -> Self {
        self.responses.push(response(endpoint, "", body));
        self
    }

    /// Adds a response to a query that succeeded.
    pub(crate) fn with_query(mut self, endpoint: &str, query: &str, body: Value) -> Self {
        self.responses.push(response(endpoint, query, body));
        self
    }

    /// Replaces the responses of an endpoint.
    pub(crate) fn set(self, endpoint: &str, body: Value) -> Self {
        self.without(endpoint).with(endpoint, body)
    }

    /// Removes the responses of an endpoint.
    pub(crate) fn without(mut self, endpoint: &str) -> Self {
        self.responses.retain(|response| response["endpoint"] != endpoint);
        self
    }

    /// Replaces the responses of an endpoint by a failure.
    pub(crate) fn failing(mut self, endpoint: &str, status: u16, code: &str) -> Self {
        for response in self.responses.iter_mut().filter(|response| response["endpoint"] == endpoint) {
            response["status"] = json!(status);
            response["body"] = json!({ "error": { "code": code, "message": "" } });
        }
        self
    }

    /// Changes the body of the first response of an endpoint.
    pub(crate) fn change(mut self, endpoint: &str, change: impl FnOnce(&mut Value)) -> Self {
        let response = self.responses.iter_mut().find(|response| response["endpoint"] == endpoint);
        change(&mut response.unwrap_or_else(|| panic!("there is no response of {endpoint}"))["body"]);
        self
    }

    /// Changes the rows of the first response of an endpoint.
    pub(crate) fn rows(self, endpoint: &str, change: impl FnOnce(&mut Vec<Value>)) -> Self {
        self.change(endpoint, |body| change(body["value"].as_array_mut().unwrap()))
    }

    /// Adds a row to the first response of an endpoint.
    pub(crate) fn add(self, endpoint: &str, row: Value) -> Self {
        self.rows(endpoint, |rows| rows.push(row))
    }

    /// Sets a value at a path in the first response of an endpoint.
    pub(crate) fn put(self, endpoint: &str, path: &str, value: Value) -> Self {
        self.change(endpoint, |body| *place(body, path) = value)
    }

    /// Declares emergency access.
    pub(crate) fn declaring(mut self, ids: &[&str]) -> Self {
        self.header["emergencyAccess"] = json!(ids);
        self
    }

    /// Says that the first response of an endpoint has a next page.
    pub(crate) fn with_more(mut self, endpoint: &str) -> Self {
        let response = self.responses.iter_mut().find(|response| response["endpoint"] == endpoint);
        response.unwrap()["more"] = json!(true);
        self
    }

    /// Replaces the query of the responses of an endpoint.
    pub(crate) fn with_query_of(mut self, endpoint: &str, query: &str) -> Self {
        let responses = self.responses.iter_mut().filter(|response| response["endpoint"] == endpoint);
        responses.for_each(|response| response["query"] = json!(query));
        self
    }

    /// Removes the response to a query.
    pub(crate) fn without_query(mut self, endpoint: &str, query: &str) -> Self {
        self.responses.retain(|response| response["endpoint"] != endpoint || response["query"] != query);
        self
    }

    /// Lets the responses of an endpoint fail whose query contains a text.
    pub(crate) fn failing_query(mut self, endpoint: &str, part: &str, status: u16) -> Self {
        let responses = self.responses.iter_mut().filter(|response| response["endpoint"] == endpoint);
        for response in responses.filter(|response| response["query"].as_str().unwrap().contains(part)) {
            response["status"] = json!(status);
        }
        self
    }

    /// Adds the texts of a name.
    pub(crate) fn with_texts(self, name: &str, texts: &[&str]) -> Self {
        dns(self, name, texts)
    }

    /// Returns the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut end = self.end.clone();
        end["end"]["responses"] = json!(self.responses.len());
        let responses = self.responses.iter().map(line_of);
        let lines = std::iter::once(self.header.to_string()).chain(responses).chain([end.to_string()]);
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    }

    /// Returns what the file contains.
    pub(crate) fn combined(&self) -> Combined {
        let mut combined = combine([read(&self.bytes()).unwrap()]);
        combined.review_admins(None);
        combined
    }

    /// Returns the run of all controls.
    pub(crate) fn run(&self) -> Run {
        self.combined().runs.remove(0)
    }

    /// Returns the results of all controls.
    pub(crate) fn results(&self) -> Results {
        let checks = self.run().findings.into_iter().map(|finding| finding.check);
        checks.map(|check| (check.control_id.to_string(), (check.status, check.current_state))).collect()
    }
}

/// Returns a line with its body last, as the format wants it.
fn line_of(response: &Value) -> String {
    let mut head = response.clone();
    let body = head.as_object_mut().unwrap().remove("body").unwrap_or_default();
    let head = head.to_string();
    format!("{},\"body\":{body}}}", &head[..head.len() - 1])
}

pub(crate) fn response(endpoint: &str, query: &str, body: Value) -> Value {
    json!({ "endpoint": endpoint, "query": query, "at": "2026-05-01T09:01:00Z", "status": 200, "body": body })
}

/// Returns the value at a path such as `value/0/state`, which is created.
pub(crate) fn place<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('/').fold(value, |value, step| match step.parse::<usize>() {
        Ok(index) if value.is_array() => &mut value[index],
        _ => &mut value[step],
    })
}

pub(crate) fn page(rows: &[Value]) -> Value {
    json!({ "value": rows })
}

pub(crate) fn dns(snapshot: Snapshot, name: &str, texts: &[&str]) -> Snapshot {
    let records =
        texts.iter().map(|text| json!({ "name": name, "type": 16, "TTL": 300, "data": format!("\"{text}\"") }));
    let body = json!({ "Status": 0, "Answer": records.collect::<Vec<_>>() });
    snapshot.with_query(at::DNS, &format!("name={name}&type=TXT"), body)
}

/// Returns a policy with these conditions for everybody and every application.
pub(crate) fn policy(name: &str, conditions: Value, grant: Value) -> Value {
    let mut all = json!({
        "users": {
            "includeUsers": ["All"], "excludeUsers": [EMERGENCY], "includeGroups": [], "excludeGroups": [],
            "includeRoles": [], "excludeRoles": [], "includeGuestsOrExternalUsers": null,
            "excludeGuestsOrExternalUsers": null,
        },
        "applications": { "includeApplications": ["All"], "excludeApplications": [], "includeUserActions": [] },
        "clientAppTypes": ["all"], "signInRiskLevels": [], "userRiskLevels": [], "locations": null, "platforms": null,
        "devices": null, "clientApplications": null, "authenticationFlows": null,
    });
    for (name, value) in conditions.as_object().unwrap() {
        all[name] = value.clone();
    }
    json!({
        "id": format!("policy {name}"), "displayName": name, "state": "enabled", "conditions": all,
        "grantControls": grant, "sessionControls": null,
    })
}

pub(crate) fn grant(controls: &[&str]) -> Value {
    json!({
        "operator": "OR", "builtInControls": controls, "customAuthenticationFactors": [], "termsOfUse": [],
        "authenticationStrength": null,
    })
}

fn resistant() -> Value {
    let combinations = ["windowsHelloForBusiness", "fido2", "x509CertificateMultiFactor"];
    let mut grant = grant(&[]);
    grant["authenticationStrength"] = json!({ "id": "4", "allowedCombinations": combinations });
    grant
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

pub(crate) fn assignment(id: &str, principal: &str, kind: &str, role: &str) -> Value {
    json!({
        "id": id, "principalId": principal, "roleDefinitionId": role, "directoryScopeId": "/",
        "principal": {
            "@odata.type": format!("#microsoft.graph.{kind}"), "id": principal,
            "userPrincipalName": if kind == "user" { json!(format!("{}@example.com", &principal[..8])) } else { Value::Null },
        },
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

fn method(id: &str, state: &str) -> Value {
    json!({ "id": id, "state": state, "includeTargets": [] })
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

fn mail_report() -> Value {
    json!([
        "Report Refresh Date,User Principal Name,Is Deleted,Last Activity Date,IMAP4 App,POP3 App,SMTP App,Report Period",
        "2026-04-29,one@example.com,False,2026-04-28,,,,30",
    ])
}

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

/// Returns a sign-in of a user with an error code.
pub(crate) fn sign_in(user: &str, error: i64) -> Value {
    json!({
        "id": format!("{user} {error}"), "userId": user, "createdDateTime": "2026-04-20T00:00:00Z",
        "clientAppUsed": "Browser", "isInteractive": true, "status": { "errorCode": error },
        "appliedConditionalAccessPolicies": [{ "result": "success", "enforcedGrantControls": ["Mfa"] }],
    })
}

fn dns_of(snapshot: Snapshot) -> Snapshot {
    let snapshot = dns(snapshot, "example.com", &["v=spf1 include:spf.example.net -all", "other=1"]);
    let snapshot = dns(snapshot, "_dmarc.example.com", &["v=DMARC1; p=reject; rua=mailto:dmarc@example.com"]);
    let snapshot = dns(snapshot, "selector1._domainkey.example.com", &["v=DKIM1; k=rsa; p=MIIB"]);
    dns(snapshot, "selector2._domainkey.example.com", &[])
}
