//! Report bodies, as in the contract.

use serde_json::{Value, json};

/// Returns a first assessment: all nullable fields are null.
pub(crate) fn baseline_report(completed_at: &str) -> Value {
    json!({
        "reportType": "BASELINE",
        "baseline": null,
        "createdAt": "2026-05-01T08:00:00.000Z",
        "completedAt": completed_at,
        "activityLookbackDays": 30,
        "score": 42,
        "grade": "F",
        "previousScore": null,
        "previousGrade": null,
        "controls": {
            "assessed": 3, "secure": 1, "fixed": 0, "inProgress": 1, "open": 1, "drifted": 0, "notAssessed": 1,
        },
        "globalAdmins": {
            "count": 3,
            "previousCount": null,
            "bestPracticeMax": 4,
            "strongMfaCount": 0,
            "dataComplete": false,
            "admins": [],
        },
        "topRisks": [
            { "controlId": "X.1", "name": "First", "status": "OPEN", "severity": null },
        ],
        "checks": [
            check("X.1", "CONDITIONAL_ACCESS", "OPEN", Value::Null),
            check("X.2", "ACCOUNTS", "SECURE", json!("LOW")),
            check("X.3", "APPS_DIRECTORY", "IN_PROGRESS", json!("MEDIUM")),
            check("X.4", "EXCHANGE", "NOT_ASSESSED", json!("HIGH")),
        ],
    })
}

fn check(id: &str, category: &str, status: &str, severity: Value) -> Value {
    json!({
        "controlId": id,
        "category": category,
        "name": format!("Control {id}"),
        "status": status,
        "severity": severity,
        "currentState": "As it is.",
        "previousState": null,
        "why": null,
        "suggestedFix": null,
        "observedUsage": null,
    })
}

/// Returns a later assessment: no nullable field is null, and every enum has values that the first one lacks.
pub(crate) fn follow_up_report(completed_at: &str) -> Value {
    json!({
        "reportType": "FOLLOW_UP",
        "baseline": { "id": "rpt_baseline", "score": 42, "completedAt": "2026-05-01T08:30:00.000Z" },
        "createdAt": "2026-06-01T08:00:00.000Z",
        "completedAt": completed_at,
        "activityLookbackDays": 90,
        "score": 91,
        "grade": "A",
        "previousScore": 42,
        "previousGrade": "F",
        "controls": {
            "assessed": 2, "secure": 0, "fixed": 1, "inProgress": 0, "open": 0, "drifted": 1, "notAssessed": 0,
        },
        "globalAdmins": {
            "count": 8,
            "previousCount": 3,
            "bestPracticeMax": 4,
            "strongMfaCount": 2,
            "dataComplete": true,
            "admins": [
                admin("SECURE", "CA_POLICY", "PHISHING_RESISTANT", true),
                admin("FIXED", "PER_USER", "AUTHENTICATOR", true),
                admin("DRIFTED", "NONE", "SOFTWARE_OATH", false),
                admin("OPEN", "UNKNOWN", "SMS", false),
                admin("OPEN", "NONE", "VOICE", false),
                admin("OPEN", "NONE", "EMAIL", false),
                admin("IN_PROGRESS", "NONE", "NONE", false),
                admin("NOT_ASSESSED", "UNKNOWN", "UNKNOWN", false),
            ],
        },
        "topRisks": [
            { "controlId": "Y.1", "name": "Second", "status": "DRIFTED", "severity": "CRITICAL" },
        ],
        "checks": [
            full_check("Y.1", "GLOBAL_ADMINS", "DRIFTED"),
            full_check("Y.2", "EXTERNAL_SHARING", "FIXED"),
        ],
    })
}

fn admin(status: &str, enforcement: &str, method: &str, strong: bool) -> Value {
    json!({
        "userPrincipalName": format!("{}@example.org", method.to_lowercase()),
        "status": status,
        "mfaEnforcement": enforcement,
        "mfaMethod": method,
        "mfaMethodStrong": strong,
        "passwordAgeDays": (status != "NOT_ASSESSED").then_some(101),
        "passwordAgeWarning": status != "NOT_ASSESSED",
        "failedSignIns": 7,
    })
}

fn full_check(id: &str, category: &str, status: &str) -> Value {
    json!({
        "controlId": id,
        "category": category,
        "name": "Names with \"quotes\", \\ and ünïcödé \u{1f512}",
        "status": status,
        "severity": "CRITICAL",
        "currentState": "Now.",
        "previousState": "Then.",
        "why": "Because.",
        "suggestedFix": "Do this.\nThen that.",
        "observedUsage": "Nobody used it.",
    })
}

/// Returns a report of about 70 KB of JSON; each number has a different report.
pub(crate) fn large_report(completed_at: &str, number: usize) -> Value {
    let mut report = baseline_report(completed_at);
    let state = |check: usize| format!("State {check} of report {number}. ").repeat(12);
    report["checks"] = (0..150)
        .map(|number| {
            let mut check = check(&format!("L.{number}"), "EXCHANGE", "OPEN", json!("HIGH"));
            check["currentState"] = state(number).into();
            check
        })
        .collect();
    report
}
