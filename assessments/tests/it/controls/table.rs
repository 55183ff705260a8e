//! Every control: secure, open, not assessed, and its edges.

use std::collections::BTreeMap;

use model::Status::{self, NotAssessed, Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::NOT_READ;
use super::snapshot::{
    ADMIN, EMERGENCY, GROUP, GUEST, MEMBER, OTHER_ADMIN, P1, P2, ROLES, Snapshot, VENDOR, assignment, dns, grant, page,
    place, policy, sign_in,
};

/// A control, an edge, and the result.
type Case = (&'static str, &'static str, Snapshot, Status);

const CA: &str = at::CONDITIONAL_ACCESS_POLICIES;

/// Returns the secure tenant with a change to the policies with these names.
fn policies(names: &[&str], change: impl Fn(&mut Value)) -> Snapshot {
    Snapshot::secure().rows(CA, |rows| {
        let named = rows.iter_mut().filter(|row| names.iter().any(|name| row["displayName"] == *name));
        assert_eq!(named.map(change).count(), names.len());
    })
}

/// Returns the secure tenant with one value of a policy replaced.
fn policy_with(name: &str, path: &str, value: Value) -> Snapshot {
    policies(&[name], |policy| *place(policy, path) = value.clone())
}

fn without_plan(plan: &str) -> Snapshot {
    Snapshot::secure().rows(at::SUBSCRIBED_SKUS, |rows| {
        rows[0]["servicePlans"].as_array_mut().unwrap().retain(|it| it["servicePlanId"] != plan);
    })
}

/// Returns the tenant without a plan for conditional access.
fn unlicensed() -> Snapshot {
    without_plan(P1).rows(at::SUBSCRIBED_SKUS, |rows| {
        rows[0]["servicePlans"].as_array_mut().unwrap().retain(|it| it["servicePlanId"] != P2);
    })
}

fn with_defaults(snapshot: Snapshot) -> Snapshot {
    snapshot.put(at::SECURITY_DEFAULTS, "isEnabled", json!(true))
}

/// Edges that every control about a policy for everybody has.
fn edges_of_policy(id: &'static str, name: &'static str) -> Vec<Case> {
    let users = |field: &str, value: Value| policy_with(name, &format!("conditions/users/{field}"), value);
    vec![
        (id, "report-only", policy_with(name, "state", json!("enabledForReportingButNotEnforced")), Open),
        (id, "disabled", policy_with(name, "state", json!("disabled")), Open),
        (id, "a state of unknown meaning", policy_with(name, "state", json!("paused")), NotAssessed),
        (id, "one user alone", users("includeUsers", json!([MEMBER])), Open),
        (id, "an excluded user", users("excludeUsers", json!([EMERGENCY, MEMBER])), Open),
        (id, "an excluded group", users("excludeGroups", json!([GROUP])), Open),
        (id, "an excluded role", users("excludeRoles", json!([ROLES[1]])), Open),
        (id, "excluded guests", users("excludeUsers", json!(["GuestsOrExternalUsers"])), Open),
        (
            id,
            "a kind of guests excluded",
            users("excludeGuestsOrExternalUsers", json!({ "guestOrExternalUserTypes": "internalGuest" })),
            Open,
        ),
        (id, "a field of users that is not known", users("excludeDevices", json!([GROUP])), NotAssessed),
        (id, "nobody excluded", users("excludeUsers", json!([])), Secure),
        (
            id,
            "within a location",
            policy_with(name, "conditions/locations", json!({ "includeLocations": ["office"] })),
            Open,
        ),
        (
            id,
            "outside named locations",
            policy_with(
                name,
                "conditions/locations",
                json!({ "includeLocations": ["All"], "excludeLocations": ["office"] }),
            ),
            Open,
        ),
        (
            id,
            "everywhere",
            policy_with(name, "conditions/locations", json!({ "includeLocations": ["All"], "excludeLocations": [] })),
            Secure,
        ),
        (
            id,
            "on one platform",
            policy_with(name, "conditions/platforms", json!({ "includePlatforms": ["iOS"], "excludePlatforms": [] })),
            Open,
        ),
        (
            id,
            "on all platforms",
            policy_with(name, "conditions/platforms", json!({ "includePlatforms": ["all"], "excludePlatforms": [] })),
            Secure,
        ),
        (
            id,
            "a filter for devices",
            policy_with(name, "conditions/devices", json!({ "deviceFilter": { "rule": "x" } })),
            Open,
        ),
        (id, "a condition that is not known", policy_with(name, "conditions/moonPhases", json!(["full"])), NotAssessed),
        (id, "no conditions", policy_with(name, "conditions", Value::Null), NotAssessed),
        (id, "no licence", unlicensed(), NotAssessed),
        (id, "no permission", Snapshot::secure().failing(CA, 403, "Authorization_RequestDenied"), NotAssessed),
        (id, "no policies", Snapshot::secure().set(CA, page(&[])), Open),
    ]
}

fn edges_of_applications(id: &'static str, name: &'static str) -> Vec<Case> {
    let with = |field: &str, value: Value| policy_with(name, &format!("conditions/applications/{field}"), value);
    vec![
        (id, "one application alone", with("includeApplications", json!(["Office365"])), Open),
        (id, "an excluded application", with("excludeApplications", json!(["app"])), Open),
        (id, "a filter for applications", with("applicationFilter", json!({ "mode": "include", "rule": "x" })), Open),
        (id, "a target that is not known", with("includeMoods", json!(["x"])), NotAssessed),
    ]
}

fn conditional_access() -> Vec<Case> {
    let single = [
        ("spr.ca.1", "Legacy"),
        ("spr.ca.3", "Resistant"),
        ("spr.ca.6", "User risk"),
        ("spr.ca.7", "Sign-in risk"),
        ("spr.ca.8", "Devices"),
        ("spr.ca.9", "Registration"),
        ("spr.ca.10", "Flows"),
    ];
    let mut cases: Vec<Case> = single.iter().flat_map(|(id, name)| edges_of_policy(id, name)).collect();
    let for_applications = single.iter().filter(|(id, _)| *id != "spr.ca.9");
    cases.extend(for_applications.flat_map(|(id, name)| edges_of_applications(id, name)));
    cases.extend([
        // Old protocols
        ("spr.ca.1", "security defaults", with_defaults(unlicensed()), Secure),
        ("spr.ca.1", "one of the clients", policy_with("Legacy", "conditions/clientAppTypes", json!(["other"])), Open),
        ("spr.ca.1", "every client", policy_with("Legacy", "conditions/clientAppTypes", json!(["all"])), Secure),
        (
            "spr.ca.1",
            "two policies that only together suffice",
            policy_with("Legacy", "conditions/clientAppTypes", json!(["other"]))
                .add(CA, policy("EAS", json!({ "clientAppTypes": ["exchangeActiveSync"] }), grant(&["block"]))),
            Secure,
        ),
        (
            "spr.ca.1",
            "a second policy for the excluded group",
            policy_with("Legacy", "conditions/users/excludeGroups", json!([GROUP])).add(CA, {
                let mut rest =
                    policy("Rest", json!({ "clientAppTypes": ["exchangeActiveSync", "other"] }), grant(&["block"]));
                rest["conditions"]["users"] = json!({ "includeGroups": [GROUP], "excludeUsers": [EMERGENCY] });
                rest
            }),
            Secure,
        ),
        ("spr.ca.1", "no block", policy_with("Legacy", "grantControls/builtInControls", json!(["mfa"])), Open),
        (
            "spr.ca.1",
            "more emergency access than is needed",
            policy_with("Legacy", "conditions/users/excludeUsers", json!([EMERGENCY, ADMIN, MEMBER]))
                .declaring(&[EMERGENCY, ADMIN, MEMBER]),
            Open,
        ),
        (
            "spr.ca.1",
            "a declared group",
            policy_with("Legacy", "conditions/users/excludeGroups", json!([GROUP])).declaring(&[EMERGENCY, GROUP]),
            Secure,
        ),
        ("spr.ca.1", "pages missing", Snapshot::secure().with_more(CA), NotAssessed),
        ("spr.ca.1", "a malformed policy beside", Snapshot::secure().add(CA, json!({ "id": 7 })), Secure),
        (
            "spr.ca.1",
            "a malformed policy in place of it",
            Snapshot::secure().set(CA, page(&[json!({ "id": 7 })])),
            NotAssessed,
        ),
        ("spr.ca.1", "licences not read", Snapshot::secure().failing(at::SUBSCRIBED_SKUS, 403, ""), NotAssessed),
        // Multifactor authentication
        ("spr.ca.2", "security defaults", with_defaults(unlicensed()), Secure),
        ("spr.ca.2", "a plain second factor", resistant_with(&["mfa"], None), Secure),
        ("spr.ca.2", "or a device", resistant_with(&["mfa", "compliantDevice"], None), Open),
        ("spr.ca.2", "and a device", resistant_and(&["mfa", "compliantDevice"]), Secure),
        ("spr.ca.2", "or a control that is not known", resistant_with(&["mfa", "brainScan"], None), NotAssessed),
        ("spr.ca.2", "a strength with two factors", resistant_with(&[], Some(&["password,sms", "fido2"])), Secure),
        ("spr.ca.2", "a strength with one factor", resistant_with(&[], Some(&["password", "fido2"])), Open),
        ("spr.ca.2", "an empty strength", resistant_with(&[], Some(&[])), NotAssessed),
        (
            "spr.ca.2",
            "report-only",
            policy_with("Resistant", "state", json!("enabledForReportingButNotEnforced")),
            Open,
        ),
        ("spr.ca.2", "no licence", unlicensed(), NotAssessed),
        ("spr.ca.3", "security defaults are not enough", with_defaults(unlicensed()), NotAssessed),
        ("spr.ca.3", "a weaker combination", resistant_with(&[], Some(&["fido2", "password,sms"])), Open),
        ("spr.ca.3", "a combination that is not known", resistant_with(&[], Some(&["fido2", "fido9"])), Open),
        ("spr.ca.4", "a plain second factor", resistant_with(&["mfa"], None), Open),
        ("spr.ca.4", "seven of eight roles", for_roles(&ROLES[..7]), Open),
        ("spr.ca.4", "all eight roles", for_roles(&ROLES), Secure),
        ("spr.ca.4", "one of the roles excluded", excluding_role(ROLES[3]), Open),
        ("spr.ca.4", "another role excluded", excluding_role("00000000-0000-0000-0000-00000000000b"), Secure),
        ("spr.ca.4", "no licence", unlicensed(), NotAssessed),
        ("spr.ca.5", "security defaults", with_defaults(unlicensed()), Secure),
        ("spr.ca.5", "all eight roles", for_roles(&ROLES), Secure),
        ("spr.ca.5", "seven of eight roles", for_roles(&ROLES[1..]), Open),
        ("spr.ca.5", "no licence", unlicensed(), NotAssessed),
        // Risk
        ("spr.ca.6", "P1 alone", without_plan(P2), NotAssessed),
        ("spr.ca.6", "medium alone", policy_with("User risk", "conditions/userRiskLevels", json!(["medium"])), Open),
        ("spr.ca.6", "a new password", policy_with("User risk", "grantControls", grant(&["passwordChange"])), Secure),
        ("spr.ca.6", "a second factor", policy_with("User risk", "grantControls", grant(&["mfa"])), Open),
        (
            "spr.ca.6",
            "both risks at once",
            policy_with("User risk", "conditions/signInRiskLevels", json!(["high"])),
            Open,
        ),
        ("spr.ca.7", "P1 alone", without_plan(P2), NotAssessed),
        ("spr.ca.7", "blocked", policy_with("Sign-in risk", "grantControls", grant(&["block"])), Secure),
        // Devices, registration, flows
        ("spr.ca.8", "no device management", without_plan(super::snapshot::INTUNE), NotAssessed),
        (
            "spr.ca.8",
            "or a second factor",
            policy_with("Devices", "grantControls", grant(&["compliantDevice", "mfa"])),
            Open,
        ),
        (
            "spr.ca.9",
            "outside trusted locations",
            policy_with(
                "Registration",
                "conditions/locations",
                json!({ "includeLocations": ["All"], "excludeLocations": ["AllTrusted"] }),
            ),
            Secure,
        ),
        ("spr.ca.10", "another flow", flow("authenticationTransfer"), Open),
        ("spr.ca.11", "another flow", flow("deviceCodeFlow"), Open),
        ("spr.ca.11", "no licence", unlicensed(), NotAssessed),
        // Sessions, guests, management
        ("spr.ca.12", "five hours", sessions("signInFrequency/value", json!(5)), Open),
        ("spr.ca.12", "days", sessions("signInFrequency/type", json!("days")), Open),
        ("spr.ca.12", "every time", sessions("signInFrequency/frequencyInterval", json!("everyTime")), Secure),
        ("spr.ca.12", "sometimes", sessions("signInFrequency/frequencyInterval", json!("sometimes")), NotAssessed),
        ("spr.ca.12", "off", sessions("signInFrequency/isEnabled", json!(false)), Open),
        (
            "spr.ca.12",
            "the second factor alone",
            sessions("signInFrequency/authenticationType", json!("secondaryAuthentication")),
            Open,
        ),
        ("spr.ca.12", "persistent", sessions("persistentBrowser/mode", json!("always")), Open),
        ("spr.ca.12", "no licence", unlicensed(), NotAssessed),
        ("spr.ca.13", "security defaults", with_defaults(unlicensed()), Secure),
        ("spr.ca.13", "one kind excluded", excluding_guests("serviceProvider"), Open),
        ("spr.ca.13", "five kinds of guests", for_guests(&GUESTS[..5]), Open),
        ("spr.ca.13", "six kinds of guests", for_guests(&GUESTS), Secure),
        ("spr.ca.13", "no licence", unlicensed(), NotAssessed),
        ("spr.ca.14", "other applications excluded", excluding_app("app"), Secure),
        ("spr.ca.14", "excluded", excluding_app("797f4846-ba00-4fd7-ba43-dac1f8f63013"), Open),
        ("spr.ca.14", "no licence", unlicensed(), NotAssessed),
        // The set of policies
        ("spr.ca.15", "a twin in report-only mode", twin_in_report_only(), Secure),
        (
            "spr.ca.15",
            "another in report-only mode",
            policy_with("Devices", "state", json!("enabledForReportingButNotEnforced")),
            Open,
        ),
        ("spr.ca.15", "a state of unknown meaning", policy_with("Devices", "state", json!("paused")), NotAssessed),
        (
            "spr.ca.16",
            "not excluded from one",
            policy_with("Devices", "conditions/users/excludeUsers", json!([])),
            Open,
        ),
        ("spr.ca.16", "excluded, but not declared", Snapshot::secure().declaring(&[]), NotAssessed),
        ("spr.ca.16", "nobody excluded", nobody_excluded(), Open),
        ("spr.ca.16", "no policies", Snapshot::secure().set(CA, page(&[])), NotAssessed),
        ("spr.ca.17", "deleted", Snapshot::secure().set(at::OBJECTS_BY_ID, page(&[])), Open),
        ("spr.ca.17", "nobody named", nobody_excluded(), Secure),
        ("spr.ca.17", "not asked", Snapshot::secure().without(at::OBJECTS_BY_ID), NotAssessed),
        ("spr.ca.18", "security defaults", with_defaults(unlicensed()), Secure),
        ("spr.ca.18", "no licence and no defaults", unlicensed(), Open),
        ("spr.ca.18", "no policies and no defaults", Snapshot::secure().set(CA, page(&[])), Open),
        ("spr.ca.18", "policies, defaults not read", Snapshot::secure().without(at::SECURITY_DEFAULTS), Secure),
        (
            "spr.ca.18",
            "no policies, defaults not read",
            Snapshot::secure().set(CA, page(&[])).without(at::SECURITY_DEFAULTS),
            NotAssessed,
        ),
        ("spr.ca.18", "policies not read", Snapshot::secure().failing(CA, 503, ""), NotAssessed),
        ("spr.ca.19", "a large network", location("10.0.0.0/8"), Open),
        ("spr.ca.19", "a large network of version 6", location("2001::/16"), Open),
        ("spr.ca.19", "no network", location("office"), NotAssessed),
        (
            "spr.ca.19",
            "not trusted",
            location("10.0.0.0/8").put(at::NAMED_LOCATIONS, "value/0/isTrusted", json!(false)),
            Secure,
        ),
        ("spr.ca.19", "no locations", Snapshot::secure().set(at::NAMED_LOCATIONS, page(&[])), Secure),
    ]);
    cases
}

const GUESTS: [&str; 6] = [
    "internalGuest",
    "b2bCollaborationGuest",
    "b2bCollaborationMember",
    "b2bDirectConnectUser",
    "otherExternalUser",
    "serviceProvider",
];

fn resistant_with(controls: &[&str], strength: Option<&[&str]>) -> Snapshot {
    policies(&["Resistant"], |policy| {
        policy["grantControls"] = grant(controls);
        policy["grantControls"]["authenticationStrength"] =
            strength.map_or(Value::Null, |combinations| json!({ "allowedCombinations": combinations }));
    })
}

fn resistant_and(controls: &[&str]) -> Snapshot {
    policies(&["Resistant"], |policy| {
        policy["grantControls"] = grant(controls);
        policy["grantControls"]["operator"] = json!("AND");
    })
}

fn for_roles(roles: &[&str]) -> Snapshot {
    policy_with("Resistant", "conditions/users", json!({ "includeRoles": roles, "excludeUsers": [EMERGENCY] }))
}

fn excluding_role(role: &str) -> Snapshot {
    policy_with("Resistant", "conditions/users/excludeRoles", json!([role]))
}

fn for_guests(kinds: &[&str]) -> Snapshot {
    let guests = json!({ "guestOrExternalUserTypes": kinds.join(","), "externalTenants": { "membershipKind": "all" } });
    policy_with("Resistant", "conditions/users", json!({ "includeGuestsOrExternalUsers": guests }))
}

fn excluding_guests(kind: &str) -> Snapshot {
    policy_with(
        "Resistant",
        "conditions/users/excludeGuestsOrExternalUsers",
        json!({ "guestOrExternalUserTypes": kind }),
    )
}

fn excluding_app(app: &str) -> Snapshot {
    policy_with("Resistant", "conditions/applications/excludeApplications", json!([app]))
}

fn flow(flow: &str) -> Snapshot {
    policy_with("Flows", "conditions/authenticationFlows/transferMethods", json!(flow))
}

fn sessions(path: &str, value: Value) -> Snapshot {
    policy_with("Sessions", &format!("sessionControls/{path}"), value)
}

fn twin_in_report_only() -> Snapshot {
    Snapshot::secure().rows(CA, |rows| {
        let mut twin = rows[0].clone();
        twin["id"] = json!("twin");
        twin["state"] = json!("enabledForReportingButNotEnforced");
        rows.push(twin);
    })
}

fn nobody_excluded() -> Snapshot {
    Snapshot::secure().rows(CA, |rows| {
        rows.iter_mut().for_each(|row| row["conditions"]["users"]["excludeUsers"] = json!([]));
    })
}

fn location(network: &str) -> Snapshot {
    Snapshot::secure().put(at::NAMED_LOCATIONS, "value/0/ipRanges/0/cidrAddress", json!(network))
}

/// Returns a case for each value of a field of an endpoint with one object.
fn values(id: &'static str, endpoint: &str, path: &str, values: &[(Value, Status)]) -> Vec<Case> {
    let changed = |value: &Value| Snapshot::secure().put(endpoint, path, value.clone());
    let with_value = values.iter().map(|(value, status)| (id, "a value", changed(value), *status));
    let strange = [Value::Null, json!("strange"), json!({}), json!([[]])];
    let of_other_types = strange.iter().map(|value| (id, "a value of another type", changed(value), NotAssessed));
    let refused = Snapshot::secure().failing(endpoint, 403, "Authorization_RequestDenied");
    with_value.chain(of_other_types).chain([(id, "no permission", refused, NotAssessed)]).collect()
}

fn methods(index: usize, field: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(
        at::AUTHENTICATION_METHODS_POLICY,
        &format!("authenticationMethodConfigurations/{index}/{field}"),
        value,
    )
}

fn users(index: usize, field: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(at::USERS, &format!("value/{index}/{field}"), value)
}

fn registrations(index: usize, field: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(at::REGISTRATIONS, &format!("value/{index}/{field}"), value)
}

fn settings(index: usize, value: &str) -> Snapshot {
    Snapshot::secure().put(at::GROUP_SETTINGS, &format!("value/1/values/{index}/value"), json!(value))
}

fn accounts() -> Vec<Case> {
    const METHODS: &str = at::AUTHENTICATION_METHODS_POLICY;
    const CAMPAIGN: &str = "registrationEnforcement/authenticationMethodsRegistrationCampaign/state";
    let app = "featureSettings/displayAppInformationRequiredState";
    let mut cases = vec![
        ("spr.ac.1", "text messages", methods(0, "state", json!("enabled")), Open),
        ("spr.ac.1", "voice calls", methods(1, "state", json!("enabled")), Open),
        ("spr.ac.1", "e-mail codes", methods(2, "state", json!("enabled")), Open),
        ("spr.ac.1", "a state of unknown meaning", methods(0, "state", json!("sometimes")), NotAssessed),
        (
            "spr.ac.1",
            "not migrated",
            Snapshot::secure().put(METHODS, "policyMigrationState", json!("preMigration")),
            NotAssessed,
        ),
        (
            "spr.ac.1",
            "never had an older policy",
            Snapshot::secure().put(METHODS, "policyMigrationState", Value::Null),
            Secure,
        ),
        ("spr.ac.2", "off", methods(4, "state", json!("disabled")), Secure),
        ("spr.ac.2", "by default", methods(4, &format!("{app}/state"), json!("default")), Secure),
        ("spr.ac.2", "not shown", methods(4, &format!("{app}/state"), json!("disabled")), Open),
        ("spr.ac.2", "to some", methods(4, &format!("{app}/includeTarget/id"), json!(GROUP)), Open),
        ("spr.ac.2", "not to some", methods(4, &format!("{app}/excludeTarget/id"), json!(GROUP)), Open),
        ("spr.ac.2", "a state of unknown meaning", methods(4, &format!("{app}/state"), json!("later")), NotAssessed),
        (
            "spr.ac.3",
            "never had an older policy",
            Snapshot::secure().put(METHODS, "policyMigrationState", Value::Null),
            Secure,
        ),
        (
            "spr.ac.3",
            "in progress",
            Snapshot::secure().put(METHODS, "policyMigrationState", json!("migrationInProgress")),
            Open,
        ),
        (
            "spr.ac.3",
            "of unknown meaning",
            Snapshot::secure().put(METHODS, "policyMigrationState", json!("other")),
            NotAssessed,
        ),
        ("spr.ac.4", "one of three without", registrations(2, "isMfaRegistered", json!(false)), Open),
        (
            "spr.ac.4",
            "a disabled one without",
            registrations(2, "isMfaRegistered", json!(false)).put(at::USERS, "value/2/accountEnabled", json!(false)),
            Secure,
        ),
        ("spr.ac.4", "one not listed", Snapshot::secure().rows(at::REGISTRATIONS, |rows| drop(rows.pop())), Open),
        (
            "spr.ac.4",
            "no licence",
            Snapshot::secure().failing(at::REGISTRATIONS, 403, "Authentication_RequestFromNonPremiumTenantOrB2CTenant"),
            NotAssessed,
        ),
        ("spr.ac.4", "of unknown kind", registrations(2, "userType", json!("robot")), NotAssessed),
        (
            "spr.ac.5",
            "unused",
            users(2, "signInActivity/lastSuccessfulSignInDateTime", json!("2026-01-01T00:00:00Z")),
            Open,
        ),
        ("spr.ac.5", "never used", users(2, "signInActivity", Value::Null), Open),
        (
            "spr.ac.5",
            "never used and new",
            users(2, "signInActivity", Value::Null).put(
                at::USERS,
                "value/2/createdDateTime",
                json!("2026-04-01T00:00:00Z"),
            ),
            Secure,
        ),
        (
            "spr.ac.5",
            "never used and disabled",
            users(2, "signInActivity", Value::Null).put(at::USERS, "value/2/accountEnabled", json!(false)),
            Secure,
        ),
        ("spr.ac.5", "sign-ins not selected", unselected(), NotAssessed),
        ("spr.ac.5", "by the report", active_users(false, "2026-04-01"), Secure),
        ("spr.ac.5", "unused by the report", active_users(false, "2026-01-01"), Open),
        ("spr.ac.5", "concealed names", active_users(true, "2026-04-01"), NotAssessed),
        (
            "spr.ac.6",
            "unused",
            users(3, "signInActivity/lastSuccessfulSignInDateTime", json!("2026-01-01T00:00:00Z")),
            Open,
        ),
        ("spr.ac.6", "an old invitation", users(3, "externalUserState", json!("PendingAcceptance")), Open),
        ("spr.ac.6", "sign-ins not selected", unselected(), NotAssessed),
        (
            "spr.ac.7",
            "90 days",
            Snapshot::secure().put(at::DOMAINS, "value/0/passwordValidityPeriodInDays", json!(90)),
            Open,
        ),
        (
            "spr.ac.7",
            "of a sub-domain",
            Snapshot::secure().add(at::DOMAINS, domain("sub.example.com", "isRoot", json!(false))),
            Secure,
        ),
        (
            "spr.ac.7",
            "federated beside",
            Snapshot::secure().add(at::DOMAINS, domain("fed.example", "authenticationType", json!("Federated"))),
            Secure,
        ),
        (
            "spr.ac.7",
            "federated alone",
            Snapshot::secure().put(at::DOMAINS, "value/0/authenticationType", json!("Federated")),
            NotAssessed,
        ),
        (
            "spr.ac.7",
            "not said",
            Snapshot::secure().put(at::DOMAINS, "value/0/passwordValidityPeriodInDays", Value::Null),
            NotAssessed,
        ),
        ("spr.ac.8", "not enforced", settings(0, "False"), Open),
        ("spr.ac.8", "empty", settings(1, ""), Open),
        ("spr.ac.8", "neither true nor false", settings(0, "perhaps"), NotAssessed),
        (
            "spr.ac.8",
            "settings not returned",
            Snapshot::secure().rows(at::GROUP_SETTINGS, |rows| drop(rows.pop())),
            NotAssessed,
        ),
        ("spr.ac.9", "eleven attempts", settings(2, "11"), Open),
        ("spr.ac.9", "never locked", settings(2, "0"), Open),
        ("spr.ac.9", "59 seconds", settings(3, "59"), Open),
        (
            "spr.ac.9",
            "settings not returned",
            Snapshot::secure().rows(at::GROUP_SETTINGS, |rows| drop(rows.pop())),
            NotAssessed,
        ),
        ("spr.ac.10", "off", methods(3, "state", json!("disabled")), Open),
        ("spr.ac.10", "not listed", methods(3, "id", json!("Fido9")), NotAssessed),
        ("spr.ac.11", "by default", Snapshot::secure().put(METHODS, CAMPAIGN, json!("default")), Secure),
        (
            "spr.ac.11",
            "off, and all have registered",
            Snapshot::secure().put(METHODS, CAMPAIGN, json!("disabled")),
            Secure,
        ),
        (
            "spr.ac.11",
            "off, and one has not",
            registrations(2, "isMfaRegistered", json!(false)).put(METHODS, CAMPAIGN, json!("disabled")),
            Open,
        ),
        (
            "spr.ac.11",
            "off, registrations not read",
            Snapshot::secure().put(METHODS, CAMPAIGN, json!("disabled")).without(at::REGISTRATIONS),
            NotAssessed,
        ),
        ("spr.ac.12", "used more than once", methods(5, "isUsableOnce", json!(false)), Open),
        ("spr.ac.12", "481 minutes", methods(5, "maximumLifetimeInMinutes", json!(481)), Open),
        ("spr.ac.12", "off", methods(5, "state", json!("disabled")), Secure),
        ("spr.ac.12", "not said", methods(5, "isUsableOnce", Value::Null), NotAssessed),
        ("spr.ac.13", "at high risk", risky("atRisk", "high"), Open),
        ("spr.ac.13", "at low risk", risky("atRisk", "low"), Secure),
        ("spr.ac.13", "dealt with", risky("remediated", "high"), Secure),
        ("spr.ac.13", "a level of unknown meaning", risky("atRisk", "extreme"), NotAssessed),
        ("spr.ac.13", "a state of unknown meaning", risky("lost", "high"), NotAssessed),
        ("spr.ac.13", "P1 alone", without_plan(P2), NotAssessed),
    ];
    cases.extend(values("spr.ac.11", METHODS, CAMPAIGN, &[(json!("enabled"), Secure)]));
    cases
}

fn unselected() -> Snapshot {
    Snapshot::secure().with_query_of(at::USERS, "$top=999")
}

/// Returns the tenant with the report of active users in place of the sign-ins of each user.
fn active_users(concealed: bool, last: &str) -> Snapshot {
    let header = "Report Refresh Date,User Principal Name,Exchange Last Activity Date,Teams Last Activity Date";
    let row = |name: &str, last: &str| format!("2026-04-29,{name}@example.com,{last},");
    let rows = [header.to_owned(), row("aaaaaaaa", "2026-04-28"), row("bbbbbbbb", last)];
    unselected()
        .rows(at::USERS, |users| drop(users.remove(1)))
        .put(at::REPORT_SETTINGS, "displayConcealedNames", json!(concealed))
        .with(&format!("{}period='D90')", at::ACTIVE_USERS_REPORT), json!(rows))
}

fn domain(name: &str, field: &str, value: Value) -> Value {
    let mut domain = json!({
        "id": name, "isVerified": true, "isRoot": true, "authenticationType": "Managed",
        "passwordValidityPeriodInDays": null, "supportedServices": [],
    });
    domain[field] = value;
    domain
}

fn risky(state: &str, level: &str) -> Snapshot {
    Snapshot::secure().add(at::RISKY_USERS, json!({ "id": "1", "riskState": state, "riskLevel": level }))
}

fn rule(role: usize, index: usize, path: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(at::ROLE_POLICIES, &format!("value/{role}/policy/rules/{index}/{path}"), value)
}

/// Returns the tenant with more assignments of the top role.
fn administrators(number: usize) -> Snapshot {
    let ids: Vec<String> = (0..number).map(|number| format!("abababab-0000-0000-0000-{number:012}")).collect();
    ids.iter().fold(Snapshot::secure(), |snapshot, id| {
        snapshot.add(at::ROLE_ASSIGNMENTS, assignment(id, id, "user", ROLES[0]))
    })
}

fn group_of(members: Option<&[Value]>) -> Snapshot {
    let snapshot = Snapshot::secure().add(at::ROLE_ASSIGNMENTS, assignment("g", GROUP, "group", ROLES[0]));
    match members {
        Some(members) => snapshot.with(&format!("{}{GROUP}{}", at::GROUPS, at::TRANSITIVE_MEMBERS), page(members)),
        None => snapshot,
    }
}

fn people(number: usize) -> Vec<Value> {
    let person = |number| json!({ "@odata.type": "#microsoft.graph.user", "id": format!("cdcdcdcd-{number}") });
    (0..number).map(person).collect()
}

fn global_administrators() -> Vec<Case> {
    let standing = |field: &str, value: Value| {
        Snapshot::secure().put(at::ROLE_ASSIGNMENT_INSTANCES, "value/0/assignmentType", json!("Assigned")).put(
            at::ROLE_ASSIGNMENT_INSTANCES,
            &format!("value/0/{field}"),
            value,
        )
    };
    let one = Snapshot::secure().rows(at::ROLE_ELIGIBILITY_INSTANCES, |rows| drop(rows.remove(0)));
    let application =
        || Snapshot::secure().add(at::ROLE_ASSIGNMENTS, assignment("a", VENDOR, "servicePrincipal", ROLES[0]));
    let failures = |number: i64| {
        (1..=number)
            .fold(Snapshot::secure(), |snapshot, code| snapshot.add(at::SIGN_INS, sign_in(ADMIN, 90_000 + code)))
    };
    vec![
        ("spr.ga.1", "one", one, Open),
        ("spr.ga.1", "four", administrators(2), Secure),
        ("spr.ga.1", "five", administrators(3), Open),
        ("spr.ga.1", "two more by a group", group_of(Some(&people(2))), Secure),
        ("spr.ga.1", "three more by a group", group_of(Some(&people(3))), Open),
        ("spr.ga.1", "a group that was not read", group_of(None), NotAssessed),
        (
            "spr.ga.1",
            "five, and a group that was not read",
            administrators(3).add(at::ROLE_ASSIGNMENTS, assignment("g", GROUP, "group", ROLES[0])),
            Open,
        ),
        (
            "spr.ga.1",
            "a holder who was deleted",
            Snapshot::secure().add(
                at::ROLE_ASSIGNMENTS,
                json!({ "id": "d", "principalId": "deleted", "roleDefinitionId": ROLES[0], "principal": null }),
            ),
            NotAssessed,
        ),
        (
            "spr.ga.1",
            "eligible not read",
            Snapshot::secure().failing(at::ROLE_ELIGIBILITY_INSTANCES, 403, ""),
            NotAssessed,
        ),
        (
            "spr.ga.1",
            "no eligible without a licence",
            without_plan(P2).failing(at::ROLE_ELIGIBILITY_INSTANCES, 400, "AadPremiumLicenseRequired").failing(
                at::ROLE_ASSIGNMENT_INSTANCES,
                400,
                "AadPremiumLicenseRequired",
            ),
            Open,
        ),
        ("spr.ga.2", "more with the top role", administrators(2), Open),
        ("spr.ga.2", "as many", Snapshot::secure(), Secure),
        (
            "spr.ga.2",
            "assignments not read",
            Snapshot::secure().without(at::ROLE_ASSIGNMENTS).without(at::ROLE_ASSIGNMENT_INSTANCES),
            NotAssessed,
        ),
        ("spr.ga.3", "synchronized", users(0, "onPremisesSyncEnabled", json!(true)), Open),
        ("spr.ga.3", "no longer synchronized", users(0, "onPremisesSyncEnabled", json!(false)), Secure),
        (
            "spr.ga.3",
            "not selected",
            Snapshot::secure()
                .rows(at::USERS, |rows| drop(rows[0].as_object_mut().unwrap().remove("onPremisesSyncEnabled"))),
            NotAssessed,
        ),
        ("spr.ga.4", "without an end", standing("endDateTime", Value::Null), Open),
        ("spr.ga.4", "with an end", standing("endDateTime", json!("2026-12-01T00:00:00Z")), Secure),
        ("spr.ga.4", "emergency access", standing("endDateTime", Value::Null).declaring(&[EMERGENCY, ADMIN]), Secure),
        (
            "spr.ga.4",
            "another role",
            standing("endDateTime", Value::Null).put(
                at::ROLE_ASSIGNMENT_INSTANCES,
                "value/0/roleDefinitionId",
                json!("reader"),
            ),
            Secure,
        ),
        ("spr.ga.4", "a type of unknown meaning", standing("assignmentType", json!("Borrowed")), NotAssessed),
        ("spr.ga.4", "P1 alone", without_plan(P2), NotAssessed),
        ("spr.ga.5", "no approval", rule(0, 0, "setting/isApprovalRequired", json!(false)), Open),
        ("spr.ga.5", "not said", rule(0, 0, "setting/isApprovalRequired", Value::Null), NotAssessed),
        ("spr.ga.6", "nobody", rule(4, 2, "notificationRecipients", json!([])), Open),
        ("spr.ga.6", "an empty address", rule(4, 3, "notificationRecipients", json!([" "])), Open),
        (
            "spr.ga.6",
            "a role without rules",
            Snapshot::secure().rows(at::ROLE_POLICIES, |rows| drop(rows.pop())),
            NotAssessed,
        ),
        ("spr.ga.7", "text messages", registrations(1, "methodsRegistered", json!(["mobilePhone"])), Open),
        ("spr.ga.7", "nothing", registrations(1, "methodsRegistered", json!([])), Open),
        (
            "spr.ga.7",
            "the authenticator",
            registrations(1, "methodsRegistered", json!(["microsoftAuthenticatorPush"])),
            Secure,
        ),
        (
            "spr.ga.7",
            "a method that is not known",
            registrations(1, "methodsRegistered", json!(["brainScan"])),
            NotAssessed,
        ),
        (
            "spr.ga.7",
            "not listed",
            Snapshot::secure().rows(at::REGISTRATIONS, |rows| drop(rows.remove(0))),
            NotAssessed,
        ),
        ("spr.ga.8", "101 days", users(0, "lastPasswordChangeDateTime", json!("2026-01-20T00:00:00Z")), Open),
        ("spr.ga.8", "not said", users(0, "lastPasswordChangeDateTime", Value::Null), NotAssessed),
        ("spr.ga.9", "an application", application(), Open),
        ("spr.ga.9", "a group that was not read", group_of(None), NotAssessed),
        ("spr.ga.10", "101 failures", failures(101), Open),
        ("spr.ga.10", "100 failures", failures(100), Secure),
        (
            "spr.ga.10",
            "one administrator not read",
            Snapshot::secure().failing_query(at::SIGN_INS, OTHER_ADMIN, 403),
            NotAssessed,
        ),
        (
            "spr.ga.10",
            "the whole log",
            Snapshot::secure().without(at::SIGN_INS).with(at::SIGN_INS, page(&[sign_in(GUEST, 0)])),
            Secure,
        ),
    ]
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

fn applications() -> Vec<Case> {
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
        ("spr.ad.8", "of the tenant", owner(role(mail), json!(super::snapshot::TENANT)), Secure),
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
        ("spr.ad.9", "of the tenant", owner(scope("Mail.Read"), json!(super::snapshot::TENANT)), Secure),
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

fn sharing() -> Vec<Case> {
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

/// Returns the tenant with other texts at a name.
fn texts(name: &str, texts: &[&str]) -> Snapshot {
    dns(Snapshot::secure().without_query(at::DNS, &format!("name={name}&type=TXT")), name, texts)
}

fn answer(name: &str, body: Value) -> Snapshot {
    let query = format!("name={name}&type=TXT");
    Snapshot::secure().without_query(at::DNS, &query).with_query(at::DNS, &query, body)
}

fn mail() -> Vec<Case> {
    const APP: &str = "2026-04-29,two@example.com,False,2026-04-28,Yes,,,30";
    let spf = |record: &str| texts("example.com", &[record]);
    let dmarc = |record: &str| texts("_dmarc.example.com", &[record]);
    let subdomain = || {
        let domain = domain("sub.example.com", "isRoot", json!(false));
        let snapshot =
            Snapshot::secure().add(at::DOMAINS, domain).put(at::DOMAINS, "value/1/supportedServices", json!(["Email"]));
        dns(snapshot, "_dmarc.sub.example.com", &[])
    };
    let report = format!("{}period='D30')", at::MAIL_APPS_REPORT);
    vec![
        ("spr.ex.1", "soft, and mail is rejected", spf("v=spf1 ~all"), Secure),
        (
            "spr.ex.1",
            "soft alone",
            texts("_dmarc.example.com", &[])
                .without_query(at::DNS, "name=example.com&type=TXT")
                .with_texts("example.com", &["v=spf1 ~all"]),
            Open,
        ),
        ("spr.ex.1", "any server", spf("v=spf1 +all"), Open),
        ("spr.ex.1", "no end", spf("v=spf1 a"), Open),
        ("spr.ex.1", "no record", texts("example.com", &["other=1"]), Open),
        ("spr.ex.1", "no such name", answer("example.com", json!({ "Status": 3 })), Open),
        ("spr.ex.1", "two records", texts("example.com", &["v=spf1 -all", "v=spf1 a -all"]), Open),
        ("spr.ex.1", "the servers failed", answer("example.com", json!({ "Status": 2 })), NotAssessed),
        ("spr.ex.1", "cut off", answer("example.com", json!({ "Status": 0, "TC": true })), NotAssessed),
        ("spr.ex.1", "not asked", Snapshot::secure().without_query(at::DNS, "name=example.com&type=TXT"), NotAssessed),
        ("spr.ex.1", "eleven look-ups", spf("v=spf1 a mx ptr exists:a.b a:b a:c a:d a:e a:f a:g a:h -all"), Open),
        (
            "spr.ex.1",
            "another domain's record",
            spf("v=spf1 redirect=spf.example.net").with_texts("spf.example.net", &["v=spf1 -all"]),
            Secure,
        ),
        ("spr.ex.1", "another domain's record, not asked", spf("v=spf1 redirect=spf.example.net"), NotAssessed),
        ("spr.ex.1", "a record that leads to itself", spf("v=spf1 redirect=example.com"), Open),
        (
            "spr.ex.1",
            "no mail domain",
            Snapshot::secure().put(at::DOMAINS, "value/0/supportedServices", json!([])),
            NotAssessed,
        ),
        (
            "spr.ex.2",
            "the second key",
            texts("selector1._domainkey.example.com", &[])
                .without_query(at::DNS, "name=selector2._domainkey.example.com&type=TXT")
                .with_texts("selector2._domainkey.example.com", &["v=DKIM1; p=MIIB"]),
            Secure,
        ),
        ("spr.ex.2", "no key", texts("selector1._domainkey.example.com", &[]), Open),
        ("spr.ex.2", "a revoked key", texts("selector1._domainkey.example.com", &["v=DKIM1; p="]), Open),
        (
            "spr.ex.2",
            "the servers failed",
            answer("selector1._domainkey.example.com", json!({ "Status": 2 })),
            NotAssessed,
        ),
        ("spr.ex.3", "quarantine", dmarc("v=DMARC1; p=quarantine"), Open),
        ("spr.ex.3", "for a part", dmarc("v=DMARC1; p=reject; pct=50"), Open),
        ("spr.ex.3", "not for subdomains", dmarc("v=DMARC1; p=reject; sp=none"), Open),
        ("spr.ex.3", "another version", dmarc("v=DMARC2; p=reject"), Open),
        ("spr.ex.3", "no record", texts("_dmarc.example.com", &[]), Open),
        ("spr.ex.3", "inherited", subdomain(), Secure),
        (
            "spr.ex.3",
            "not asked",
            Snapshot::secure().without_query(at::DNS, "name=_dmarc.example.com&type=TXT"),
            NotAssessed,
        ),
        ("spr.ex.4", "no address", dmarc("v=DMARC1; p=reject"), Open),
        ("spr.ex.4", "not a mail address", dmarc("v=DMARC1; p=reject; rua=https://example.com"), Open),
        ("spr.ex.4", "the servers failed", answer("_dmarc.example.com", json!({ "Status": 2 })), NotAssessed),
        (
            "spr.ex.5",
            "one user",
            Snapshot::secure().change(&report, |lines| lines.as_array_mut().unwrap().push(json!(APP))),
            Open,
        ),
        (
            "spr.ex.5",
            "no rows",
            Snapshot::secure().change(&report, |lines| drop(lines.as_array_mut().unwrap().pop())),
            NotAssessed,
        ),
        (
            "spr.ex.5",
            "not a table",
            Snapshot::secure().change(&report, |lines| *lines = json!(["<html>"])),
            NotAssessed,
        ),
        ("spr.ex.5", "no permission", Snapshot::secure().failing(&report, 403, ""), NotAssessed),
    ]
}

fn cases() -> Vec<Case> {
    [conditional_access(), accounts(), global_administrators(), applications(), sharing(), mail()].concat()
}

#[test]
fn every_edge_has_its_result() {
    let mut wrong = Vec::new();
    for (id, edge, snapshot, expected) in cases() {
        let (status, state) = snapshot.results().remove(id).unwrap();
        if status != expected {
            wrong.push(format!("{id}, {edge}: {status:?} instead of {expected:?}: {state}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_control_is_shown_open_and_not_assessed() {
    let mut seen: BTreeMap<&str, Vec<Status>> = BTreeMap::new();
    for (id, _, _, status) in cases() {
        seen.entry(id).or_default().push(status);
    }
    for id in Snapshot::secure().results().into_keys().filter(|id| !NOT_READ.contains(&id.as_str())) {
        let statuses = seen.get(id.as_str()).unwrap_or_else(|| panic!("{id} has no case"));
        assert!(statuses.contains(&Open) && statuses.contains(&NotAssessed), "{id}: {statuses:?}");
    }
}
