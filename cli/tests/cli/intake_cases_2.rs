//! The second set of cases, in a folder next to the checkout if it exists; without it, the test prints that it skips.

use std::path::Path;
use std::sync::Once;

use serde_json::Value;

use crate::corpus_files;
use crate::support::Service;

/// The tenant of all cases.
const TENANT: &str = "5a5a5a5a-0000-4000-8000-00000000c0de";

/// Options for tables, which contain neither tenant nor time.
const OF_TABLE: [&str; 4] = ["--tenant", TENANT, "--completed-at", "2026-06-26T10:00:00Z"];

/// Imports files of the folder for a new organization, one command after the other. Returns the code and the result of
/// the last one, with its text.
fn imported(folder: &Path, commands: &[&[&str]]) -> (Option<i32>, Value, String) {
    let service = Service::start();
    let member = service.organization("Northwind");
    service.tenant(&member, "Harbour Dental", TENANT);
    let mut last = (None, Value::Null, String::new());
    for files in commands {
        let paths: Vec<_> = files.iter().map(|file| folder.join(file).to_str().unwrap().to_owned()).collect();
        let is_table = files.contains(&"13_maester_flat.csv");
        let more = if is_table { &OF_TABLE[..] } else { &[] };
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        let output = service.run(&[&["report", "import", "--org", &member.id, "--json"], more, &paths].concat());
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = format!("{result} {}", String::from_utf8_lossy(&output.stderr));
        last = (output.status.code(), result, text);
    }
    last
}

/// Returns score, secure and open controls of the only report.
fn figures(result: &Value) -> Option<[u64; 3]> {
    let report = result["reports"].as_array()?.first()?;
    Some([report["score"].as_u64()?, report["controls"]["secure"].as_u64()?, report["controls"]["open"].as_u64()?])
}

/// Files, imported by one command after the other; the exit code; figures of the last report; and what the result says.
type Case = (&'static [&'static [&'static str]], i32, Option<[u64; 3]>, &'static str);

const CASES: [Case; 12] = [
    (&[&["01_prowler_folder"]], 0, Some([66, 2, 1]), "Prowler's findings for one compliance framework"),
    (
        &[&[
            "01_prowler_folder/compliance/prowler-output-harbour.example-20260626120000_cis_controls_8.1_m365.ocsf.json",
        ]],
        1,
        None,
        "import the *.ocsf.json file in the parent folder",
    ),
    (&[&["02_prowler_cut.csv"]], 1, None, "the table ends in the middle of row 12"),
    (&[&["02_prowler_cut.csv"], &["02_prowler_whole.csv"]], 0, Some([33, 1, 2]), "\"ADDED\""),
    (
        &[&["03_maester_1_before.json"], &["03_maester_2_throttled.json"]],
        0,
        Some([100, 1, 0]),
        r#""coverage":{"lost":18,"previouslyAssessed":19,"reasons":[{"controls":18,"reason":"ERROR"}]}"#,
    ),
    (&[&["04_scuba_words.json"]], 0, Some([26, 1, 3]), ""),
    (&[&["09_Get-MgDirectoryRoleMember.json", "run.json"]], 0, None, "applications hold the Global Administrator role"),
    (&[&["10_secureScores_beta.json"]], 0, None, "\"ADDED\""),
    (&[&["11_PT1H.json"]], 1, None, "import them together with the tool's results"),
    (&[&["13_maester_flat.csv"]], 1, None, "Maester's table of results: import TestResults-*.json next to it"),
    (&[&["15_time_min_value.json"]], 1, None, "is before 2010: set it with --completed-at"),
    (&[&["run.json"]], 0, None, "\"ADDED\""),
];

/// Logs and usage reports that are imported with the run, and sentences that its controls get.
const LOGS: [(&str, &[&str]); 6] = [
    ("05_signins_us_dates.csv", &["29 sign-ins by 3 users (IMAP4 29)"]),
    ("06_mail_apps_undetermined.csv", &["2 users used them (IMAP4 1, POP3 1)"]),
    ("07_signins_device_code.csv", &["Device code: 1 sign-in by 1 user"]),
    (
        "08_Get-MgAuditLogSignIn.json",
        &["2 sign-ins by 2 users (IMAP4 1, SMTP AUTH 1)", "SMTP AUTH: 1 sign-in", "Device code: 1 sign-in"],
    ),
    ("11_PT1H.json", &["IMAP4 1", "Device code: 1 sign-in"]),
    ("12_Search-UnifiedAuditLog.csv", &["Users granted consent to 2 applications"]),
];

#[test]
fn each_case_has_its_right_result() {
    static TOLD: Once = Once::new();
    let Some(folder) = corpus_files::beside("cases/intake-2", &TOLD) else { return };
    for (commands, code, expected, says) in CASES {
        let (exit, result, text) = imported(&folder, commands);
        assert_eq!(exit, Some(code), "{commands:?}: {text}");
        assert!(expected.is_none() || figures(&result) == expected, "{commands:?}: {result:#}");
        assert!(text.contains(says), "{commands:?}: {text}");
    }
    for (log, sentences) in LOGS {
        let service = Service::start();
        let member = service.organization("Northwind");
        service.tenant(&member, "Harbour Dental", TENANT);
        let paths = ["run.json", log].map(|file| folder.join(file).to_str().unwrap().to_owned());
        service.text(&["report", "import", "--org", &member.id, &paths[0], &paths[1]]);
        let reports = service.get(&member.key, "/v1/posture-reports").1.to_string();
        for sentence in sentences {
            assert!(reports.contains(sentence), "{log}: {sentence}: {reports}");
        }
    }
}
