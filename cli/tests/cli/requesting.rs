//! `posture report request`, worked on by `posture serve`.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::collecting::{TENANT, recorded};
use crate::support::{Service, text_of};

fn serve(folder: &TempDir, data: Option<&TempDir>) -> Service {
    let mut options = vec!["--graph-folder".to_owned(), folder.path().to_str().unwrap().to_owned()];
    if let Some(data) = data {
        options.extend(["--data".to_owned(), data.path().join("posture.db").to_str().unwrap().to_owned()]);
    }
    Service::start_with(&options.iter().map(String::as_str).collect::<Vec<_>>())
}

const REQUEST: [&str; 6] = ["report", "request", "--org", "org_recorded", "--tenant", TENANT];

#[test]
fn a_report_of_a_recorded_tenant_is_requested_and_comes() {
    let folder = recorded();
    let service = serve(&folder, None);
    let line = service.greeting.iter().find(|line| line.starts_with("posture report request")).unwrap();
    assert!(line.contains(&format!("--org org_recorded --tenant {TENANT} --wait")), "{line}");
    let output = service.run(&[&REQUEST[..], &["--wait", "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&request["state"], &request["failure"], &request["tenantName"]),
        (&json!("COMPLETED"), &json!(null), &json!("Recorded Ltd"))
    );
    assert_eq!((&request["stepsDone"], &request["steps"]), (&json!(14), &json!(14)));
    let report = service.json(&["report", "show", "--org", "org_recorded", &text_of(&request, "reportId")]);
    assert_eq!(report["createdAt"], request["requestedAt"], "a report begins with its request");
    assert!(report["completedAt"].as_str().unwrap() > report["createdAt"].as_str().unwrap());
    // The names of a tenant and of its state are for people.
    let listed = service.json(&["report", "requests", "--org", "org_recorded"]);
    assert_eq!(listed, json!([request]));
    assert!(service.text(&["report", "requests", "--org", "org_recorded"]).contains("COMPLETED, step 14 of 14"));
    let again = service.json(&[&REQUEST[..5], &["recorded ltd"]].concat());
    assert_ne!(again["requestId"], request["requestId"], "the first request has ended, so this is another");
}

#[test]
fn a_request_survives_a_restart_and_its_snapshot_is_kept() {
    let (folder, data) = (recorded(), TempDir::new().unwrap());
    let service = serve(&folder, Some(&data));
    // Stopped before anybody can be done with it.
    let request = service.json(&REQUEST);
    drop(service);
    let service = serve(&folder, Some(&data));
    let output = service.run(&[&REQUEST[..], &["--wait", "--json"]].concat());
    let same: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&same["requestId"], &same["state"]), (&request["requestId"], &json!("COMPLETED")));
    let reports = service.json(&["report", "list", "--org", "org_recorded"]);
    assert_eq!(reports.as_array().unwrap().len(), 1);
    // What is kept is the snapshot of the report: importing it finds that report.
    let snapshots: Vec<_> =
        fs::read_dir(data.path().join("posture.db.snapshots")).unwrap().map(|it| it.unwrap().path()).collect();
    let [snapshot] = snapshots.as_slice() else { panic!("{snapshots:?}") };
    let imported = service.json(&["report", "import", "--org", "org_recorded", snapshot.to_str().unwrap()]);
    assert_eq!(
        (&imported["reports"][0]["outcome"], &imported["reports"][0]["reportId"]),
        (&json!("ALREADY_THERE"), &same["reportId"])
    );
}

#[test]
fn a_tenant_that_is_not_connected_has_no_report_and_a_reason() {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", "11111111-2222-3333-4444-555555555555");
    let request = ["report", "request", "--org", &member.id, "--tenant", "Harbour Dental", "--wait"];
    let output = service.run(&request);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("There is no report of \"Harbour Dental\". The tenant does not let the service in"),
        "{text}"
    );
    assert!(text.contains("consent") && text.trim_end().ends_with("(AADSTS700016)."), "{text}");
    assert_eq!(service.get(&member.key, "/v1/posture-reports").1["totalReports"], 0);
}

#[test]
fn a_request_names_an_existing_tenant_of_the_organization() {
    let folder = recorded();
    let service = serve(&folder, None);
    let other = service.organization("Northwind");
    // The tenant is another organization's.
    let text = service.failure(1, &["report", "request", "--org", &other.id, "--tenant", TENANT]);
    assert!(text.contains("the organization has no tenant"), "{text}");
    assert_eq!(service.json(&["report", "requests", "--org", &other.id]), json!([]));
    for name in ["Twin", "twin"] {
        service.tenant(&other, name, &format!("11111111-2222-3333-4444-{:012}", name.as_bytes()[0]));
    }
    let text = service.failure(1, &["report", "request", "--org", &other.id, "--tenant", "TWIN"]);
    assert!(text.contains("2 tenants have the name TWIN"), "{text}");
}

#[test]
fn the_demos_tenants_are_connected() {
    let service = Service::start_with(&["--demo"]);
    let request = ["report", "request", "--org", "org_demo", "--tenant", "Lindqvist Architects", "--wait", "--json"];
    let output = service.run(&request);
    let request: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(request["state"], "COMPLETED", "{request}");
    let report = service.json(&["report", "show", "--org", "org_demo", &text_of(&request, "reportId")]);
    assert_eq!(report["globalAdmins"]["count"], 3);
}
