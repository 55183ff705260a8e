//! The holders of the top-privilege role, and the settings that require a second factor from them.

use assessments::IssueKind;
use model::MfaEnforcement;
use serde_json::{Value, json};

use super::admins::administrator;
use super::{ASSIGNMENTS, ELIGIBILITIES, POLICIES, ROLES, TOP_ROLE, combined, member, messages, page, review, role};

#[test]
fn eligible_administrators_count_and_applications_do_not() {
    let instance = |kind: &str, id: &str| {
        json!({
            "id": format!("instance-{id}"),
            "principalId": id,
            "roleDefinitionId": TOP_ROLE,
            "principal": {
                "@odata.type": format!("#microsoft.graph.{kind}"),
                "id": id,
                "userPrincipalName": (kind == "user").then(|| format!("{id}@example.com")),
            },
        })
    };
    let assigned = page(ASSIGNMENTS, &[instance("user", "a"), instance("servicePrincipal", "app")]);
    let mut other = instance("user", "x");
    other["roleDefinitionId"] = json!("fe930be7-5e62-47db-91af-98c3a49a38b1");
    let eligible = page(ELIGIBILITIES, &[instance("user", "b"), instance("user", "a"), other]);
    let files = [assigned, eligible];
    let review = review(&files);
    let names: Vec<_> = review.admins.iter().map(|admin| admin.user_principal_name.as_str()).collect();
    assert_eq!((review.count, review.complete), (Some(2), true));
    assert_eq!(names, ["a@example.com", "b@example.com"]);
    let expected = "applications hold the Global Administrator role; they are not listed as administrators: 1";
    assert_eq!(messages(&combined(&files), IssueKind::HoldersNotListed), [expected]);
}

#[test]
fn the_members_of_a_group_are_administrators_if_a_file_lists_them_all() {
    let group = json!({ "@odata.type": "#microsoft.graph.group", "id": "g", "displayName": "Administrators" });
    let roles = page(ROLES, &[role(&[member("a"), group])]);
    let mut members = json!({
        "@odata.context": "https://graph.example/v1.0/$metadata#groups(id,transitiveMembers())/$entity",
        "id": "g",
        "transitiveMembers": [member("b"), { "@odata.type": "#microsoft.graph.device", "id": "d" }],
    });
    let whole = review(&[roles.clone(), members.clone()]);
    assert_eq!((whole.count, whole.complete, whole.admins.len()), (Some(2), true, 2));
    members["transitiveMembers@odata.nextLink"] = json!("https://graph.example/next");
    let partial = review(&[roles, members]);
    assert_eq!((partial.count, partial.complete), (Some(1), false));
}

fn policy(conditions: Value, grant: Value) -> Value {
    let mut all = json!({
        "users": { "includeUsers": ["All"], "excludeUsers": [], "excludeGroups": [] },
        "applications": { "includeApplications": ["All"], "excludeApplications": [] },
        "clientAppTypes": ["all"],
        "locations": null,
    });
    all.as_object_mut().unwrap().extend(conditions.as_object().unwrap().clone());
    page(POLICIES, &[json!({ "id": "p", "state": "enabled", "conditions": all, "grantControls": grant })])
}

#[test]
fn a_policy_enforces_a_second_factor_if_it_applies_to_every_sign_in() {
    let mfa = json!({ "operator": "OR", "builtInControls": ["mfa"], "authenticationStrength": null });
    let strength = json!({ "operator": "OR", "builtInControls": [], "authenticationStrength": { "id": "s" } });
    let enforced = |policy: Value| administrator(&[policy]).mfa_enforcement;
    assert_eq!(enforced(policy(json!({}), mfa.clone())), MfaEnforcement::CaPolicy);
    assert_eq!(enforced(policy(json!({}), strength)), MfaEnforcement::CaPolicy);
    let roles = json!({ "users": { "includeUsers": [], "includeRoles": [TOP_ROLE] } });
    assert_eq!(enforced(policy(roles, mfa.clone())), MfaEnforcement::CaPolicy);
    let both = json!({ "operator": "AND", "builtInControls": ["mfa", "compliantDevice"] });
    assert_eq!(enforced(policy(json!({}), both)), MfaEnforcement::CaPolicy);
    for (conditions, grant) in [
        (json!({}), json!({ "operator": "OR", "builtInControls": ["mfa", "compliantDevice"] })),
        (json!({}), json!({ "operator": "OR", "builtInControls": ["block"] })),
        (json!({ "users": { "includeUsers": ["All"], "excludeUsers": ["A"] } }), mfa.clone()),
        (json!({ "users": { "includeUsers": ["All"], "excludeGroups": ["g"] } }), mfa.clone()),
        (json!({ "applications": { "includeApplications": ["Office365"] } }), mfa.clone()),
        (json!({ "locations": { "includeLocations": ["All"] } }), mfa.clone()),
        (json!({ "signInRiskLevels": ["high"] }), mfa.clone()),
    ] {
        let shown = format!("{conditions} {grant}");
        assert_eq!(enforced(policy(conditions, grant)), MfaEnforcement::Unknown, "{shown}");
    }
    let mut report_only = policy(json!({}), mfa);
    report_only["value"][0]["state"] = json!("enabledForReportingButNotEnforced");
    assert_eq!(enforced(report_only), MfaEnforcement::Unknown);
}

#[test]
fn an_accounts_own_setting_enforces_a_second_factor() {
    let setting = |user: &str, state: &str| {
        let context = format!("https://graph.example/beta/$metadata#users('{user}')/authentication/requirements");
        json!({ "@odata.context": context, "perUserMfaState": state })
    };
    let enforced = |setting: Value| administrator(&[setting]).mfa_enforcement;
    assert_eq!(enforced(setting("A", "enforced")), MfaEnforcement::PerUser);
    assert_eq!(enforced(setting("a", "disabled")), MfaEnforcement::Unknown);
    assert_eq!(enforced(setting("b", "enabled")), MfaEnforcement::Unknown);
}

#[test]
fn the_older_form_of_an_accounts_own_setting_is_read() {
    let account = |id: &str, requirements: Value| {
        json!({
            "ObjectId": id,
            "UserPrincipalName": format!("{id}@example.com"),
            "StrongAuthenticationMethods": [],
            "StrongAuthenticationRequirements": requirements,
        })
    };
    let state = |state: &str| json!([{ "RelyingParty": "*", "RememberDevicesNotIssuedBefore": "x", "State": state }]);
    let enforced = |accounts: Value| administrator(&[accounts]).mfa_enforcement;
    assert_eq!(enforced(json!([account("A", state("Enforced")), account("b", json!([]))])), MfaEnforcement::PerUser);
    assert_eq!(enforced(account("a", state("Enabled"))), MfaEnforcement::PerUser, "a single account");
    for requirements in [json!([]), json!(null), state("Disabled")] {
        assert_eq!(enforced(json!([account("a", requirements)])), MfaEnforcement::Unknown);
    }
    assert_eq!(enforced(json!([account("b", state("Enforced"))])), MfaEnforcement::Unknown);
    let flattened = account("a", json!(["Microsoft.Online.Administration.StrongAuthenticationRequirement"]));
    let files = combined(&[page(ROLES, &[role(&[member("a")])]), json!([flattened])]);
    assert!(messages(&files, IssueKind::UnreadableRow)[0].contains("multifactor settings of accounts: 1"));
}
