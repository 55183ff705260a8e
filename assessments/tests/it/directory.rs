//! Exports of a directory: administrators, usage, billable users.

use assessments::{
    AdminReview, Administrator, Combined, Directory, IssueKind, LicensesUnknown, TRIAL_DAYS, Terms, combine, read,
};
use chrono::NaiveDate;
use proptest::prelude::*;
use serde_json::{Value, json};
use shared::model::{BillableStatus, MfaEnforcement, MfaMethod, Timestamp};

use crate::support::{results, row};

const TENANT: &str = "11111111-2222-3333-4444-555555555555";
const TOP_ROLE: &str = "62e90394-69f5-4237-9190-012177145e10";
const USERS: &str = "users";
const ROLES: &str = "directoryRoles";
const MEMBERS: &str = "directoryObjects";
const REGISTRATIONS: &str = "reports/authenticationMethods/userRegistrationDetails";
const SIGN_INS: &str = "auditLogs/signIns";
const SUBSCRIPTIONS: &str = "subscribedSkus";

fn page(list: &str, rows: &[Value]) -> Value {
    json!({ "@odata.context": format!("https://graph.example/v1.0/$metadata#{list}"), "value": rows })
}

/// The same page as one that the list goes on after.
fn open(mut page: Value) -> Value {
    page["@odata.nextLink"] = json!("https://graph.example/v1.0/next?$skiptoken=x");
    page
}

fn combined(files: &[Value]) -> Combined {
    combine(files.iter().flat_map(|file| read(&file.to_string().into_bytes()).unwrap()))
}

fn directory(files: &[Value]) -> Directory {
    combined(files).directory.unwrap()
}

fn user(id: &str) -> Value {
    json!({
        "id": id,
        "userPrincipalName": format!("{id}@example.com"),
        "displayName": format!("Person {id}"),
        "mail": null,
        "accountEnabled": true,
        "assignedLicenses": [{ "disabledPlans": [], "skuId": "sku-1" }],
        "lastPasswordChangeDateTime": "2026-01-01T12:00:00Z",
    })
}

fn member(id: &str) -> Value {
    json!({
        "@odata.type": "#microsoft.graph.user",
        "id": id,
        "userPrincipalName": format!("{id}@example.com"),
        "businessPhones": [],
    })
}

fn role(members: &[Value]) -> Value {
    json!({ "id": "r", "displayName": "Global Administrator", "roleTemplateId": TOP_ROLE, "members": members })
}

fn registration(id: &str, methods: &[&str]) -> Value {
    json!({ "id": id, "userPrincipalName": format!("{id}@example.com"), "methodsRegistered": methods })
}

fn sign_in(id: &str, user: &str, time: &str, error: i64) -> Value {
    json!({
        "id": id,
        "userId": user,
        "userPrincipalName": format!("{user}@example.com"),
        "createdDateTime": time,
        "appDisplayName": "Portal",
        "isInteractive": true,
        "status": { "errorCode": error },
    })
}

fn subscription(tenant: &str) -> Value {
    json!({ "id": format!("{tenant}_sku-1"), "skuId": "sku-1", "accountId": tenant, "consumedUnits": 2 })
}

fn moment() -> Timestamp {
    "2026-02-01T00:00:00Z".parse().unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn review(files: &[Value]) -> AdminReview {
    directory(files).admin_review(moment(), 30).unwrap()
}

/// The review of one administrator, `a`, with these further files.
fn administrator(files: &[Value]) -> Administrator {
    let mut all = vec![page(ROLES, &[role(&[member("a")])])];
    all.extend_from_slice(files);
    let mut review = review(&all);
    assert_eq!(review.admins.len(), 1);
    review.admins.remove(0)
}

fn messages(combined: &Combined, kind: IssueKind) -> Vec<&str> {
    let found = combined.issues.iter().filter(|issue| issue.kind == kind);
    found.map(|issue| issue.message.as_str()).collect()
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
fn what_no_file_tells_is_unknown_and_reported() {
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
fn members_come_with_the_role_or_in_pages_of_their_own() {
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

/// A sign-in of the administrator with one more property.
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
fn enforcement_is_not_told_by_what_proves_nothing() {
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

#[test]
fn the_administrators_of_the_exports_stand_in_for_the_tools_own() {
    let file = String::from_utf8(results(&[row("MS.AAD.1.1v1", "Pass")])).unwrap();
    let own: Value = serde_json::from_str(&file).unwrap();
    let roles = page(ROLES, &[role(&[member("a")])]);
    let skus = |tenant: &str| page(SUBSCRIPTIONS, &[subscription(tenant)]);

    let mut reviewed = combined(&[own.clone(), roles.clone()]);
    assert!(reviewed.runs[0].issues.iter().any(|issue| issue.kind == IssueKind::AdministratorsUnknown));
    reviewed.review_admins(moment(), 30);
    assert_eq!(reviewed.runs[0].admins.count, Some(1));
    assert!(reviewed.runs[0].issues.iter().all(|issue| issue.kind != IssueKind::AdministratorsUnknown));

    let mut foreign = combined(&[own.clone(), roles.clone(), skus("99999999-2222-3333-4444-555555555555")]);
    foreign.review_admins(moment(), 30);
    assert_eq!(foreign.runs[0].admins.count, None, "the exports are of another tenant");

    let mut other = own.clone();
    other["MetaData"]["TenantId"] = json!("99999999-2222-3333-4444-555555555555");
    let mut named = combined(&[own.clone(), other.clone(), roles.clone(), skus(TENANT)]);
    named.review_admins(moment(), 30);
    let counts: Vec<_> = named.runs.iter().map(|run| run.admins.count).collect();
    assert_eq!(counts, [Some(1), None]);

    let mut ambiguous = combined(&[own, other, roles]);
    ambiguous.review_admins(moment(), 30);
    assert!(ambiguous.runs.iter().all(|run| run.admins.count.is_none()));
    assert_eq!(messages(&ambiguous, IssueKind::TenantsMixed).len(), 1);
}

#[test]
fn exports_of_several_tenants_are_left_out() {
    let skus = ["1", "2"].map(|digit| {
        let tenant = format!("{digit}1111111-2222-3333-4444-555555555555");
        page(SUBSCRIPTIONS, &[subscription(&tenant)])
    });
    let combined = combined(&[skus[0].clone(), page(USERS, &[user("a")]), skus[1].clone()]);
    assert!(combined.directory.is_none());
    assert_eq!(messages(&combined, IssueKind::TenantsMixed).len(), 1);
}

fn terms(onboarding: &str) -> Terms {
    Terms { onboarding_date: day(onboarding), trial_days: TRIAL_DAYS, is_paused: false, is_not_for_resale: false }
}

#[test]
fn usage_follows_from_users_and_terms() {
    let mut unlicensed = user("b");
    unlicensed["assignedLicenses"] = json!([]);
    let directory = directory(&[page(USERS, &[user("a"), unlicensed, user("c")])]);
    let paused = Terms { is_paused: true, ..terms("2026-01-01") };
    let not_for_resale = Terms { is_not_for_resale: true, ..paused };
    let no_trial = Terms { trial_days: 0, ..terms("2026-02-08") };
    for (terms, on, first, status, billable, share) in [
        (terms("2026-01-01"), "2026-02-10", "2026-01-15", BillableStatus::Active, 2, 100.0),
        (terms("2026-01-01"), "2026-01-15", "2026-01-15", BillableStatus::Active, 2, 54.84),
        (terms("2026-01-01"), "2026-01-14", "2026-01-15", BillableStatus::Trial, 2, 54.84),
        (terms("2026-01-18"), "2026-01-31", "2026-02-01", BillableStatus::Trial, 0, 0.0),
        (terms("2026-01-18"), "2026-02-01", "2026-02-01", BillableStatus::Active, 2, 100.0),
        (no_trial, "2026-02-08", "2026-02-08", BillableStatus::Active, 2, 75.0),
        (paused, "2026-02-10", "2026-01-15", BillableStatus::Paused, 0, 0.0),
        (not_for_resale, "2026-02-10", "2026-01-15", BillableStatus::NotForResale, 0, 0.0),
    ] {
        let usage = directory.usage(&terms, day(on)).unwrap();
        assert_eq!((usage.first_billable_date, usage.billable_status), (day(first), status), "{terms:?} on {on}");
        assert_eq!(usage.total_licensed_users, 2);
        assert_eq!((usage.billable_users_this_month, usage.prorating_percentage_this_month), (billable, share));
    }
}

#[test]
fn the_last_and_the_leap_days_of_months_count() {
    let directory = directory(&[page(USERS, &[])]);
    let share = |first: &str, on: &str| {
        let terms = Terms { trial_days: 0, ..terms(first) };
        directory.usage(&terms, day(on)).unwrap().prorating_percentage_this_month
    };
    assert_eq!(share("2026-12-31", "2026-12-31"), 3.23);
    assert_eq!(share("2028-02-29", "2028-02-01"), 3.45);
    assert_eq!(share("2028-02-29", "2028-01-31"), 0.0);
}

#[test]
fn billable_users_are_those_with_a_licence() {
    let mut first = user("B");
    first["mail"] = json!("mail@example.com");
    first["accountEnabled"] = json!(false);
    first["assignedLicenses"] = json!([{ "skuId": "sku-2" }, { "skuId": "sku-1" }]);
    let mut second = user("a");
    second["displayName"] = json!(null);
    let mut guest = user("c");
    guest["assignedLicenses"] = json!([]);
    let users = directory(&[page(USERS, &[first, guest, second])]).billable_users().unwrap();
    insta::assert_json_snapshot!("billable_users", users);
}

#[test]
fn who_is_licensed_is_not_guessed() {
    let mut unasked = user("a");
    unasked.as_object_mut().unwrap().remove("assignedLicenses");
    for (files, reason) in [
        (vec![page(ROLES, &[role(&[member("a")])])], LicensesUnknown::NoUsers),
        (vec![open(page(USERS, &[user("a")]))], LicensesUnknown::PageMissing),
        (vec![page(USERS, &[user("b"), unasked.clone()])], LicensesUnknown::NoLicenses),
    ] {
        let directory = directory(&files);
        assert_eq!(directory.billable_users().unwrap_err(), reason);
        assert_eq!(directory.usage(&terms("2026-01-01"), day("2026-02-10")).unwrap_err(), reason);
    }
    let completed = directory(&[page(USERS, &[unasked]), page(USERS, &[user("a")])]);
    assert_eq!(completed.billable_users().unwrap().len(), 1, "pages that were asked for other properties complete it");
}

#[test]
fn lists_are_recognized_by_their_context_or_their_rows() {
    for context in ["users(id,userPrincipalName,assignedLicenses)", "users/$entity"] {
        assert_eq!(directory(&[page(context, &[user("a")])]).billable_users().unwrap().len(), 1, "{context}");
    }
    let with_properties = page("directoryRoles(members())", &[role(&[member("a")])]);
    assert_eq!(review(&[with_properties]).count, Some(1));

    let bare = [
        json!([user("a")]),
        json!([role(&[member("a")])]),
        json!({ "value": [registration("a", &["email"])] }),
        sign_in("1", "a", "2026-01-20T00:00:00Z", 50126),
    ];
    let admin = &review(&bare).admins[0];
    assert_eq!((admin.mfa_method, admin.password_age_days, admin.failed_sign_ins), (MfaMethod::Email, Some(30), 1));
}

#[test]
fn broken_rows_are_counted_and_others_read() {
    let combined = combined(&[page(USERS, &[json!({ "id": 7 }), user("a"), json!("no user")])]);
    assert_eq!(
        messages(&combined, IssueKind::UnreadableRow),
        ["rows of the list of users that are none were left out: 2"]
    );
    assert_eq!(combined.directory.unwrap().billable_users().unwrap().len(), 1);
}

proptest! {
    #[test]
    fn the_order_of_pages_and_rows_never_matters(
        rows in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
        split in 0..7_usize,
        reversed in any::<bool>(),
    ) {
        let ids = |numbers: &[usize]| numbers.iter().map(|number| format!("u{number}")).collect::<Vec<_>>();
        let pages = |list: &str, row: fn(&str) -> Value| {
            let (first, second) = rows.split_at(split.min(rows.len()));
            let of = |numbers: &[usize]| page(list, &ids(numbers).iter().map(|id| row(id)).collect::<Vec<_>>());
            [open(of(first)), of(second)]
        };
        let mut files: Vec<Value> = [pages(USERS, user), pages(MEMBERS, member)].into_iter().flatten().collect();
        if reversed {
            files.reverse();
        }
        let directory = directory(&files);
        let review = directory.admin_review(moment(), 30).unwrap();
        let names: Vec<_> = review.admins.iter().map(|admin| admin.user_principal_name.as_str()).collect();
        prop_assert_eq!(names, (0..6).map(|number| format!("u{number}@example.com")).collect::<Vec<_>>());
        prop_assert!(review.complete);
        prop_assert_eq!(directory.billable_users().unwrap().len(), 6);
    }
}
