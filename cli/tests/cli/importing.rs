//! `posture report`.

use serde_json::{Value, json};

use crate::samples::results;
use crate::support::{Member, Service, failed, page, text_of};

const PROVIDER_ID: &str = "11111111-2222-3333-4444-555555555555";
const OTHER_PROVIDER_ID: &str = "99999999-2222-3333-4444-555555555555";

/// Returns a service with one organization and one tenant.
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
    assert_eq!(imported["reports"][1]["fixed"], json!(["MS.AAD.1.1"]));
    assert_eq!(imported["reports"][1]["drifted"], json!(["MS.AAD.2.1"]));

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
    assert_eq!(listed, "There are no reports; `posture report import` creates them.\n");
}

#[test]
fn failures_are_reported_per_file_and_by_the_exit_code() {
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
    for expected in
        ["cut-off.json", "page.html", "missing.json", OTHER_PROVIDER_ID, "has 1 control, but the tool assessed none"]
    {
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
fn a_file_is_imported_only_for_its_own_tenant() {
    let (service, member) = service();
    let other = service.tenant(&member, "Lindqvist Architects", OTHER_PROVIDER_ID);
    let file = service.file("results.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let complaint = service.failure(1, &["report", "import", "--org", &member.id, "--tenant", &other, &file]);
    assert!(complaint.contains("without naming a tenant"), "{complaint}");
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
    let told = ["Harbour Dental", "FOLLOW_UP, compared with", "FIXED", "MS.AAD.1.1", "Details of month 1."];
    for expected in told.into_iter().chain([id.as_str(), "see    CIS 7.0: 5.2.2.3, SCuBA: MS.AAD.1.1"]) {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "no colour where the output is no terminal: {shown:?}");

    let stranger = service.organization("Stranger");
    let complaint = service.failure(1, &["report", "show", "--org", &stranger.id, &id]);
    assert!(complaint.contains("has no report"), "{complaint}");
}

#[test]
fn a_given_baseline_excludes_a_new_baseline() {
    let (service, member) = service();
    let both = ["report", "import", "--org", &member.id, "--as-baseline", "--baseline", "rpt_1", "results.json"];
    service.failure(2, &both);
}

#[test]
fn the_baseline_and_the_period_of_an_import_can_be_chosen() {
    let (service, member) = service();
    let file = |month, result| service.file("results.json", results(PROVIDER_ID, month, &[("MS.AAD.1.1v1", result)]));
    let import = |more: &[&str], file: &str| {
        let result = service.json(&[&["report", "import", "--org", &member.id, file], more].concat());
        let id = text_of(&result["reports"][0], "reportId");
        service.json(&["report", "show", "--org", &member.id, &id])
    };
    let first = import(&[], &file(1, "Fail"));
    let second = import(&["--as-baseline", "--lookback-days", "7"], &file(2, "Pass"));
    assert_eq!([&first, &second].map(|report| &report["activityLookbackDays"]), [&json!(30), &json!(7)]);
    assert_eq!(second["reportType"], "BASELINE");
    let third = import(&["--baseline", &text_of(&first, "id")], &file(3, "Pass"));
    assert_eq!((&third["baseline"]["id"], &third["controls"]["fixed"]), (&first["id"], &json!(1)));
}

#[test]
fn a_list_of_reports_is_of_one_tenant_and_not_longer_than_asked_for() {
    let (service, member) = service();
    service.tenant(&member, "Lindqvist Architects", OTHER_PROVIDER_ID);
    for (provider, month) in [(PROVIDER_ID, 1), (PROVIDER_ID, 2), (OTHER_PROVIDER_ID, 3)] {
        let file = service.file("results.json", results(provider, month, &[("MS.AAD.1.1v1", "Fail")]));
        service.text(&["report", "import", "--org", &member.id, &file]);
    }
    let list = ["report", "list", "--org", &member.id];
    let of_tenant = service.json(&[&list[..], &["--tenant", PROVIDER_ID]].concat());
    assert_eq!(of_tenant.as_array().unwrap().len(), 2);
    let cut = service.run(&[&list[..], &["--limit", "1", "--json"]].concat());
    assert_eq!(serde_json::from_slice::<Value>(&cut.stdout).unwrap().as_array().unwrap().len(), 1);
    let hint = String::from_utf8(cut.stderr).unwrap();
    assert_eq!(hint, "hint: these are 1 of 3 reports; --limit 3 lists all of them\n");
}

#[test]
fn folders_are_imported_and_the_files_of_each_report_are_listed() {
    let (service, member) = service();
    let first = service.file("june/a/first.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let copy = service.file("june/b/copy.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let second = service.file("june/second.json", results(PROVIDER_ID, 2, &[("MS.AAD.1.1v1", "Pass")]));
    service.file("june/.hidden.json", "no result");
    service.file("june/first.json.import.json", "no result");
    let folder = service.folder.path().join("june").to_str().unwrap().to_owned();

    let imported = service.json(&["report", "import", "--org", &member.id, &folder]);
    let files: Vec<_> = imported["reports"].as_array().unwrap().iter().map(|report| &report["files"]).collect();
    assert_eq!(files, [&json!([first]), &json!([second])]);
    assert_eq!((&imported["failures"], &imported["reports"][1]["reportType"]), (&json!([]), &json!("FOLLOW_UP")));
    let reason = format!("contains the same run as {first}");
    assert_eq!(imported["skipped"], json!([{ "of": copy, "reason": reason }]));

    let broken = service.file("june/broken.json", "{");
    let output = service.run(&["report", "import", "--org", &member.id, &folder]);
    let complaint = failed(3, &output);
    assert!(complaint.starts_with(&format!("error: {broken}: ")), "{complaint}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.ends_with("Without a report, for the reasons above: 1\n"), "{told}");
    assert_eq!(told.matches("already there").count(), 2, "{told}");
}

#[test]
fn pages_that_belong_together_make_one_report_of_all_their_files() {
    let (service, member) = service();
    let scores = [json!({
        "id": "score-1", "azureTenantId": PROVIDER_ID, "createdDateTime": "2026-01-01T00:00:00Z",
        "controlScores": [
            { "controlName": "AdminMFAV2", "score": 10, "scoreInPercentage": 100 },
            { "controlName": "intune_encrypt_device", "score": 0, "scoreInPercentage": 0 },
        ],
    })];
    let profile = |id: &str, title: &str| {
        let profile = json!({ "id": id, "azureTenantId": PROVIDER_ID, "title": title, "maxScore": 10 });
        [profile]
    };
    let files = [
        service.file("scores.json", page("security/secureScores", &scores)),
        service.file("page-1.json", page("security/secureScoreControlProfiles", &profile("AdminMFAV2", "Admins"))),
        service.file(
            "page-2.json",
            page("security/secureScoreControlProfiles", &profile("intune_encrypt_device", "Encrypted devices")),
        ),
    ];
    let import = ["report", "import", "--org", &member.id, "--dry-run", &files[0], &files[1], &files[2]];
    let imported = service.json(&import);
    let [report] = imported["reports"].as_array().unwrap().as_slice() else { panic!("{imported}") };
    assert_eq!(report["files"], json!(files));
    assert_eq!(report["controls"]["secure"], 1);
    let left_out = report["leftOut"].as_array().unwrap();
    assert_eq!((left_out.len(), &left_out[0]["controlId"]), (1, &json!("intune_encrypt_device")));

    let told = service.text(&import);
    for expected in ["left out: 1\n", "about devices: 1\n", "intune_encrypt_device  Encrypted devices", "LEFT OUT"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// Returns a list of the top role's members, with one member.
fn roles() -> String {
    let member = json!({ "@odata.type": "#directory.user", "id": "a", "userPrincipalName": "amara@harbour.example" });
    let role = json!({ "id": "r", "roleTemplateId": "62e90394-69f5-4237-9190-012177145e10", "members": [member] });
    page("directoryRoles", &[role])
}

/// Returns a list of subscriptions, which names the tenant.
fn subscriptions(provider_id: &str) -> String {
    let row = json!({ "id": format!("{provider_id}_sku-1"), "skuPartNumber": "E3", "accountId": provider_id });
    page("subscribedSkus", &[row])
}

#[test]
fn exports_of_the_directory_list_the_administrators_and_an_edit_rates_them() {
    let (service, member) = service();
    let run = service.file("run.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let roles = service.file("roles.json", roles());
    let subscriptions = service.file("subscriptions.json", subscriptions(PROVIDER_ID));
    service.json(&["report", "import", "--org", &member.id, &run, &roles, &subscriptions]);
    let newest = || service.get(&member.key, "/v1/posture-reports").1["reports"][0].clone();
    let report = newest();
    let admin = &report["globalAdmins"]["admins"][0];
    assert_eq!(report["globalAdmins"]["count"], 1);
    assert_eq!(
        (&admin["userPrincipalName"], &admin["status"]),
        (&json!("amara@harbour.example"), &json!("NOT_ASSESSED"))
    );

    let id = text_of(&report, "id");
    let edit = ["report", "edit", "--org", &member.id, &id, "--admin", "Amara@harbour.example", "--status"];
    service.text(&[&edit[..], &["in_progress"]].concat());
    assert_eq!(newest()["globalAdmins"]["admins"][0]["status"], "IN_PROGRESS");
    assert_eq!(newest()["score"], report["score"]);
    let complaint = service.failure(1, &[&edit[..], &["FIXED"]].concat());
    assert!(complaint.contains("this report is a baseline") && !complaint.contains("mara"), "{complaint}");
}

#[test]
fn exports_of_another_tenant_are_in_no_report() {
    let (service, member) = service();
    let run = service.file("run.json", results(PROVIDER_ID, 1, &[("MS.AAD.1.1v1", "Fail")]));
    let unnamed = service.file("unnamed.json", results("", 2, &[("MS.AAD.1.1v1", "Fail")]));
    let roles = service.file("roles.json", roles());
    let subscriptions = service.file("subscriptions.json", subscriptions(OTHER_PROVIDER_ID));
    let import = ["report", "import", "--org", &member.id, &roles, &subscriptions];
    for more in [&[run.as_str()][..], &["--tenant", PROVIDER_ID, &unnamed]] {
        let imported = service.json(&[&import[..], more].concat());
        let issues = imported["issues"].to_string();
        assert!(issues.contains("which are from another tenant: 99999999-"), "{issues}");
    }
    let reports = service.get(&member.key, "/v1/posture-reports?latestOnly=false").1;
    assert_eq!(reports["totalReports"], 2);
    assert!(!reports.to_string().contains("amara"));

    let output = service.run(&import);
    assert_eq!(failed(1, &output), "");
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("No file contains results for a report.\n"));
}
