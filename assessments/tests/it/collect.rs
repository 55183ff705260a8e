//! The script that collects a tenant's exports requests the lists that the readers read.

use std::collections::BTreeSet;

use assessments::{format_names, read};

const SCRIPT: &str = include_str!("../../../docs/collect/collect.ps1");
const GUIDE: &str = include_str!("../../../docs/COLLECT.md");

/// Returns the quoted values of a block of the script, from a line that begins it to a line with its end.
fn block(start: &str, end: &str) -> Vec<&'static str> {
    let (_, rest) = SCRIPT.split_once(start).unwrap();
    rest.split_once(end).unwrap().0.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

/// Returns the script's requests for lists, without version and parameters.
fn requests() -> Vec<(String, String)> {
    let sign_ins = block("$signIns = \"", "\"")[0];
    let of_line = |line: &str| {
        let (name, request) = line.split_once('=').unwrap();
        let request = request.trim().replace("$signIns", sign_ins).replace("$topRole", "role");
        let path = request.trim_matches(['\'', '"']).split_once('/').unwrap().1.to_owned();
        (name.trim().trim_matches('\'').to_owned(), path.split('?').next().unwrap().to_owned())
    };
    block("$lists = [ordered]@{", "\n}").into_iter().map(of_line).collect()
}

#[test]
fn every_list_of_the_script_is_a_format() {
    let requests = requests();
    assert_eq!(requests.len(), 9);
    for (name, path) in requests {
        // The role's members are returned as a list of directory objects.
        let list = if path.ends_with("/members") { "directoryObjects".to_owned() } else { path };
        let context = format!("https://graph.microsoft.com/v1.0/$metadata#{list}");
        let page = serde_json::json!({ "@odata.context": context, "value": [] }).to_string().into_bytes();
        assert!(read(&page).is_ok(), "{name}: no format has the list {list}");
    }
}

#[test]
fn every_report_of_the_script_is_a_format() {
    let reports = block("$reports = @(", "\n)");
    assert_eq!(reports.len(), 5);
    for report in reports {
        let report = report.trim_matches('\'');
        assert!(format_names().any(|name| name.contains(report)), "no format is called {report}");
        assert!(GUIDE.contains(&format!("`{report}.csv`")), "the guide does not name {report}.csv");
    }
}

#[test]
fn the_guide_names_the_scopes_and_files_of_the_script() {
    let scopes: BTreeSet<_> = block("$scopes = @(", "\n)").into_iter().map(|scope| scope.trim_matches('\'')).collect();
    let table = GUIDE.split_once("## Scopes").unwrap().1.split_once("## Files").unwrap().0;
    let of_row = |row: &'static str| row.strip_prefix("| `")?.split_once('`').map(|(scope, _)| scope);
    assert_eq!(table.lines().filter_map(of_row).collect::<BTreeSet<_>>(), scopes);
    assert!(scopes.iter().all(|scope| scope.contains(".Read")), "read-only: {scopes:?}");
    for (name, _) in requests() {
        assert!(GUIDE.contains(&format!("`{name}-*.json`")), "the guide does not name {name}");
    }
    for verb in ["-Method POST", "-Method PATCH", "-Method PUT", "-Method DELETE"] {
        assert!(!SCRIPT.contains(verb));
    }
}
