//! The test cases of ScubaGear, as inputs and verdicts, if `collect` is among the real data.
//!
//! Its inputs are objects of PowerShell; they become responses as the interface returns them. Its shared test policy has
//! the conditions of all controls at once, which no real policy can have, so each control gets the conditions that it
//! reads. A case agrees if the tool passes it exactly if we say secure.

use std::collections::BTreeMap;

use model::Status;
use model::snapshot::endpoint as at;
use serde_json::{Map, Value, json};

use super::same::SAME;
use super::snapshot::{ADMIN, INTUNE, P1, P2, ROLES, Snapshot, TENANT, dns, page};
use crate::corpus::corpus_files;

/// Returns the cases of a product, or `None` if there are none.
fn cases(product: &str) -> Option<Vec<Value>> {
    let file = corpus_files::folder("collect")?.join(format!("cases/{product}.jsonl"));
    let lines = std::fs::read_to_string(file).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns a value with the names of the interface, which begin with a small letter.
fn graph(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(graph).collect(),
        Value::Object(fields) => {
            let named = fields.iter().map(|(name, value)| {
                let (first, rest) = name.split_at(1);
                (format!("{}{rest}", first.to_lowercase()), graph(value))
            });
            Value::Object(named.collect())
        }
        other => other.clone(),
    }
}

/// Returns the elements of a list, which PowerShell leaves away around a single one.
fn items(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.clone(),
        Value::Null => vec![],
        one => vec![one.clone()],
    }
}

fn texts(value: &Value) -> Vec<String> {
    items(value).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the responses of a case. Returns `None` if the interface cannot return such an input.
pub(super) fn snapshot_of(case: &Value) -> Option<Snapshot> {
    let (policy, input) = (case["policy"].as_str().unwrap(), &case["input"]);
    let excluded = &input["scuba_config"]["Aad"][policy];
    let emergency: Vec<String> = ["CapExclusions", "RoleExclusions"]
        .iter()
        .flat_map(|kind| ["Users", "Groups"].map(|list| &excluded[kind][list]))
        .flat_map(texts)
        .collect();
    let emergency: Vec<&str> = emergency.iter().map(String::as_str).collect();
    let snapshot = Snapshot::empty().declaring(&emergency).with(at::SECURITY_DEFAULTS, json!({ "isEnabled": false }));
    let snapshot = licences(snapshot, policy, &input["service_plans"]);
    let single = |list: &str| {
        let all = items(&input[list]);
        (all.len() <= 1).then(|| graph(&all.first().cloned().unwrap_or_default()))
    };
    Some(match policy {
        _ if policy.starts_with("MS.AAD.3.3")
            || policy.starts_with("MS.AAD.3.4")
            || policy.starts_with("MS.AAD.3.5") =>
        {
            snapshot.with(at::AUTHENTICATION_METHODS_POLICY, methods(&input["authentication_method"]))
        }
        "MS.AAD.5.1v1" | "MS.AAD.5.2v1" | "MS.AAD.8.1v1" | "MS.AAD.8.2v1" => {
            let mut authorization = single("authorization_policies")?;
            let grants = authorization["permissionGrantPolicyIdsAssignedToDefaultUserRole"].take();
            authorization["defaultUserRolePermissions"]["permissionGrantPoliciesAssigned"] = json!(items(&grants));
            snapshot.with(at::AUTHORIZATION_POLICY, authorization)
        }
        "MS.AAD.5.3v1" => {
            let values = items(&single("directory_settings")?["values"]);
            let asked = values.iter().find(|it| it["name"] == "EnableAdminConsentRequests")?;
            let enabled = asked["value"].as_str()?.eq_ignore_ascii_case("true");
            snapshot.with(at::ADMIN_CONSENT_REQUEST_POLICY, json!({ "isEnabled": enabled, "reviewers": [{}] }))
        }
        "MS.AAD.5.5v1" | "MS.AAD.5.6v1" => {
            let mut secrets = single("default_app_management_policy")?;
            secrets["isEnabled"] = json!(true);
            let read = if policy == "MS.AAD.5.5v1" { "passwordAddition" } else { "passwordLifetime" };
            restrict(&mut secrets, read);
            snapshot.with(at::DEFAULT_APP_MANAGEMENT_POLICY, secrets)
        }
        "MS.AAD.6.1v1" => snapshot.with(at::DOMAINS, page(&items(&graph(&input["domain_settings"])))),
        "MS.AAD.7.1v1" | "MS.AAD.7.2v1" | "MS.AAD.7.3v1" => people(snapshot, &input["privileged_users"]),
        _ if policy.starts_with("MS.AAD.7.") => roles(snapshot, policy, &input["privileged_roles"])?,
        _ if policy.starts_with("MS.AAD.") => {
            let policies = items(&graph(&input["conditional_access_policies"]));
            let policies = policies.into_iter().enumerate().map(|(index, it)| conditional_access(policy, index, it));
            snapshot.with(at::CONDITIONAL_ACCESS_POLICIES, page(&policies.collect::<Vec<_>>()))
        }
        _ if policy.starts_with("MS.EXO.") => mail(snapshot, input),
        _ => share_point(snapshot, &items(&input["SPO_tenant"])),
    })
}

fn licences(snapshot: Snapshot, policy: &str, plans: &Value) -> Snapshot {
    let reads_plans = policy.starts_with("MS.AAD.2.")
        || ["4", "6", "7"].iter().any(|it| policy.starts_with(&format!("MS.AAD.7.{it}")));
    let named: Vec<String> =
        items(plans).iter().filter_map(|plan| plan["ServicePlanName"].as_str().map(str::to_owned)).collect();
    // Rules that do not read the plans expect all of them.
    let has = |name: &str| !reads_plans || named.iter().any(|it| it == name);
    let ids =
        [(P1, "AAD_PREMIUM"), (P2, "AAD_PREMIUM_P2"), (INTUNE, "INTUNE_A")].into_iter().filter(|(_, name)| has(name));
    let plans: Vec<_> = ids.map(|(id, _)| json!({ "servicePlanId": id, "provisioningStatus": "Success" })).collect();
    let sku = json!({ "id": "sku", "accountId": TENANT, "capabilityStatus": "Enabled", "servicePlans": plans });
    snapshot.with(at::SUBSCRIBED_SKUS, page(&[sku]))
}

/// Leaves a policy the conditions and controls that the tool's rule reads.
fn conditional_access(rule: &str, index: usize, mut policy: Value) -> Value {
    let keeps = |name: &str| match name {
        "clientAppTypes" => rule == "MS.AAD.1.1v1",
        "userRiskLevels" => rule == "MS.AAD.2.1v1",
        "signInRiskLevels" => rule == "MS.AAD.2.3v1",
        "authenticationFlows" => rule == "MS.AAD.3.9v1",
        _ => true,
    };
    policy["id"] = json!(index.to_string());
    let conditions = policy["conditions"].as_object_mut().unwrap();
    conditions.retain(|name, _| keeps(name));
    let applications = conditions["applications"].as_object_mut().unwrap();
    if rule == "MS.AAD.3.8v1" {
        applications.remove("includeApplications");
    } else {
        applications.remove("includeUserActions");
    }
    let by_strength = matches!(rule, "MS.AAD.3.1v1" | "MS.AAD.3.2v2" | "MS.AAD.3.6v1");
    let grant = policy["grantControls"].as_object_mut().unwrap();
    let blocks = texts(grant.get("builtInControls").unwrap_or(&Value::Null)) == ["block"];
    if by_strength && blocks {
        grant.remove("builtInControls");
    } else if !by_strength {
        grant.remove("authenticationStrength");
    }
    policy
}

fn methods(input: &Value) -> Value {
    let input = items(input).into_iter().next().unwrap_or_default();
    let mut policy = graph(&input["authentication_method_policy"]);
    policy["authenticationMethodConfigurations"] =
        json!(items(&graph(&input["authentication_method_feature_settings"])));
    policy
}

/// Leaves a policy the restrictions of one kind, with times as the interface writes them.
fn restrict(policy: &mut Value, kind: &str) {
    for part in ["applicationRestrictions", "servicePrincipalRestrictions"] {
        let list = &mut policy[part]["passwordCredentials"];
        let mut kept: Vec<Value> = items(list).into_iter().filter(|it| it["restrictionType"] == kind).collect();
        for restriction in &mut kept {
            let after = &mut restriction["restrictForAppsCreatedAfterDateTime"];
            let never = after.as_str().is_none_or(|after| after.contains("-62135596800000"));
            *after = json!(if never { "0001-01-01T00:00:00Z" } else { "2023-11-14T22:13:20Z" });
        }
        *list = json!(kept);
    }
}

fn role_named(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 8] = [
        "Global Administrator",
        "Privileged Role Administrator",
        "User Administrator",
        "Exchange Administrator",
        "SharePoint Administrator",
        "Application Administrator",
        "Cloud Application Administrator",
        "Hybrid Identity Administrator",
    ];
    NAMES.iter().position(|it| *it == name).map(|index| ROLES[index])
}

fn people(snapshot: Snapshot, people: &Value) -> Snapshot {
    let empty = Map::new();
    let (mut assignments, mut users) = (Vec::new(), Vec::new());
    for (id, person) in people.as_object().unwrap_or(&empty) {
        for role in texts(&person["roles"]) {
            assignments.push(json!({
                "id": format!("{id} {role}"), "principalId": id, "roleDefinitionId": role_named(&role),
                "principal": { "@odata.type": "#microsoft.graph.user", "id": id },
            }));
        }
        let synchronized = (!person["OnPremisesImmutableId"].is_null()).then_some(true);
        users.push(json!({ "id": id, "onPremisesSyncEnabled": synchronized }));
    }
    let lists = [at::ROLE_ASSIGNMENTS, at::ROLE_ASSIGNMENT_INSTANCES];
    let snapshot = lists.iter().fold(snapshot, |snapshot, list| snapshot.with(list, page(&assignments)));
    snapshot.with(at::ROLE_ELIGIBILITY_INSTANCES, page(&[])).with(at::USERS, page(&users))
}

/// Returns the roles with their assignments and rules. The tool's cases name roles that do not exist; the first of these
/// counts as the top role. Rules that a case does not have alert somebody.
fn roles(snapshot: Snapshot, policy: &str, input: &Value) -> Option<Snapshot> {
    const ALERTS: [&str; 3] = [
        "Notification_Admin_Admin_Assignment",
        "Notification_Admin_Admin_Eligibility",
        "Notification_Admin_EndUser_Assignment",
    ];
    let roles = items(input);
    let mut assignments = Vec::new();
    let mut rules: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for role in &roles {
        let id = role_named(role["DisplayName"].as_str().unwrap_or_default())
            .or_else(|| texts(&role["RoleTemplateId"]).iter().any(|it| it.starts_with("Role")).then_some(ROLES[1]));
        for assignment in items(&role["Assignments"]) {
            let end = if assignment["EndDateTime"].is_null() { Value::Null } else { json!("2026-12-01T00:00:00Z") };
            assignments.push(json!({
                "id": format!("{}", assignments.len()), "principalId": assignment["PrincipalId"],
                "roleDefinitionId": id.unwrap_or("other"), "assignmentType": "Assigned", "endDateTime": end,
                "principal": { "@odata.type": "#microsoft.graph.user", "id": assignment["PrincipalId"] },
            }));
        }
        for rule in items(&role["Rules"]) {
            // Rules of groups are another interface.
            if rule["RuleSourceType"] == "PIM Group" {
                return None;
            }
            rules.entry(id?).or_default().push(graph(&rule));
        }
    }
    let policies = ROLES.map(|role| {
        let mut of_role = rules.remove(role).unwrap_or_default();
        for alert in ALERTS.iter().filter(|_| policy != "MS.AAD.7.6v1") {
            if !of_role.iter().any(|rule| rule["id"] == *alert) {
                of_role.push(json!({ "id": alert, "notificationRecipients": [ADMIN] }));
            }
        }
        json!({ "id": role, "roleDefinitionId": role, "policy": { "rules": of_role } })
    });
    let snapshot = snapshot.with_query(at::ROLE_POLICIES, "$filter=scopeId eq '/'", page(&policies));
    Some(snapshot.with(at::ROLE_ASSIGNMENT_INSTANCES, page(&assignments)))
}

fn mail(snapshot: Snapshot, input: &Value) -> Snapshot {
    let domains = ["dkim_records", "dmarc_records"].iter().flat_map(|list| items(&input[list]));
    let names: Vec<String> = domains.filter_map(|record| record["domain"].as_str().map(str::to_owned)).collect();
    let rows: Vec<Value> = names
        .iter()
        .map(|name| json!({ "id": name, "isVerified": true, "isRoot": true, "supportedServices": ["Email"] }))
        .collect();
    let snapshot = snapshot.with(at::DOMAINS, page(&rows));
    let snapshot = items(&input["dmarc_records"]).iter().fold(snapshot, |snapshot, record| {
        let texts = texts(&record["rdata"]);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        dns(snapshot, &format!("_dmarc.{}", record["domain"].as_str().unwrap()), &texts)
    });
    items(&input["dkim_records"]).iter().fold(snapshot, |snapshot, record| {
        // The cases abbreviate records to their beginning.
        let texts: Vec<String> =
            texts(&record["rdata"]).iter().map(|text| text.replace("v=DKIM1;", "v=DKIM1; p=MIIB")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let domain = record["domain"].as_str().unwrap();
        let snapshot = dns(snapshot, &format!("selector1._domainkey.{domain}"), &texts);
        dns(snapshot, &format!("selector2._domainkey.{domain}"), &[])
    })
}

fn share_point(snapshot: Snapshot, tenants: &[Value]) -> Snapshot {
    const SHARING: [&str; 4] =
        ["disabled", "externalUserSharingOnly", "externalUserAndGuestSharing", "existingExternalUserSharingOnly"];
    const DOMAINS: [&str; 3] = ["none", "allowList", "blockList"];
    let Some(tenant) = tenants.first() else { return snapshot };
    let word = |field: &str, words: &[&str]| {
        tenant[field].as_u64().and_then(|index| words.get(usize::try_from(index).unwrap()).copied()).map(str::to_owned)
    };
    // The tool does not read which domains are allowed.
    let settings = json!({
        "sharingCapability": word("SharingCapability", &SHARING),
        "sharingDomainRestrictionMode": word("SharingDomainRestrictionMode", &DOMAINS),
        "sharingAllowedDomainList": ["partner.example"],
    });
    snapshot.with(at::SHAREPOINT_SETTINGS, settings)
}

const GROUPS: &str = "Emergency access is two users and one group at most.";
const GUESTS: &str = "Guests are never emergency access.";
const APPS: &str = "An excluded application is never covered.";
const SAME_ID: &str = "The case declares a group by the id of the excluded user.";
const EMPTY_WORD: &str = "An empty word is none that the interface documents.";
const NO_STRENGTH: &str = "A strength without methods may be one whose methods were not returned.";
const BETA: &str = "The interface has this setting in its beta version only.";
const ALL_INCLUDES: &str = "A policy for all users includes every role.";
const ACTION: &str = "A policy for a user action has no applications to exclude.";
const STRONGER: &str = "A phishing-resistant method is more than any second factor.";
const CLASSIFIED: &str = "The classification of permissions is not read.";
const MISSING: &str = "What the response does not say is not assessed.";
const UNKNOWN_WORD: &str = "A word that is not documented is not assessed.";
const PROVIDERS_DOMAIN: &str = "The records of the provider's domains are the provider's.";
const SIGNING: &str = "DNS does not show whether signing is on.";
const NEW_GUESTS: &str = "New guests have to sign in, which is what the benchmark of CIS asks for.";

/// Cases with another result on purpose: the rule and the test of the tool, our result, and the reason.
#[rustfmt::skip]
const DIFFERENCES: &[(&str, &str, Status, &str)] = &[
    ("MS.AAD.1.1v1", "MultiGroupExclusionsConditions_Correct", Status::Open, GROUPS),
    ("MS.AAD.1.1v1", "GuestUserTypeExclusionConditions_Correct", Status::Open, GUESTS),
    ("MS.AAD.2.1v1", "MultiGroupExclusionsConditions_Correct_V1", Status::Open, GROUPS),
    ("MS.AAD.2.1v1", "UserGroupExclusionTooFewUserExempts_Incorrect_V1", Status::Secure, SAME_ID),
    ("MS.AAD.2.1v1", "BuiltInControls_Incorrect_V1", Status::NotAssessed, EMPTY_WORD),
    ("MS.AAD.2.1v1", "AppExclusionConditions_Correct_V2", Status::Open, APPS),
    ("MS.AAD.2.1v1", "GuestUserTypeExclusionConditions_Correct_V2", Status::Open, GUESTS),
    ("MS.AAD.2.3v1", "MultiGroupExclusionsConditions_Correct_V2", Status::Open, GROUPS),
    ("MS.AAD.2.3v1", "UserGroupExclusionTooFewUserExempts_Incorrect_V2", Status::Secure, SAME_ID),
    ("MS.AAD.2.3v1", "BuiltInControls_Incorrect_V2", Status::NotAssessed, EMPTY_WORD),
    ("MS.AAD.2.3v1", "AppExclusionConditions_Correct_V3", Status::Open, APPS),
    ("MS.AAD.2.3v1", "GuestUserTypeExclusionConditions_Correct_V3", Status::Open, GUESTS),
    ("MS.AAD.3.1v1", "PhishingResistantNoneMFA_Incorrect", Status::NotAssessed, NO_STRENGTH),
    ("MS.AAD.3.1v1", "PhishingResistantMFAUserGroupExclusion_Correct", Status::Open, GROUPS),
    ("MS.AAD.3.1v1", "GuestUserTypeExclusionConditions_Correct_V4", Status::Open, GUESTS),
    ("MS.AAD.3.2v2", "MultiGroupExclusionsConditions_Correct", Status::Open, GROUPS),
    ("MS.AAD.3.2v2", "BuiltInControls_Incorrect_V1", Status::NotAssessed, EMPTY_WORD),
    ("MS.AAD.3.2v2", "AppExclusionConditions_Correct_V5", Status::Open, APPS),
    ("MS.AAD.3.2v2", "GuestUserTypeExclusionConditions_Correct_V5", Status::Open, GUESTS),
    ("MS.AAD.3.3v2", "MicrosoftAuthEnabled_IsSoftwareOathEnabled_True_2", Status::Secure, BETA),
    ("MS.AAD.3.6v1", "BuiltInControls_Incorrect_No_Authentication_Strength", Status::NotAssessed, EMPTY_WORD),
    ("MS.AAD.3.6v1", "ConditionalAccessPolicies_Incorrect_Covered_Roles", Status::Secure, ALL_INCLUDES),
    ("MS.AAD.3.6v1", "ConditionalAccessPolicies_Incorrect_Wrong_Roles", Status::Secure, ALL_INCLUDES),
    ("MS.AAD.3.6v1", "AppExclusionConditions_Correct_V6", Status::Open, APPS),
    ("MS.AAD.3.7v1", "BuiltInControls_Incorrect_V3", Status::NotAssessed, EMPTY_WORD),
    ("MS.AAD.3.7v1", "OperatorIncorrect_V1", Status::NotAssessed, EMPTY_WORD),
    ("MS.AAD.3.7v1", "GuestUserTypeExclusionConditions_Correct_V7", Status::Open, GUESTS),
    ("MS.AAD.3.8v1", "ApplicationExclusions_Incorrect_V4", Status::Secure, ACTION),
    ("MS.AAD.3.9v1", "Entra_3_9_User_Group_Exclusions_Correct_V1", Status::Open, GROUPS),
    ("MS.AAD.3.9v1", "GuestUserTypeExclusionConditions_Correct_V9", Status::Open, GUESTS),
    ("MS.AAD.3.2v2", "IsGeneralMFA_WindowsHelloForBusiness_Incorrect", Status::Secure, STRONGER),
    ("MS.AAD.3.2v2", "IsGeneralMFA_Fido2_Incorrect", Status::Secure, STRONGER),
    ("MS.AAD.3.2v2", "IsGeneralMFA_EmptyAuthenticationStrength_Incorrect", Status::NotAssessed, NO_STRENGTH),
    ("MS.AAD.5.2v1", "UserConsentAllowedNoRiskyDelegatedPermissionClassifications_Correct", Status::NotAssessed, CLASSIFIED),
    ("MS.AAD.6.1v1", "PasswordValidityPeriodInDays_NullRootDomain_Correct", Status::NotAssessed, MISSING),
    ("MS.AAD.6.1v1", "PasswordValidityPeriodInDays_AllNullRootDomains_Correct", Status::NotAssessed, MISSING),
    ("MS.AAD.7.6v1", "AdditionalProperties_Correct_V4", Status::NotAssessed, MISSING),
    ("MS.AAD.8.2v1", "AllowInvitesFrom_Incorrect", Status::NotAssessed, UNKNOWN_WORD),
    ("MS.EXO.3.1v1", "Enabled_Correct_V4", Status::NotAssessed, PROVIDERS_DOMAIN),
    ("MS.EXO.3.1v1", "Enabled_Correct_V5", Status::NotAssessed, PROVIDERS_DOMAIN),
    ("MS.EXO.3.1v1", "Enabled_Incorrect_V3", Status::Secure, SIGNING),
    ("MS.EXO.3.1v1", "Enabled_Incorrect_V4", Status::Secure, SIGNING),
    ("MS.SHAREPOINT.1.1v1", "SharingCapability_Incorrect_V1", Status::Secure, NEW_GUESTS),
    ("MS.SHAREPOINT.1.1v1", "SharingCapability_SharepointSettings_Missing", Status::NotAssessed, MISSING),
    ("MS.SHAREPOINT.1.1v1", "SharingCapability_SharepointSettings_EmptyArray", Status::NotAssessed, MISSING),
    ("MS.SHAREPOINT.1.1v1", "SharingCapability_Missing", Status::NotAssessed, MISSING),
    ("MS.SHAREPOINT.1.3v1", "SharingDomainRestrictionMode_SharepointSettings_Missing", Status::NotAssessed, MISSING),
    ("MS.SHAREPOINT.1.3v1", "SharingDomainRestrictionMode_SharepointSettings_EmptyArray", Status::NotAssessed, MISSING),
    ("MS.SHAREPOINT.1.3v1", "SharingDomainRestrictionMode_SharingCapability_Missing", Status::NotAssessed, MISSING),
    ("MS.SHAREPOINT.1.3v1", "SharingDomainRestrictionMode_Both_Missing", Status::NotAssessed, MISSING),
];

/// Returns the cases of all controls that are the same, with the control.
pub(super) fn same_cases() -> Vec<(Value, &'static str)> {
    let all = ["aad", "exo", "sharepoint"].into_iter().filter_map(cases).flatten();
    let same = all.filter_map(|case| {
        let (_, ours) = SAME.iter().find(|(theirs, _)| case["policy"] == *theirs)?;
        Some((case, *ours))
    });
    same.collect()
}

#[test]
fn the_verdicts_agree_with_those_of_the_peer() {
    let cases = same_cases();
    if cases.is_empty() {
        return;
    }
    let (mut agree, mut impossible, mut differ) = (0, 0, Vec::new());
    for (case, control) in &cases {
        let Some(snapshot) = snapshot_of(case) else {
            impossible += 1;
            continue;
        };
        let (status, state) = snapshot.results().remove(*control).unwrap();
        let (policy, test) = (case["policy"].as_str().unwrap(), case["test"].as_str().unwrap());
        let expected = match case["expected"].as_str().unwrap() {
            "pass" => Status::Secure,
            "fail" => Status::Open,
            _ => Status::NotAssessed,
        };
        let known = DIFFERENCES.iter().find(|(of_policy, of_test, ..)| (*of_policy, *of_test) == (policy, test));
        match known {
            Some((_, _, ours, _)) if *ours == status && *ours != expected => {}
            None if status == expected => agree += 1,
            _ => differ.push(format!("{policy} {test}: {status:?}, the tool says {expected:?}: {state}")),
        }
    }
    assert!(differ.is_empty(), "{agree} agree\n{}", differ.join("\n"));
    assert_eq!((agree, DIFFERENCES.len(), impossible), (232, 50, 3));
}
