//! `posture report prune`.

use crate::samples::results;
use crate::support::{Member, Service};

const PROVIDER_IDS: [&str; 2] = ["11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"];

/// Imports three reports of a month long ago.
fn import(service: &Service, member: &Member, provider_id: &str) {
    for day in ["01", "08", "15"] {
        let results =
            results(provider_id, 1, &[("MS.AAD.1.1v1", "Fail")]).replace("2026-01-01", &format!("2020-01-{day}"));
        let file = service.file(&format!("{day}.json"), results);
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
}

fn reports(service: &Service, member: &Member) -> Vec<String> {
    let listed = service.json(&["report", "list", "--org", &member.id]);
    listed.as_array().unwrap().iter().map(|report| report["completedAt"].as_str().unwrap()[..10].to_owned()).collect()
}

#[test]
fn old_reports_are_pruned_to_one_a_month() {
    let service = Service::start();
    let member = service.organization("Northwind");
    for (name, provider_id) in ["Alder", "Birch"].into_iter().zip(PROVIDER_IDS) {
        service.tenant(&member, name, provider_id);
        import(&service, &member, provider_id);
    }
    let prune = ["report", "prune", "--org", &member.id, "--keep-months", "12"];
    let shown = service.text(&[&prune[..], &["--dry-run"]].concat());
    assert!(shown.contains("2020-01-08") && shown.ends_with("\n2 reports would be deleted.\n"), "{shown}");
    assert!(service.failure(2, &prune).contains("confirm with --yes"));
    assert_eq!(reports(&service, &member).len(), 6, "nothing is deleted so far");
    let one = service.text(&[&prune[..], &["--tenant", "birch", "--yes"]].concat());
    assert_eq!(one, "Deleted 1 report.\n");
    assert_eq!(service.json(&[&prune[..], &["--yes"]].concat())["deleted"], 1);
    // The first ones are baselines, the others the last of their month.
    assert_eq!(reports(&service, &member), ["2020-01-15", "2020-01-15", "2020-01-01", "2020-01-01"]);
    assert_eq!(service.text(&[&prune[..], &["--yes"]].concat()), "Every report is kept.\n");
    service.text(&["check"]);
}
