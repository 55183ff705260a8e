//! Accounts.

use model::Status::{NotAssessed, Open, Secure};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::{Case, domain, registrations, users, values, without_plan};
use crate::controls::snapshot::{GROUP, P2, Snapshot};

pub(super) fn cases() -> Vec<Case> {
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

fn methods(index: usize, field: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(
        at::AUTHENTICATION_METHODS_POLICY,
        &format!("authenticationMethodConfigurations/{index}/{field}"),
        value,
    )
}

fn settings(index: usize, value: &str) -> Snapshot {
    Snapshot::secure().put(at::GROUP_SETTINGS, &format!("value/1/values/{index}/value"), json!(value))
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

fn risky(state: &str, level: &str) -> Snapshot {
    Snapshot::secure().add(at::RISKY_USERS, json!({ "id": "1", "riskState": state, "riskLevel": level }))
}
