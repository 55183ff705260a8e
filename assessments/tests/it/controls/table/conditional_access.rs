//! Conditional access.

use model::Status::{NotAssessed, Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::{CA, Case, unlicensed, with_defaults, without_plan};
use crate::controls::snapshot::{
    ADMIN, EMERGENCY, GROUP, INTUNE, MEMBER, P2, ROLES, Snapshot, grant, page, place, policy,
};

pub(super) fn cases() -> Vec<Case> {
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
        ("spr.ca.8", "no device management", without_plan(INTUNE), NotAssessed),
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
