//! Never better by less: what takes away knowledge or protection makes no control secure.

use model::Status;
use model::snapshot::endpoint as at;
use serde_json::{Value, json};

use super::peer::{same_cases, snapshot_of};
use super::snapshot::{GROUP, MEMBER, Snapshot, grant, policy};

const CA: &str = at::CONDITIONAL_ACCESS_POLICIES;

/// Snapshots to change: a secure tenant, one in which every policy only reports, and all cases of the peer.
fn originals() -> Vec<Snapshot> {
    let reporting =
        every_policy(Snapshot::secure(), |policy| policy["state"] = json!("enabledForReportingButNotEnforced"));
    let cases = same_cases();
    let of_peer = cases.iter().filter_map(|(case, _)| snapshot_of(case));
    [Snapshot::secure(), reporting].into_iter().chain(of_peer).collect()
}

fn every_policy(mut snapshot: Snapshot, change: impl Fn(&mut Value)) -> Snapshot {
    for response in snapshot.responses.iter_mut().filter(|response| response["endpoint"] == CA) {
        response["body"]["value"].as_array_mut().into_iter().flatten().for_each(&change);
    }
    snapshot
}

/// Adds a value to a list of every policy.
fn in_every_policy(snapshot: Snapshot, part: &str, list: &str, value: &str) -> Snapshot {
    every_policy(snapshot, |policy| {
        let part = policy.pointer_mut(part).and_then(Value::as_object_mut);
        if let Some(list) = part.map(|part| part.entry(list).or_insert(json!([]))) {
            if list.is_null() {
                *list = json!([]);
            }
            list.as_array_mut().into_iter().for_each(|list| list.push(json!(value)));
        }
    })
}

fn with_disabled_policy(mut snapshot: Snapshot) -> Snapshot {
    let mut disabled = policy("Off", json!({}), grant(&["block"]));
    disabled["state"] = json!("disabled");
    for response in snapshot.responses.iter_mut().filter(|response| response["endpoint"] == CA) {
        response["body"]["value"].as_array_mut().into_iter().for_each(|rows| rows.push(disabled.clone()));
    }
    snapshot
}

fn unlicensed(mut snapshot: Snapshot) -> Snapshot {
    for response in snapshot.responses.iter_mut().filter(|it| it["endpoint"] == at::SUBSCRIBED_SKUS) {
        response["body"]["value"].as_array_mut().into_iter().flatten().for_each(|sku| sku["servicePlans"] = json!([]));
    }
    snapshot
}

/// Reverses the responses, the rows and every list in them, and splits every page in two.
fn permuted(mut snapshot: Snapshot) -> Snapshot {
    let mut halves = Vec::new();
    for mut response in snapshot.responses.drain(..) {
        reverse(&mut response["body"]);
        let rows = response["body"]["value"].as_array().cloned().unwrap_or_default();
        if rows.len() > 1 {
            let mut first = response.clone();
            first["body"]["value"] = json!(rows[..1]);
            first["more"] = json!(true);
            response["body"]["value"] = json!(rows[1..]);
            halves.push(first);
        }
        halves.push(response);
    }
    halves.reverse();
    Snapshot { responses: halves, ..snapshot }
}

fn reverse(value: &mut Value) {
    match value {
        // The lines of a table have an order.
        Value::Array(items) if items.iter().all(|item| item.as_str().is_some_and(|text| text.contains(','))) => {}
        Value::Array(items) => {
            items.reverse();
            items.iter_mut().for_each(reverse);
        }
        Value::Object(fields) => fields.values_mut().for_each(reverse),
        _ => {}
    }
}

/// A change, by its name.
type Change = (&'static str, fn(Snapshot) -> Snapshot);

#[test]
fn no_verdict_gets_better_by_less() {
    const CHANGES: [Change; 8] = [
        ("a disabled policy", with_disabled_policy),
        ("one more excluded user", |it| in_every_policy(it, "/conditions/users", "excludeUsers", MEMBER)),
        ("one more excluded group", |it| in_every_policy(it, "/conditions/users", "excludeGroups", GROUP)),
        ("a control of unknown meaning", |it| in_every_policy(it, "/grantControls", "builtInControls", "new")),
        ("a client of unknown meaning", |it| in_every_policy(it, "/conditions", "newConditions", "new")),
        ("a state of unknown meaning", |it| every_policy(it, |policy| policy["state"] = json!("new"))),
        ("no licence", unlicensed),
        ("no emergency access", |it| it.declaring(&[])),
    ];
    let mut better = Vec::new();
    for (number, original) in originals().into_iter().enumerate() {
        let before = original.results();
        for (name, change) in CHANGES {
            for (id, (status, state)) in change(original.clone()).results() {
                if status == Status::Secure && before[&id].0 != Status::Secure {
                    better.push(format!("{number}, {name}: {id}: {state}"));
                }
            }
        }
    }
    assert!(better.is_empty(), "{}", better.join("\n"));
}

#[test]
fn the_order_of_rows_and_pages_does_not_matter() {
    for (number, original) in originals().into_iter().enumerate() {
        let statuses = |snapshot: &Snapshot| {
            snapshot.results().into_iter().map(|(id, (status, _))| (id, status)).collect::<Vec<_>>()
        };
        assert_eq!(statuses(&permuted(original.clone())), statuses(&original), "{number}");
    }
}

/// Names of the endpoints of the secure tenant.
fn endpoints() -> Vec<String> {
    let mut names: Vec<String> =
        Snapshot::secure().responses.iter().map(|it| it["endpoint"].as_str().unwrap().to_owned()).collect();
    names.dedup();
    names
}

/// Returns the controls that are not secure without an endpoint.
fn dependent_on(endpoint: &str) -> Vec<String> {
    let results = Snapshot::secure().without(endpoint).results().into_iter();
    results.filter(|(_, (status, _))| *status != Status::Secure).map(|(id, _)| id).collect()
}

#[test]
fn what_cannot_be_read_is_not_assessed_with_the_reason() {
    for endpoint in endpoints() {
        let dependents = dependent_on(&endpoint);
        for (status, code, reason) in [
            (403, "Authorization_RequestDenied", "The permission"),
            (403, "Authentication_RequestFromNonPremiumTenantOrB2CTenant", "lacks the licence"),
            (429, "TooManyRequests", "too many requests"),
            (503, "ServiceNotAvailable", "the service failed (503)"),
        ] {
            let results = Snapshot::secure().failing(&endpoint, status, code).results();
            for id in &dependents {
                let (status, state) = &results[id];
                let known = super::NOT_READ.contains(&id.as_str());
                assert_eq!(*status, Status::NotAssessed, "{endpoint} {code}: {id}: {state}");
                let named = state.contains(reason) || endpoint == at::SIGN_INS || endpoint == at::DNS;
                assert!(known || named, "{endpoint} {code}: {id}: {state}");
            }
        }
    }
}

#[test]
fn hostile_bodies_are_never_secure() {
    let deep = (0..90).fold(json!(1), |inner, _| json!([inner]));
    let hostile = [
        json!(null),
        json!(true),
        json!(7),
        json!(1e308),
        json!("text"),
        json!([]),
        json!([[[]]]),
        json!({}),
        deep,
        json!({ "error": { "code": "x", "message": "y" } }),
        json!({ "value": null }),
        json!({ "value": {} }),
        json!({ "value": "x" }),
        json!({ "value": [null] }),
        json!({ "value": [7, "x", [], {}] }),
        json!({ "value": [{ "id": null }] }),
        json!({ "value": [{ "id": {} }], "error": null }),
    ];
    for endpoint in endpoints() {
        let dependents = dependent_on(&endpoint);
        for body in &hostile {
            let mut snapshot = Snapshot::secure();
            let responses = snapshot.responses.iter_mut().filter(|response| response["endpoint"] == *endpoint);
            responses.for_each(|response| response["body"] = body.clone());
            let results = snapshot.results();
            let secure: Vec<_> = dependents.iter().filter(|id| results[*id].0 == Status::Secure).collect();
            assert!(secure.is_empty(), "{endpoint}: {body}: {secure:?}");
        }
    }
}

#[test]
fn null_everywhere_is_never_secure() {
    fn nulled(value: &mut Value) {
        match value {
            Value::Array(items) if !items.is_empty() => items.iter_mut().for_each(nulled),
            Value::Object(fields) => fields.values_mut().for_each(nulled),
            other => *other = Value::Null,
        }
    }
    for endpoint in endpoints().into_iter().filter(|endpoint| endpoint != at::RISKY_USERS) {
        let dependents = dependent_on(&endpoint);
        let mut snapshot = Snapshot::secure();
        let responses = snapshot.responses.iter_mut().filter(|response| response["endpoint"] == *endpoint);
        responses.for_each(|response| nulled(&mut response["body"]));
        let results = snapshot.results();
        let secure: Vec<_> = dependents.iter().filter(|id| results[*id].0 == Status::Secure).collect();
        assert!(secure.is_empty(), "{endpoint}: {secure:?}");
    }
}
