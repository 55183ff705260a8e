//! The service's own assessment: snapshots in, verdicts out.

mod snapshot;
mod table;

use model::Status;

use snapshot::Snapshot;

/// Controls that are listed, and that no response shows yet.
const NOT_READ: [&str; 7] = ["spr.ac.14", "spr.ex.10", "spr.ex.11", "spr.ex.6", "spr.ex.7", "spr.ex.8", "spr.ex.9"];

#[test]
fn a_secure_tenant_is_secure_in_every_control() {
    let results = Snapshot::secure().results();
    let others: Vec<_> = results.iter().filter(|(_, (status, _))| *status != Status::Secure).collect();
    let ids: Vec<_> = others.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, NOT_READ, "{others:#?}");
    assert_eq!(results.len(), 78);
}

#[test]
fn nothing_is_known_of_an_empty_snapshot() {
    let results = Snapshot::empty().results();
    let assessed: Vec<_> = results.iter().filter(|(_, (status, _))| *status != Status::NotAssessed).collect();
    assert!(assessed.is_empty(), "{assessed:#?}");
}
