//! Every control: secure, open, not assessed, and its edges. A file for each category.

mod accounts;
mod administrators;
mod applications;
mod conditional_access;
mod mail;
mod sharing;

use std::collections::BTreeMap;

use model::Status::{self, NotAssessed, Open};
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::NOT_READ;
use super::snapshot::{P1, P2, Snapshot};

/// A control, an edge, and the result.
type Case = (&'static str, &'static str, Snapshot, Status);

const CA: &str = at::CONDITIONAL_ACCESS_POLICIES;

fn cases() -> Vec<Case> {
    [
        conditional_access::cases(),
        accounts::cases(),
        administrators::cases(),
        applications::cases(),
        sharing::cases(),
        mail::cases(),
    ]
    .concat()
}

#[test]
fn every_edge_has_its_result() {
    let mut wrong = Vec::new();
    for (id, edge, snapshot, expected) in cases() {
        let (status, state) = snapshot.results().remove(id).unwrap();
        if status != expected {
            wrong.push(format!("{id}, {edge}: {status:?} instead of {expected:?}: {state}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_control_is_shown_open_and_not_assessed() {
    let mut seen: BTreeMap<&str, Vec<Status>> = BTreeMap::new();
    for (id, _, _, status) in cases() {
        seen.entry(id).or_default().push(status);
    }
    for id in Snapshot::secure().results().into_keys().filter(|id| !NOT_READ.contains(&id.as_str())) {
        let statuses = seen.get(id.as_str()).unwrap_or_else(|| panic!("{id} has no case"));
        assert!(statuses.contains(&Open) && statuses.contains(&NotAssessed), "{id}: {statuses:?}");
    }
}

/// Returns a case for each value of a field of an endpoint with one object.
fn values(id: &'static str, endpoint: &str, path: &str, values: &[(Value, Status)]) -> Vec<Case> {
    let changed = |value: &Value| Snapshot::secure().put(endpoint, path, value.clone());
    let with_value = values.iter().map(|(value, status)| (id, "a value", changed(value), *status));
    let strange = [Value::Null, json!("strange"), json!({}), json!([[]])];
    let of_other_types = strange.iter().map(|value| (id, "a value of another type", changed(value), NotAssessed));
    let refused = Snapshot::secure().failing(endpoint, 403, "Authorization_RequestDenied");
    with_value.chain(of_other_types).chain([(id, "no permission", refused, NotAssessed)]).collect()
}

fn without_plan(plan: &str) -> Snapshot {
    Snapshot::secure().rows(at::SUBSCRIBED_SKUS, |rows| {
        rows[0]["servicePlans"].as_array_mut().unwrap().retain(|it| it["servicePlanId"] != plan);
    })
}

/// Returns the tenant without a plan for conditional access.
fn unlicensed() -> Snapshot {
    without_plan(P1).rows(at::SUBSCRIBED_SKUS, |rows| {
        rows[0]["servicePlans"].as_array_mut().unwrap().retain(|it| it["servicePlanId"] != P2);
    })
}

fn with_defaults(snapshot: Snapshot) -> Snapshot {
    snapshot.put(at::SECURITY_DEFAULTS, "isEnabled", json!(true))
}

fn users(index: usize, field: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(at::USERS, &format!("value/{index}/{field}"), value)
}

fn registrations(index: usize, field: &str, value: Value) -> Snapshot {
    Snapshot::secure().put(at::REGISTRATIONS, &format!("value/{index}/{field}"), value)
}

fn domain(name: &str, field: &str, value: Value) -> Value {
    let mut domain = json!({
        "id": name, "isVerified": true, "isRoot": true, "authenticationType": "Managed",
        "passwordValidityPeriodInDays": null, "supportedServices": [],
    });
    domain[field] = value;
    domain
}
