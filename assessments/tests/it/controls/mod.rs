//! The service's own assessment: snapshots in, verdicts out.

mod format;
mod less;
mod peer;
mod replay;
mod same;
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

#[test]
fn the_table_of_the_documentation_has_every_control() {
    let rows: Vec<Vec<&str>> = include_str!("../../../../docs/CONTROLS.md")
        .lines()
        .filter(|line| line.starts_with("| `spr."))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let run = Snapshot::secure().run();
    assert_eq!(rows.len(), run.findings.len());
    for check in run.findings.iter().map(|finding| &finding.check) {
        let severity = serde_json::to_value(check.severity).unwrap();
        let row = rows.iter().find(|row| row[1].trim_matches('`') == check.control_id.as_str()).unwrap();
        assert_eq!((row[2], row[3]), (check.name.as_str(), severity.as_str().unwrap()), "{}", check.control_id);
    }
}

/// A statement as a title, such as "SMTP AUTH is off", contradicts the status beside it.
#[test]
fn every_name_says_what_should_be() {
    let run = Snapshot::empty().run();
    let names: Vec<_> = run.findings.iter().map(|finding| finding.check.name.as_str()).collect();
    let others: Vec<_> = names.iter().filter(|name| !name.contains(" should ") || name.ends_with('.')).collect();
    assert_eq!(names.len(), 78);
    assert_eq!(others, Vec::<&&str>::new());
}
