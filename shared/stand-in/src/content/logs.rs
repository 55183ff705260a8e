//! Logs, which are invented page by page.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::people::{ADMINISTRATORS, person};
use super::{Rows, time};
use crate::query::{Filter, Query};
use crate::tenant::View;

/// Days that sign-ins are kept.
const DAYS: usize = 30;
/// Sign-ins of a user in a day.
const A_DAY: usize = 5;

/// Returns the sign-ins, newest first. A filter that names users or clients is served from them alone: the log of a
/// large tenant has millions of rows.
pub(crate) fn sign_ins<'a>(view: View<'a>, query: &Query, _: &str) -> Rows<'a> {
    let filter = query.filter().flatten();
    let users = view.tenant.users;
    let Some(filter) = filter else {
        return Rows::new(users * A_DAY * DAYS, move |place| {
            sign_in(view, place % users, place / users % A_DAY, place / (users * A_DAY), false)
        });
    };
    let mut rows = Vec::new();
    for place in chosen(view, &filter) {
        for day in 0..DAYS {
            for of_day in 0..A_DAY {
                rows.push(sign_in(view, place, of_day, day, false));
            }
        }
    }
    if filter.values("clientAppUsed").contains(&"IMAP4") {
        rows.extend(old_users(view).map(|place| sign_in(view, place, 0, place % DAYS, true)));
    }
    rows.retain(|row| filter.accepts(row));
    rows.sort_by(|a, b| b["createdDateTime"].as_str().cmp(&a["createdDateTime"].as_str()));
    Rows::given(rows)
}

/// Returns the places of the users whom a filter names. Only those of administrators are known by their identifiers.
fn chosen(view: View, filter: &Filter) -> Vec<usize> {
    let ids = filter.values("userId");
    let known = 0..view.tenant.users.min(ADMINISTRATORS + 2);
    known.filter(|place| ids.contains(&view.tenant.object("user", *place).as_str())).collect()
}

/// Returns the users of clients that cannot ask for a second factor: few, and none in some tenants.
fn old_users(view: View<'_>) -> impl Iterator<Item = usize> + '_ {
    let some = !view.tenant.has("modern clients");
    (ADMINISTRATORS + 2..view.tenant.users).step_by(97).take(200).filter(move |_| some)
}

fn sign_in(view: View, place: usize, of_day: usize, day: usize, is_old: bool) -> Value {
    let View { tenant, now } = view;
    let person = person(tenant, place);
    let minutes = (day * 24 * 60 + of_day * 170 + place % 97 + 20).cast_signed() as i64;
    let failed = (place + of_day + day).is_multiple_of(19);
    let status = match failed {
        true => json!({
            "errorCode": 50_126,
            "failureReason": "Error validating credentials due to invalid username or password.",
            "additionalDetails": Value::Null,
        }),
        false => json!({ "errorCode": 0, "failureReason": "Other.", "additionalDetails": Value::Null }),
    };
    json!({
        "id": tenant.object("sign-in", (place * A_DAY + of_day) * DAYS + day),
        "createdDateTime": time(now - TimeDelta::minutes(minutes)),
        "userId": person.id,
        "userDisplayName": person.name,
        "userPrincipalName": person.sign_in_name.to_lowercase(),
        "appId": "00000002-0000-0ff1-ce00-000000000000",
        "appDisplayName": "Office 365 Exchange Online",
        "clientAppUsed": if is_old { "IMAP4" } else { "Browser" },
        "conditionalAccessStatus": "notApplied",
        "isInteractive": true,
        "ipAddress": "203.0.113.7",
        "riskDetail": "none",
        "riskLevelAggregated": "none",
        "riskLevelDuringSignIn": "none",
        "riskState": "none",
        "riskEventTypes_v2": [],
        "status": status,
    })
}

pub(crate) fn audits<'a>(view: View<'a>, query: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    let row = |place: usize| {
        let (category, activity) = match place % 3 {
            0 => ("RoleManagement", "Add member to role completed (PIM activation)"),
            1 => ("ApplicationManagement", "Consent to application"),
            _ => ("UserManagement", "Invite external user"),
        };
        json!({
            "id": format!("Directory_{}", tenant.object("audit", place)),
            "activityDateTime": time(now - TimeDelta::hours(5 + 9 * place.cast_signed() as i64)),
            "activityDisplayName": activity,
            "category": category,
            "correlationId": tenant.object("correlation", place),
            "loggedByService": "Core Directory",
            "operationType": "Add",
            "result": "success",
            "resultReason": "",
            "additionalDetails": [],
            "initiatedBy": { "app": Value::Null, "user": {
                "id": tenant.object("user", place % ADMINISTRATORS),
                "displayName": Value::Null,
                "userPrincipalName": person(tenant, place % ADMINISTRATORS).sign_in_name,
                "ipAddress": "203.0.113.7",
            } },
            "targetResources": [],
        })
    };
    let filter = query.filter().flatten();
    let rows = (0..60).map(row).filter(|row| filter.as_ref().is_none_or(|filter| filter.accepts(row)));
    Rows::given(rows.collect())
}

pub(crate) fn risky_users<'a>(view: View<'a>, _: &Query, _: &str) -> Rows<'a> {
    let View { tenant, now } = view;
    let some = !tenant.has("no risk") && tenant.users > 6;
    let person = person(tenant, 6);
    let user = json!({
        "id": person.id,
        "userDisplayName": person.name,
        "userPrincipalName": person.sign_in_name,
        "isDeleted": false,
        "isProcessing": false,
        "riskDetail": "none",
        "riskLevel": "high",
        "riskState": "atRisk",
        "riskLastUpdatedDateTime": time(now - TimeDelta::days(3)),
    });
    Rows::given(if some { vec![user] } else { Vec::new() })
}
