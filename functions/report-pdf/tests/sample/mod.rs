//! A report with every field and state.

use serde_json::{Value, json};

/// Returns a follow-up report.
pub(crate) fn follow_up() -> Value {
    let states = ["DRIFTED", "OPEN", "FIXED", "SECURE", "IN_PROGRESS", "NOT_ASSESSED"];
    let severities = [json!("CRITICAL"), json!("HIGH"), json!("MEDIUM"), json!("LOW"), Value::Null, json!("HIGH")];
    let categories =
        ["CONDITIONAL_ACCESS", "ACCOUNTS", "GLOBAL_ADMINS", "APPS_DIRECTORY", "EXTERNAL_SHARING", "EXCHANGE"];
    let checks: Vec<_> = (0..6)
        .map(|at| {
            json!({
                "controlId": format!("CTL.{at}"), "category": categories[at], "name": format!("Office files, fi and ffl {at}"),
                "status": states[at], "severity": severities[at], "currentState": format!("Now it is so {at}"),
                "previousState": format!("Before it was so {at}"), "why": format!("It matters -> because {at}"),
                "suggestedFix": format!("Do this and that {at}"), "observedUsage": format!("Seen 3 times {at}"),
            })
        })
        .collect();
    json!({
        "id": "rpt_1", "url": "https://dashboard.example.com/tenants/ten_1/reports/rpt_1",
        "tenant": {
            "serviceTenantId": "ten_1", "name": "Fabrikam",
            "providerTenantId": "ca08493a-c9c8-4db0-a9e8-d3b4bafac269",
        },
        "reportType": "FOLLOW_UP",
        "baseline": { "id": "rpt_0", "score": 67, "completedAt": "2024-08-02T19:25:11.166Z" },
        "createdAt": "2025-10-06T22:30:50.000Z", "completedAt": "2025-10-06T22:30:54.153Z", "activityLookbackDays": 30,
        "score": 74, "grade": "C", "previousScore": 67, "previousGrade": "D",
        "controls": {
            "assessed": 5, "secure": 1, "fixed": 1, "inProgress": 1, "open": 1, "drifted": 1, "notAssessed": 1,
        },
        "globalAdmins": {
            "count": 2, "previousCount": 3, "bestPracticeMax": 4, "strongMfaCount": 1, "dataComplete": false,
            "admins": [{
                "userPrincipalName": "l.haddad@fabrikam.example", "status": "OPEN", "mfaEnforcement": "NONE",
                "mfaMethod": "SMS", "mfaMethodStrong": false, "passwordAgeDays": 143, "passwordAgeWarning": true,
                "failedSignIns": 27,
            }],
        },
        "topRisks": [
            { "controlId": "CTL.0", "name": "Office files, fi and ffl 0", "status": "DRIFTED", "severity": "CRITICAL" },
            { "controlId": "CTL.1", "name": "Office files, fi and ffl 1", "status": "OPEN", "severity": "HIGH" },
        ],
        "checks": checks,
    })
}
