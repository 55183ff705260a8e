//! `posture report`.

use serde_json::Value;

use crate::support::{Member, Service, failed, results, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";
const OTHER_PROVIDER_ID: &str = "99999999-2222-3333-4444-555555555555";

/// A service with one organization and one tenant.
fn service() -> (Service, Member) {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", PROVIDER_ID);
    (service, member)
}

fn types(imported: &Value) -> Vec<String> {
    imported["reports"].as_array().unwrap().iter().map(|report| text_of(report, "reportType")).collect()
}

#[test]
fn files_are_imported_oldest_run_first() {
    let (service, member) = service();
    let before = service.file("z.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail"), ("MS.AAD.2.1v1", "Pass")]));
    let after = service.file("a.json", results(PROVIDER_ID, 2, &[("MS.AAD.1.1v1", "Pass"), ("MS.AAD.2.1v1", "Fail")]));

    let imported = service.json(&["report", "import", "--org", &member.id, &after, &before]);
    assert_eq!(types(&imported), ["BASELINE", "FOLLOW_UP"]);
    assert_eq!(imported["reports"][1]["fixed"], serde_json::json!(["MS.AAD.1.1"]));
    assert_eq!(imported["reports"][1]["drifted"], serde_json::json!(["MS.AAD.2.1"]));

    let again = service.text(&["report", "import", "--org", &member.id, &after, &before]);
    assert_eq!(again.matches("already there").count(), 2, "{again}");
    assert_eq!(service.json(&["report", "list", "--org", &member.id]).as_array().unwrap().len(), 2);
}

#[test]
fn a_dry_run_writes_nothing() {
    let (service, member) = service();
    let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let told = service.text(&["report", "import", "--org", &member.id, "--dry-run", &file]);
    assert!(told.contains("would be added"), "{told}");
    let listed = service.text(&["report", "list", "--org", &member.id]);
    assert_eq!(listed, "There are no reports; `posture report import` makes them.\n");
}

#[test]
fn what_fails_is_told_file_by_file_and_by_the_exit_code() {
    let (service, member) = service();
    let good = service.file("good.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let foreign = service.file("foreign.json", results(OTHER_PROVIDER_ID, 2, &[("MS.AAD.1.1v1", "Fail")]));
    let unassessed = service.file("unassessed.json", results(PROVIDER_ID, 3, &[("MS.AAD.1.1v1", "N/A")]));
    let cut_off = service.file("cut-off.json", &results(PROVIDER_ID, 4, &[("MS.AAD.1.1v1", "Fail")])[..200]);
    let page = service.file("page.html", "<html></html>");
    let missing = service.folder.path().join("missing.json").to_str().unwrap().to_owned();

    let arguments = ["report", "import", "--org", &member.id, "--json"];
    let bad = [&foreign, &unassessed, &cut_off, &page, &missing].map(String::as_str);
    let output = service.run(&[&arguments[..], &[&good], &bad[..]].concat());
    let complaint = failed(3, &output);
    for expected in ["cut-off.json", "page.html", "missing.json", OTHER_PROVIDER_ID, "nothing to report"] {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    let imported: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(types(&imported), ["BASELINE"]);
    assert_eq!(imported["failures"].as_array().unwrap().len(), 5);

    let complaint = service.failure(1, &[&arguments[..], &bad[..]].concat());
    assert_eq!(complaint.matches("error:").count(), 5, "{complaint}");
    assert_eq!(service.get(&member.key, "/v1/posture-reports?latestOnly=false").1["totalReports"], 1);
}

#[test]
fn a_file_goes_to_no_other_tenant_than_its_own() {
    let (service, member) = service();
    let other = service.tenant(&member, "Lindqvist Architects", OTHER_PROVIDER_ID);
    let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let complaint = service.failure(1, &["report", "import", "--org", &member.id, "--tenant", &other, &file]);
    assert!(complaint.contains("leave the tenant to the file"), "{complaint}");
    assert_eq!(service.get(&member.key, "/v1/posture-reports").1["totalReports"], 0);
}

#[test]
fn a_report_is_shown_as_the_api_returns_it() {
    let (service, member) = service();
    for month in 1..=2 {
        let result = ["Fail", "Pass"][month as usize - 1];
        let file = service.file("results.json", results(PROVIDER_ID, month, &[("MS.AAD.1.1v1", result)]));
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
    let returned = service.get(&member.key, "/v1/posture-reports").1["reports"][0].clone();
    let id = text_of(&returned, "id");
    assert_eq!(service.json(&["report", "show", "--org", &member.id, &id]), returned);

    let shown = service.text(&["report", "show", "--org", &member.id, &id]);
    for expected in [&id, "Harbour Dental", "FOLLOW_UP, compared with", "FIXED", "MS.AAD.1.1", "Details of month 1."] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colour where the output is no terminal: {shown:?}");

    let stranger = service.organization("Stranger");
    let complaint = service.failure(1, &["report", "show", "--org", &stranger.id, &id]);
    assert!(complaint.contains("has no report"), "{complaint}");
}

#[test]
fn a_baseline_and_none_exclude_each_other() {
    let (service, member) = service();
    let both = ["report", "import", "--org", &member.id, "--as-baseline", "--baseline", "rpt_1", "results.json"];
    service.failure(2, &both);
}
