//! The two recorded tenants, if `collect` is among the real data: requested by the two commands that a stranger
//! has, our verdict beside ScubaGear's for each control that both have.

use std::fs;
use std::path::Path;

use model::Status;
use serde_json::Value;

use crate::corpus_files;
use crate::same::{DIFFERENT, DIFFERENT_IN_2024, NOT_IN_2024, SAME};
use crate::support::{Service, text_of};

/// A control of the tool, our status, and whether the tool passes it.
type Difference = (String, Status, bool);

fn file(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Prints the verdicts about a recorded tenant, and returns the differences.
fn differences(folder: &Path, service: &Service, tenant: &str) -> Vec<Difference> {
    let id = text_of(&file(&folder.join("replay").join(tenant).join("organization.json"))["value"][0], "id");
    let output = service.run(&["report", "request", "--org", "org_recorded", "--tenant", &id, "--wait", "--json"]);
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(request["state"], "COMPLETED", "{request}");
    let report = service.json(&["report", "show", "--org", "org_recorded", &text_of(&request, "reportId")]);
    let checks = report["checks"].as_array().unwrap();
    let verdicts = &file(&folder.join("cases/REAL.json"))[tenant]["verdicts"];
    let mut differences = Vec::new();
    for (theirs, ours) in SAME {
        let Some(passed) = verdicts[theirs][0].as_bool() else { continue };
        let check = checks.iter().find(|check| check["controlId"] == ours).unwrap();
        let status: Status = serde_json::from_value(check["status"].clone()).unwrap();
        let verdict = if passed { "pass" } else { "fail" };
        eprintln!("{tenant} {theirs}: {verdict} | {ours}: {status:?}. {}", check["currentState"]);
        if status != if passed { Status::Secure } else { Status::Open } {
            differences.push((theirs.to_owned(), status, passed));
        }
    }
    differences
}

#[test]
fn the_recorded_tenants_are_judged_as_the_peer_does() {
    let Some(folder) = corpus_files::folder("collect") else { return };
    let service = Service::start_with(&["--graph-folder", folder.join("replay").to_str().unwrap()]);
    let known = |different: &[(&str, Status, bool, &str)]| -> Vec<Difference> {
        different.iter().map(|(id, ours, passed, _)| ((*id).to_owned(), *ours, *passed)).collect()
    };
    assert_eq!(differences(&folder, &service, "v1.7.0_2025-10"), known(&DIFFERENT));
    let mut older = differences(&folder, &service, "v1.4.0_2024-08");
    older.retain(|(theirs, ..)| !theirs.starts_with(NOT_IN_2024));
    assert_eq!(older, known(&DIFFERENT_IN_2024));
}
