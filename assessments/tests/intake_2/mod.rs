//! A second set of real-world files, in a folder next to the checkout if it exists, and the expected result of each.
//! Every front end tests this table; without the folder, the tests print that they skip. The project's own fixtures
//! cover the same kinds of files.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde_json::Value;

/// The tenant of all files.
pub(crate) const TENANT: &str = "5a5a5a5a-0000-4000-8000-00000000c0de";

/// Files that are imported one step after the other, and the result of the last step.
pub(crate) struct Case {
    /// Names of files and folders.
    pub(crate) steps: &'static [&'static [&'static str]],
    /// End of the run, for a table that contains neither time nor tenant.
    pub(crate) completed_at: Option<&'static str>,
    /// Score, secure and open controls of the newest report; `None` if there is no report.
    figures: Option<[u64; 3]>,
    /// Parts of the newest report's JSON.
    report: &'static [&'static str],
    /// Part of the result of the last step.
    result: &'static str,
}

/// Returns the folder of the files, or prints that the test skips and returns `None` if there is none.
pub(crate) fn folder() -> Option<PathBuf> {
    static TOLD: Once = Once::new();
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join("Cargo.lock").exists());
    let folder = checkout?.parent()?.join("shared/cases/intake-2");
    if !folder.is_dir() {
        // Bypasses the test harness, which hides the output of passing tests.
        let why = b"skipped: there is no cases/intake-2 next to the checkout\n";
        TOLD.call_once(|| io::stderr().write_all(why).unwrap());
        return None;
    }
    Some(folder)
}

/// Returns all cases.
pub(crate) fn cases() -> Vec<Case> {
    const LOST: &[&str] =
        &[r#""coverage":{"lost":18,"previouslyAssessed":19,"reasons":[{"controls":18,"reason":"ERROR"}]}"#];
    let compliance: &[&[&str]] = &[&[
        "01_prowler_folder/compliance/prowler-output-harbour.example-20260626120000_cis_controls_8.1_m365.ocsf.json",
    ]];
    vec![
        case(&[&["01_prowler_folder"]]).figures([66, 2, 1]).result("Prowler's findings for one compliance framework"),
        case(compliance).result("import the *.ocsf.json file in the parent folder"),
        case(&[&["02_prowler_cut.csv"]]).result("the table ends in the middle of row 12"),
        case(&[&["02_prowler_cut.csv"], &["02_prowler_whole.csv"]]).figures([33, 1, 2]),
        case(&[&["03_maester_1_before.json"], &["03_maester_2_throttled.json"]]).figures([100, 1, 0]).report(LOST),
        case(&[&["04_scuba_words.json"]]).figures([26, 1, 3]),
        case(&[&["run.json"]]).figures([0, 0, 5]),
        with_run(&[&["run.json", "05_signins_us_dates.csv"]], &["29 sign-ins by 3 users (IMAP4 29)"]),
        with_run(&[&["run.json", "06_mail_apps_undetermined.csv"]], &["2 users used them (IMAP4 1, POP3 1)"]),
        with_run(&[&["run.json", "07_signins_device_code.csv"]], &["Device code: 1 sign-in by 1 user"]),
        with_run(
            &[&["run.json", "08_Get-MgAuditLogSignIn.json"]],
            &["2 sign-ins by 2 users (IMAP4 1, SMTP AUTH 1)", "SMTP AUTH: 1 sign-in", "Device code: 1 sign-in"],
        ),
        with_run(&[&["run.json", "09_Get-MgDirectoryRoleMember.json"]], &[r#""count":2,"#])
            .result("applications hold the Global Administrator role"),
        // Exports that arrive after their run.
        with_run(&[&["run.json"], &["run.json", "09_Get-MgDirectoryRoleMember.json"]], &[r#""count":2,"#]),
        case(&[&["10_secureScores_beta.json"]]).figures([44, 1, 2]),
        case(&[&["11_PT1H.json"]]).result("import them together with the tool's results"),
        with_run(&[&["run.json", "11_PT1H.json"]], &["IMAP4 1", "Device code: 1 sign-in"]),
        with_run(&[&["run.json", "12_Search-UnifiedAuditLog.csv"]], &["Users granted consent to 2 applications"]),
        Case { completed_at: Some("2026-06-26T10:00:00Z"), ..case(&[&["13_maester_flat.csv"]]) }
            .result("Maester's table of results: import TestResults-*.json next to it"),
        case(&[&["15_time_min_value.json"]]).result("is before 2010: set it with --completed-at"),
    ]
}

fn case(steps: &'static [&'static [&'static str]]) -> Case {
    Case { steps, completed_at: None, figures: None, report: &[], result: "" }
}

/// A case with the same run, to which a log or an export adds sentences.
fn with_run(steps: &'static [&'static [&'static str]], report: &'static [&'static str]) -> Case {
    case(steps).figures([0, 0, 5]).report(report)
}

impl Case {
    fn figures(self, figures: [u64; 3]) -> Self {
        Self { figures: Some(figures), ..self }
    }

    fn report(self, parts: &'static [&'static str]) -> Self {
        Self { report: parts, ..self }
    }

    fn result(self, part: &'static str) -> Self {
        Self { result: part, ..self }
    }

    /// Asserts that the result of the last step and the newest report are as expected.
    pub(crate) fn assert_result(&self, result: &str, newest: Option<&Value>) {
        let name = self.steps;
        assert!(result.contains(self.result), "{name:?}: {result}");
        let figure = |value: &Value| value.as_u64().unwrap();
        let controls = |report: &Value| ["secure", "open"].map(|count| figure(&report["controls"][count]));
        let figures = newest.map(|report| {
            let [secure, open] = controls(report);
            [figure(&report["score"]), secure, open]
        });
        assert_eq!(figures, self.figures, "{name:?}: {result}");
        let report = newest.map(Value::to_string).unwrap_or_default();
        for part in self.report {
            assert!(report.contains(part), "{name:?}: {part}: {report}");
        }
    }
}

/// Returns the files of a step, with their paths from a named folder on.
pub(crate) fn files(folder: &Path, step: &[&str]) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for named in step.iter().map(|name| folder.join(name)) {
        let mut paths = vec![named.clone()];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else {
                let name = path.strip_prefix(named.parent().unwrap()).unwrap().to_str().unwrap();
                files.push((name.to_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}
