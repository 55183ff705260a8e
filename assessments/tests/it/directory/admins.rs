//! The administrators in the exports.

use assessments::{AdminReview, Administrator, IssueKind};
use model::{MfaEnforcement, MfaMethod};
use serde_json::{Value, json};

use super::{
    MEMBERS, REGISTRATIONS, ROLES, SIGN_INS, SUBSCRIPTIONS, TENANT, USERS, combined, directory, member, messages,
    moment, open, page, registration, review, role, sign_in, subscription, user,
};

/// Returns the review of one administrator, `a`, with these further files.
pub(super) fn administrator(files: &[Value]) -> Administrator {
    let mut all = vec![page(ROLES, &[role(&[member("a")])])];
    all.extend_from_slice(files);
    let mut review = review(&all);
    assert_eq!(review.admins.len(), 1);
    review.admins.remove(0)
}

#[test]
fn an_administrator_is_put_together_from_all_lists() {
    let files = [
        page(USERS, &[user("a"), user("b")]),
        page(ROLES, &[role(&[member("a")])]),
        page(REGISTRATIONS, &[registration("a", &["mobilePhone", "microsoftAuthenticatorPush"])]),
        page(SIGN_INS, &[sign_in("1", "a", "2026-01-20T00:00:00Z", 50126)]),
        page(SUBSCRIPTIONS, &[subscription(TENANT)]),
    ];
    let combined = combined(&files);
    assert_eq!(combined.issues, []);
    let directory = combined.directory.unwrap();
    assert_eq!(directory.tenant().unwrap().as_str(), TENANT);
    let expected = Administrator {
        user_principal_name: "a@example.com".into(),
        mfa_enforcement: MfaEnforcement::Unknown,
        mfa_method: MfaMethod::Authenticator,
        password_age_days: Some(30),
        failed_sign_ins: 1,
    };
    let review = directory.admin_review(moment(), 30).unwrap();
    assert_eq!(review, AdminReview { count: Some(1), complete: true, admins: vec![expected] });
}

#[test]
fn values_that_no_file_contains_are_unknown_and_reported() {
    let combined = combined(&[page(ROLES, &[role(&[member("a")])])]);
    let review = combined.directory.as_ref().unwrap().admin_review(moment(), 30).unwrap();
    let admin = &review.admins[0];
    assert_eq!((admin.mfa_method, admin.mfa_enforcement), (MfaMethod::Unknown, MfaEnforcement::Unknown));
    assert_eq!((admin.password_age_days, admin.failed_sign_ins), (None, 0));
    assert!(review.complete, "all administrators are listed");
    insta::assert_json_snapshot!("directory_missing", messages(&combined, IssueKind::CounterpartMissing));
    assert!(directory(&[page(USERS, &[])]).admin_review(moment(), 30).is_none(), "no file lists administrators");
}

#[test]
fn only_persons_in_the_top_role_are_administrators() {
    let mut other = role(&[member("x")]);
    other["roleTemplateId"] = json!("fe930be7-5e62-47db-91af-98c3a49a38b1");
    let application = json!({ "@odata.type": "#microsoft.graph.servicePrincipal", "id": "app" });
    let review = review(&[page(ROLES, &[other, role(&[member("a"), application])])]);
    assert_eq!((review.count, review.complete, review.admins.len()), (Some(1), true, 1));
}

#[test]
fn the_members_of_a_group_are_not_known() {
    let group = json!({ "@odata.type": "#microsoft.graph.group", "id": "g", "displayName": "Administrators" });
    let review = review(&[page(ROLES, &[role(&[member("a"), group])])]);
    assert_eq!((review.count, review.complete), (Some(1), false));
}

#[test]
fn members_are_listed_with_the_role_or_in_separate_pages() {
    let whole = review(&[page(ROLES, &[role(&[member("a"), member("b")])])]);
    let (first, second) = (open(page(MEMBERS, &[member("a")])), page(MEMBERS, &[member("b")]));
    assert_eq!(review(&[second.clone(), first.clone()]), whole);
    assert_eq!(review(&[first.clone(), second, first.clone()]), whole, "a page may come twice");

    let partial = review(&[first]);
    assert_eq!((partial.count, partial.complete), (Some(1), false));
}

#[test]
fn a_role_lists_twenty_members_at_most() {
    let members: Vec<_> = (0..20).map(|number| member(&format!("u{number}"))).collect();
    assert!(!review(&[page(ROLES, &[role(&members)])]).complete);
    assert!(review(&[page(ROLES, &[role(&members[1..])])]).complete);
    assert!(review(&[page(ROLES, &[role(&members)]), page(MEMBERS, &members)]).complete, "the members' own pages do");

    let mut linked = role(&members[..1]);
    linked["members@odata.nextLink"] = json!("https://graph.example/v1.0/more");
    assert!(!review(&[page(ROLES, &[linked])]).complete);
}

#[test]
fn a_missing_page_of_any_list_makes_the_review_incomplete() {
    let roles = page(ROLES, &[role(&[member("a")])]);
    let lists = [
        page(USERS, &[user("a")]),
        page(REGISTRATIONS, &[registration("a", &[])]),
        page(SIGN_INS, &[sign_in("1", "a", "2026-01-20T00:00:00Z", 0)]),
    ];
    for list in lists {
        let whole = combined(&[roles.clone(), list.clone()]);
        assert!(whole.directory.as_ref().unwrap().admin_review(moment(), 30).unwrap().complete);
        assert!(messages(&whole, IssueKind::PageMissing).is_empty());

        let mut counted = list.clone();
        counted["@odata.count"] = json!(2);
        for partial in [open(list), counted] {
            let partial = combined(&[roles.clone(), partial]);
            assert!(!partial.directory.as_ref().unwrap().admin_review(moment(), 30).unwrap().complete);
            assert_eq!(messages(&partial, IssueKind::PageMissing).len(), 1);
        }
    }
}

#[test]
fn a_repeated_page_does_not_replace_a_missing_one() {
    let roles = page(ROLES, &[role(&[member("a")])]);
    let sign_in = |id: &str, time| sign_in(id, "a", time, 0);
    let lists = [
        (USERS, user("a"), user("b")),
        (USERS, json!({ "id": 7 }), user("b")),
        (REGISTRATIONS, registration("a", &[]), registration("b", &[])),
        (REGISTRATIONS, json!("none"), registration("b", &[])),
        (SIGN_INS, sign_in("1", "2026-01-20T00:00:00Z"), sign_in("2", "2026-01-20T00:00:00Z")),
        (SIGN_INS, sign_in("1", "never"), sign_in("2", "2026-01-20T00:00:00Z")),
        (SIGN_INS, json!({ "id": 7 }), sign_in("2", "2026-01-20T00:00:00Z")),
    ];
    for (list, row, missing) in lists {
        let counted = |row: &Value| {
            let mut page = page(list, std::slice::from_ref(row));
            page["@odata.count"] = json!(2);
            page
        };
        let partial = combined(&[roles.clone(), counted(&row), counted(&row)]);
        assert!(!partial.directory.as_ref().unwrap().admin_review(moment(), 30).unwrap().complete, "{row}");
        assert_eq!(messages(&partial, IssueKind::PageMissing).len(), 1, "{row}");

        let whole = combined(&[roles.clone(), counted(&row), open(counted(&missing)), counted(&row)]);
        let is_whole = whole.directory.as_ref().unwrap().admin_review(moment(), 30).unwrap().complete;
        assert_eq!(
            is_whole,
            messages(&whole, IssueKind::UnreadableRow).is_empty(),
            "a lost row may be an administrator's: {row}"
        );
        assert_eq!(messages(&whole, IssueKind::PageMissing).len(), 0, "{row}");
        let unreadable = messages(&whole, IssueKind::UnreadableRow);
        assert!(unreadable.iter().all(|message| message.ends_with(": 1")), "{unreadable:?}");
    }
}

#[test]
fn a_member_is_named_by_the_users_where_the_role_does_not() {
    let mut unnamed = member("A");
    unnamed.as_object_mut().unwrap().remove("userPrincipalName");
    let roles = page(ROLES, &[role(&[unnamed])]);
    let named = review(&[roles.clone(), page(USERS, &[user("a")])]);
    assert_eq!((named.admins[0].user_principal_name.as_str(), named.complete), ("a@example.com", true));

    let nameless = review(&[roles]);
    assert_eq!((nameless.count, nameless.complete, nameless.admins.len()), (Some(1), false, 0));
}

#[test]
fn the_strongest_registered_method_counts() {
    for (methods, expected) in [
        (&["email", "fido2SecurityKey", "mobilePhone"][..], MfaMethod::PhishingResistant),
        (&["passKeyDeviceBoundAuthenticator"], MfaMethod::PhishingResistant),
        (&["windowsHelloForBusiness"], MfaMethod::PhishingResistant),
        (&["softwareOneTimePasscode", "microsoftAuthenticatorPush"], MfaMethod::Authenticator),
        (&["microsoftAuthenticatorPasswordless"], MfaMethod::Authenticator),
        (&["hardwareOneTimePasscode", "mobilePhone"], MfaMethod::SoftwareOath),
        (&["officePhone", "mobilePhone"], MfaMethod::Sms),
        (&["officePhone", "email"], MfaMethod::Voice),
        (&["securityQuestion", "email"], MfaMethod::Email),
        (&["securityQuestion", "temporaryAccessPass"], MfaMethod::None),
        (&[], MfaMethod::None),
        (&["a method of tomorrow", "securityQuestion"], MfaMethod::Unknown),
        (&["a method of tomorrow", "email"], MfaMethod::Email),
    ] {
        let admin = administrator(&[page(REGISTRATIONS, &[registration("a", methods)])]);
        assert_eq!(admin.mfa_method, expected, "{methods:?}");
    }
    assert_eq!(administrator(&[page(REGISTRATIONS, &[registration("b", &[])])]).mfa_method, MfaMethod::Unknown);
}

#[test]
fn a_password_is_as_old_as_its_last_change() {
    for (change, age) in [
        (json!("2026-01-31T00:00:00.001Z"), Some(0)),
        (json!("2026-01-31T00:00:00Z"), Some(1)),
        (json!("2025-02-01T00:00:00Z"), Some(365)),
        (json!("2026-03-01T00:00:00Z"), Some(0)),
        (json!("long ago"), None),
        (json!(null), None),
    ] {
        let mut user = user("a");
        user["lastPasswordChangeDateTime"] = change.clone();
        assert_eq!(administrator(&[page(USERS, &[user])]).password_age_days, age, "{change}");
    }
}

#[test]
fn failed_sign_ins_are_counted_within_the_window() {
    let failed = |id: &str, time| sign_in(id, "a", time, 50126);
    let log = [
        failed("1", "2026-01-02T00:00:00Z"),
        failed("2", "2026-01-02T00:00:00.001Z"),
        failed("3", "2026-02-01T00:00:00Z"),
        failed("4", "2026-02-01T00:00:00.001Z"),
        sign_in("5", "a", "2026-01-20T00:00:00Z", 0),
        sign_in("6", "b", "2026-01-20T00:00:00Z", 50126),
        sign_in("7", "A", "2026-01-20T00:00:00Z", 50053),
    ];
    assert_eq!(administrator(&[page(SIGN_INS, &log)]).failed_sign_ins, 3);
    let twice = [page(SIGN_INS, &log), page(SIGN_INS, &log[1..3])];
    assert_eq!(administrator(&twice).failed_sign_ins, 3, "a page may come twice");
}

#[test]
fn a_sign_in_that_was_only_interrupted_did_not_fail() {
    for code in [50140, 50074, 50076, 50072] {
        let log = [sign_in("1", "a", "2026-01-20T00:00:00Z", code)];
        assert_eq!(administrator(&[page(SIGN_INS, &log)]).failed_sign_ins, 0, "{code}");
    }
    for code in [50126, 50053, 500_121, 53003] {
        let log = [sign_in("1", "a", "2026-01-20T00:00:00Z", code)];
        assert_eq!(administrator(&[page(SIGN_INS, &log)]).failed_sign_ins, 1, "{code}");
    }
}

/// Returns a sign-in of the administrator with one more property.
fn sign_in_with(property: &str, value: Value) -> Value {
    let mut row = sign_in("1", "a", "2026-01-20T00:00:00Z", 0);
    row[property] = value;
    row
}

fn policy(result: &str, control: &str) -> Value {
    let applied = json!([{ "displayName": "P", "result": result, "enforcedGrantControls": [control] }]);
    sign_in_with("appliedConditionalAccessPolicies", applied)
}

fn provider(name: &str) -> Value {
    sign_in_with("authenticationRequirementPolicies", json!([{ "requirementProvider": name, "detail": "" }]))
}

fn requirement(name: &str) -> Value {
    sign_in_with("authenticationRequirement", json!(name))
}

#[test]
fn enforcement_is_what_asked_for_a_second_factor() {
    for (log, expected) in [
        (vec![policy("success", "Mfa")], MfaEnforcement::CaPolicy),
        (vec![policy("failure", "Require multi-factor authentication")], MfaEnforcement::CaPolicy),
        (vec![policy("success", "RequireAuthenticationStrength")], MfaEnforcement::CaPolicy),
        (vec![policy("reportOnlySuccess", "Mfa")], MfaEnforcement::Unknown),
        (vec![policy("notApplied", "Mfa")], MfaEnforcement::Unknown),
        (vec![policy("success", "Block")], MfaEnforcement::Unknown),
        (vec![provider("multiConditionalAccess")], MfaEnforcement::CaPolicy),
        (vec![provider("securityDefaults")], MfaEnforcement::CaPolicy),
        (vec![provider("user")], MfaEnforcement::PerUser),
        (vec![provider("request")], MfaEnforcement::Unknown),
        (vec![provider("user"), policy("success", "mfa")], MfaEnforcement::CaPolicy),
        (vec![requirement("singleFactorAuthentication")], MfaEnforcement::None),
        (vec![requirement("multiFactorAuthentication")], MfaEnforcement::Unknown),
        (vec![requirement("singleFactorAuthentication"), provider("user")], MfaEnforcement::PerUser),
        (vec![sign_in("1", "a", "2026-01-20T00:00:00Z", 0)], MfaEnforcement::Unknown),
        (vec![], MfaEnforcement::Unknown),
    ] {
        assert_eq!(administrator(&[page(SIGN_INS, &log)]).mfa_enforcement, expected, "{log:?}");
    }
}

#[test]
fn enforcement_is_not_concluded_without_proof() {
    let single = || requirement("singleFactorAuthentication");
    let with = |property: &str, value: Value| {
        let mut row = single();
        row[property] = value;
        row
    };
    for row in [
        with("status", json!({ "errorCode": 50126 })),
        with("isInteractive", json!(false)),
        with("createdDateTime", json!("2025-12-01T00:00:00Z")),
        with("userId", json!("b")),
    ] {
        assert_eq!(
            administrator(&[page(SIGN_INS, std::slice::from_ref(&row))]).mfa_enforcement,
            MfaEnforcement::Unknown,
            "{row}"
        );
    }
}
