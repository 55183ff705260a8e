//! Global administrators.

use model::Status::{NotAssessed, Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::{Case, registrations, users, without_plan};
use crate::controls::snapshot::{
    ADMIN, EMERGENCY, GROUP, GUEST, OTHER_ADMIN, P2, ROLES, Snapshot, VENDOR, assignment, page, sign_in,
};

pub(super) fn cases() -> Vec<Case> {
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
