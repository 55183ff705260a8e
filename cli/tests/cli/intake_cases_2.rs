//! The second set of real-world files, imported by the command.

use serde_json::Value;

use crate::second_cases::{Case, TENANT, cases, folder};
use crate::support::{Member, Service};

#[test]
fn each_file_of_the_second_set_has_its_right_result() {
    let Some(folder) = folder() else { return };
    for case in cases() {
        let service = Service::start();
        let member = service.organization("Northwind");
        service.tenant(&member, "Harbour Dental", TENANT);
        let mut last = String::new();
        for step in case.steps {
            let paths: Vec<_> = step.iter().map(|file| folder.join(file).to_str().unwrap().to_owned()).collect();
            last = imported(&service, &member, &case, &paths);
        }
        let reports = service.get(&member.key, "/v1/posture-reports").1["reports"].take();
        case.assert_result(&last, reports.as_array().unwrap().first());
    }
}

/// Returns the result of an import, and what it says to people. The exit code says whether there is a report.
fn imported(service: &Service, member: &Member, case: &Case, paths: &[String]) -> String {
    let of_table = case.completed_at.map(|time| ["--tenant", TENANT, "--completed-at", time]);
    let arguments = ["report", "import", "--org", &member.id, "--json"].into_iter();
    let arguments: Vec<_> =
        arguments.chain(of_table.into_iter().flatten()).chain(paths.iter().map(String::as_str)).collect();
    let output = service.run(&arguments);
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let is_imported =
        result["failures"].as_array().unwrap().is_empty() && !result["reports"].as_array().unwrap().is_empty();
    assert_eq!(output.status.code(), Some(if is_imported { 0 } else { 1 }), "{paths:?}: {result}");
    format!("{result} {}", String::from_utf8_lossy(&output.stderr))
}
