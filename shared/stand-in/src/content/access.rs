//! Conditional access.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::people::ADMINISTRATORS;
use super::{Rows, time};
use crate::query::Query;
use crate::tenant::{Plan, View};

pub(crate) fn policies<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let tenant = view.tenant;
    let mut rows = Vec::new();
    if tenant.plan.includes(Plan::P1) {
        let state = if tenant.has("old clients blocked") { "enabled" } else { "enabledForReportingButNotEnforced" };
        rows.push(policy(view, 0, "Block old clients", state, &["exchangeActiveSync", "other"], "block"));
        let state = if tenant.has("second factor") { "enabled" } else { "disabled" };
        rows.push(policy(view, 1, "Require a second factor", state, &["all"], "mfa"));
    }
    Rows::given(rows)
}

fn policy(view: View, place: usize, name: &str, state: &str, clients: &[&str], control: &str) -> Value {
    let View { tenant, now } = view;
    let emergency = tenant.object("user", ADMINISTRATORS - 1);
    json!({
        "id": tenant.object("policy", place),
        "displayName": name,
        "state": state,
        "createdDateTime": time(now - TimeDelta::days(300)),
        "modifiedDateTime": Value::Null,
        "templateId": Value::Null,
        "conditions": {
            "clientAppTypes": clients,
            "signInRiskLevels": [],
            "userRiskLevels": [],
            "servicePrincipalRiskLevels": [],
            "platforms": Value::Null,
            "locations": Value::Null,
            "devices": Value::Null,
            "clientApplications": Value::Null,
            "applications": {
                "includeApplications": ["All"],
                "excludeApplications": [],
                "includeUserActions": [],
                "includeAuthenticationContextClassReferences": [],
                "applicationFilter": Value::Null,
            },
            "users": {
                "includeUsers": ["All"],
                "excludeUsers": [emergency],
                "includeGroups": [],
                "excludeGroups": [],
                "includeRoles": [],
                "excludeRoles": [],
                "includeGuestsOrExternalUsers": Value::Null,
                "excludeGuestsOrExternalUsers": Value::Null,
            },
        },
        "grantControls": {
            "operator": "OR",
            "builtInControls": [control],
            "customAuthenticationFactors": [],
            "termsOfUse": [],
            "authenticationStrength": Value::Null,
        },
        "sessionControls": Value::Null,
    })
}

pub(crate) fn locations<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    let office = json!({
        "@odata.type": "#microsoft.graph.ipNamedLocation",
        "id": tenant.object("location", 0),
        "displayName": "Office",
        "isTrusted": true,
        "createdDateTime": time(now - TimeDelta::days(400)),
        "modifiedDateTime": time(now - TimeDelta::days(400)),
        "ipRanges": [{ "@odata.type": "#microsoft.graph.iPv4CidrRange", "cidrAddress": "203.0.113.0/24" }],
    });
    Rows::given(if tenant.plan.includes(Plan::P1) { vec![office] } else { Vec::new() })
}
