//! Real-world files, imported by the command.

use std::path::Path;

use serde_json::{Value, json};
// For the cases, which are outside of this crate.
use zip as _;

use crate::intake_cases::{Case, Expected, TENANT, cases};
use crate::support::{Service, text_of};

/// Writes the files of a case, and returns the paths to name: the folder, or the files.
fn written(service: &Service, number: usize, case: &Case) -> Vec<String> {
    let write = |(path, content): &(&str, Vec<u8>)| service.file(&format!("{number}/{path}"), content);
    let files: Vec<_> = case.files.iter().map(write).collect();
    let folder = || service.folder.path().join(number.to_string()).to_str().unwrap().to_owned();
    if case.is_folder() { vec![folder()] } else { files }
}

/// Imports for a separate organization, whose tenant is named if `more` says so. Returns the exit code and the result.
fn imported(service: &Service, organization: &str, paths: &[String], more: &[&str]) -> (Option<i32>, Value) {
    let paths: Vec<_> = paths.iter().map(String::as_str).collect();
    let output = service.run(&[&["report", "import", "--org", organization, "--json"], more, &paths].concat());
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn every_kind_of_file_is_recognized() {
    let service = Service::start();
    for (number, case) in cases().iter().enumerate() {
        let paths = written(&service, number, case);
        let time = case.completed_at.map(|time| ["--completed-at", time]).into_iter().flatten().collect::<Vec<_>>();
        for with_tenant in [&["--tenant", TENANT][..], &[]] {
            let names_tenant = case.files.iter().any(|(_, content)| String::from_utf8_lossy(content).contains(TENANT));
            if with_tenant.is_empty() && !names_tenant {
                continue;
            }
            let member = service.organization("Northwind");
            service.tenant(&member, "Harbour Dental", TENANT);
            let more = [with_tenant, &time].concat();
            let (code, result) = imported(&service, &member.id, &paths, &more);
            case.assert_result(&result);
            let is_report = matches!(case.expected, Expected::Report { .. });
            assert_eq!(code, Some(if is_report { 0 } else { 1 }), "{}", case.name);
            let reports = || service.get(&member.key, "/v1/posture-reports?latestOnly=false").1["totalReports"].clone();
            assert_eq!(reports(), u8::from(is_report), "{}", case.name);
            if is_report {
                let (code, again) = imported(&service, &member.id, &paths, &more);
                assert_eq!((code, &again["status"]), (Some(0), &json!("ALREADY_THERE")), "{}", case.name);
                assert_eq!(reports(), 1, "{}", case.name);
            }
        }
    }
}

#[test]
fn skipped_files_are_one_line() {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", TENANT);
    let all = cases();
    let case = all.iter().find(|case| case.name == "a folder of ScubaGear").unwrap();
    let paths = written(&service, 0, case);
    let told = service.text(&["report", "import", "--org", &member.id, &paths[0]]);
    let line = told.lines().find(|line| line.starts_with("Skipped 9 files: ")).unwrap();
    for part in [
        "ScubaGear's TestResults.json (TestResults.json)",
        "an HTML or XML page (BaselineReports.html, AADReport.html)",
        "ScubaResults_99999999.json (ScubaResults.csv, EXOReport.json, AADReport.json)",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn a_part_of_a_run_makes_a_report_only_if_asked_for() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let tenant = service.tenant(&member, "Harbour Dental", TENANT);
    let all = cases();
    let case = all.iter().find(|case| case.name == "a folder of ScubaGear").unwrap();
    let whole = written(&service, 0, case);
    let parts = Path::new(&whole[0]).join("output/IndividualReports").to_str().unwrap().to_owned();
    let import = |more: &[&str]| {
        imported(&service, &member.id, std::slice::from_ref(&parts), &[&["--tenant", &tenant], more].concat())
    };
    let (code, result) = import(&[]);
    assert_eq!((code, result["failures"].as_array().unwrap().len()), (Some(1), 1), "{result}");

    let (code, result) = import(&["--fragments"]);
    assert_eq!((code, result["reports"].as_array().unwrap().len()), (Some(0), 1), "{result}");
    let report = &result["reports"][0];
    assert_eq!((text_of(report, "reportType"), &report["controls"]["secure"]), ("FOLLOW_UP".into(), &json!(2)));
    assert_eq!(report["files"].as_array().unwrap().len(), 2);
    let complaint =
        service.failure(2, &["report", "import", "--org", &member.id, "--fragments", "--as-baseline", &parts]);
    assert!(complaint.contains("cannot be used with"), "{complaint}");

    // A complete run of the same day is newer, and compares with nothing.
    let (_, result) = imported(&service, &member.id, &whole, &[]);
    assert_eq!(text_of(&result["reports"][0], "reportType"), "BASELINE");
    let newest = service.get(&member.key, "/v1/posture-reports").1;
    assert_eq!(newest["reports"][0]["id"], result["reports"][0]["reportId"]);
    assert_eq!(service.json(&["check", "--org", &member.id])[0]["discrepancies"], json!([]));
}

#[test]
fn the_formats_are_listed_once() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let files = ["a.json", "b.json"].map(|name| service.file(name, "{}"));
    let complaint = service.failure(1, &["report", "import", "--org", &member.id, &files[0], &files[1]]);
    assert_eq!(complaint.matches("but its format is not supported").count(), 2, "{complaint}");
    assert_eq!(complaint.matches("ScubaGear's ScubaResults (JSON)").count(), 1, "{complaint}");
}
