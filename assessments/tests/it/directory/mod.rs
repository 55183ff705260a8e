//! Exports of a directory: administrators, usage, billable users.

pub(crate) mod activity;
mod admins;
mod documented;
mod holders;
mod sources;
mod usage;

use assessments::{AdminReview, Combined, Directory, IssueKind, LicensesUnknown, combine, read};
use model::{MfaMethod, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{results, row};

const TENANT: &str = "11111111-2222-3333-4444-555555555555";
const TOP_ROLE: &str = "62e90394-69f5-4237-9190-012177145e10";
const USERS: &str = "users";
const ROLES: &str = "directoryRoles";
const MEMBERS: &str = "directoryObjects";
const REGISTRATIONS: &str = "reports/authenticationMethods/userRegistrationDetails";
const SIGN_INS: &str = "auditLogs/signIns";
const ASSIGNMENTS: &str = "roleManagement/directory/roleAssignmentScheduleInstances";
const ELIGIBILITIES: &str = "roleManagement/directory/roleEligibilityScheduleInstances";
const POLICIES: &str = "identity/conditionalAccess/policies";
const SUBSCRIPTIONS: &str = "subscribedSkus";

fn page(list: &str, rows: &[Value]) -> Value {
    json!({ "@odata.context": format!("https://graph.example/v1.0/$metadata#{list}"), "value": rows })
}

/// Returns the same page with a link to a next page.
fn open(mut page: Value) -> Value {
    page["@odata.nextLink"] = json!("https://graph.example/v1.0/next?$skiptoken=x");
    page
}

fn combined(files: &[Value]) -> Combined {
    combine(files.iter().map(|file| read(&file.to_string().into_bytes()).unwrap()))
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

fn review(files: &[Value]) -> AdminReview {
    directory(files).admin_review(moment(), 30).unwrap()
}

fn messages(combined: &Combined, kind: IssueKind) -> Vec<&str> {
    let found = combined.issues.iter().filter(|issue| issue.kind == kind);
    found.map(|issue| issue.message.as_str()).collect()
}

#[test]
fn the_administrators_of_the_exports_replace_the_tools_own() {
    let file = String::from_utf8(results(&[row("MS.AAD.1.1v1", "Pass")])).unwrap();
    let own: Value = serde_json::from_str(&file).unwrap();
    let roles = page(ROLES, &[role(&[member("a")])]);
    let skus = |tenant: &str| page(SUBSCRIPTIONS, &[subscription(tenant)]);

    let mut reviewed = combined(&[own.clone(), roles.clone()]);
    assert!(reviewed.runs[0].issues.iter().any(|issue| issue.kind == IssueKind::AdministratorsUnknown));
    reviewed.review_admins(Some(30));
    assert_eq!(reviewed.runs[0].admins.count, Some(1));
    assert!(reviewed.runs[0].issues.iter().all(|issue| issue.kind != IssueKind::AdministratorsUnknown));

    let mut of_run = combined(&[own.clone(), roles.clone(), page(USERS, &[user("a")])]);
    let end = of_run.runs[0].completed.unwrap();
    let password_age = |combined: &Combined| combined.runs[0].admins.admins[0].password_age_days;
    of_run.review_admins(Some(30));
    let at_the_end_of_the_run = password_age(&of_run);
    of_run.runs[0].completed = Some(moment());
    of_run.review_admins(Some(30));
    assert_ne!((end, at_the_end_of_the_run), (moment(), password_age(&of_run)));

    let mut foreign = combined(&[own.clone(), roles.clone(), skus("99999999-2222-3333-4444-555555555555")]);
    foreign.review_admins(Some(30));
    assert_eq!(foreign.runs[0].admins.count, None, "the exports are of another tenant");

    let mut other = own.clone();
    other["MetaData"]["TenantId"] = json!("99999999-2222-3333-4444-555555555555");
    let mut named = combined(&[own.clone(), other.clone(), roles.clone(), skus(TENANT)]);
    named.review_admins(Some(30));
    let counts: Vec<_> = named.runs.iter().map(|run| run.admins.count).collect();
    assert_eq!(counts, [Some(1), None]);

    let mut ambiguous = combined(&[own, other, roles]);
    ambiguous.review_admins(Some(30));
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

#[test]
fn lists_are_recognized_by_their_context_or_their_rows() {
    for context in ["users(id,userPrincipalName,assignedLicenses)", "users/$entity"] {
        assert_eq!(directory(&[page(context, &[user("a")])]).users().unwrap().len(), 1, "{context}");
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
    assert_eq!(messages(&combined, IssueKind::UnreadableRow), ["skipped malformed rows in the list of users: 2"]);
    let directory = combined.directory.unwrap();
    assert_eq!(directory.users().unwrap_err(), LicensesUnknown::UnreadableRows(2), "a bill needs all of them");
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
        prop_assert_eq!(directory.users().unwrap().len(), 6);
    }
}
