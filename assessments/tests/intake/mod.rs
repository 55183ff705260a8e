//! Real-world files, and the expected result of each for every front end. Every front end tests this table.
//!
//! The files were written for these tests. Names of controls and fields are the tools'.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The tenant of all files.
pub(crate) const TENANT: &str = "11111111-2222-3333-4444-555555555555";

/// Files that are imported together, and the result.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Paths and contents. If a path contains a slash, the files are a folder.
    pub(crate) files: Vec<(&'static str, Vec<u8>)>,
    /// End of the run, if the files do not contain it.
    pub(crate) completed_at: Option<&'static str>,
    pub(crate) expected: Expected,
}

/// The result of a case.
pub(crate) enum Expected {
    /// One report.
    Report {
        /// Numbers of controls that are secure, open and not assessed.
        counts: [u64; 3],
        /// End of the run.
        completed_at: &'static str,
        /// Part of an issue, or empty.
        issue: &'static str,
        /// Skipped files, with a part of the reason, in the order of the result.
        skipped: &'static [(&'static str, &'static str)],
    },
    /// No report, and one failure with this text in its message.
    NoReport(&'static str),
}

/// Returns all cases.
pub(crate) fn cases() -> Vec<Case> {
    let results = || scuba(&[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass"), ("MS.EXO.5.1v1", "Pass")]);
    let table = |rows: &[(&str, &str)]| scuba_table("", rows);
    let same_table = || table(&[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass"), ("MS.EXO.5.1v1", "Pass")]);
    vec![
        case("objects as text", vec![("maester.json", depth_2())]).report([1, 3, 0], MINUTE, "ResultDetail is damaged"),
        case("the sister tool", vec![("goggles.json", goggles())]).no_report("ScubaGoggles for Google Workspace"),
        case("a folder of ScubaGear", scuba_folder(results(), same_table()))
            .report([2, 1, 0], DAY, "")
            .skipped(SCUBA_COMPANIONS),
        case("more columns", vec![("results.csv", scuba_table(",Non-Compliance Reason", &[("MS.AAD.1.1v1", "Fail")]))])
            .completed_at(DAY)
            .report([0, 1, 0], DAY, ""),
        case("a table without a time", vec![("results.csv", same_table())]).no_report("completed-at"),
        case("numbered recommendations", vec![("maester.json", numbered())]).report([2, 1, 0], MINUTE, ""),
        case("on-premises tests alone", vec![("maester.json", on_premises())]).no_report("1 about"),
        case("all skipped", vec![("maester.json", maester(&[("MT.1001", "Skipped")], DAY))]).no_report("assessed none"),
        case("no tests", vec![("maester.json", maester(&[], DAY))]).no_report("contains no control results"),
        case("unknown words", vec![("maester.json", maester(&[("MT.1001", "Vermutlich")], DAY))])
            .no_report("a known result"),
        case("a blank row", vec![("prowler.csv", prowler(&[FINDING, &["", ""]]))]).report([0, 1, 0], DAY, ""),
        case("a header alone", vec![("prowler.csv", prowler(&[]))]).no_report("a header but no rows"),
        case("muted in German", vec![("prowler.csv", prowler(&[FINDING, MUTED]))]).report([0, 1, 1], DAY, ""),
        case("a date of Excel", vec![("prowler.csv", prowler(&[&["25.05.2026 09:00", "FAIL"]]))]).report(
            [0, 1, 0],
            "2026-05-25T09:00:00.000Z",
            "",
        ),
        case("an ambiguous date", vec![("prowler.csv", prowler(&[&["01/05/2026 09:00", "FAIL"]]))])
            .no_report("ambiguous"),
        case("a date of Microsoft", vec![("maester.json", maester(&[("MT.1001", "Failed")], "/Date(1777626000000)/"))])
            .report([0, 1, 0], MINUTE, ""),
        case("a date as an object", vec![("zerotrust.json", zero_trust("x"))]).report([0, 1, 0], DAY, ""),
        case("invalid JSON behind the results", vec![("results.json", invalid_raw())]).report(
            [0, 1, 0],
            DAY,
            "Raw is invalid",
        ),
        case("an empty list of users", vec![("users.json", list("users", &[]))]).no_report("no assessment"),
        case("users alone", vec![("users.json", list("users", &[user()]))]).no_report("no assessment"),
        case("a table with semicolons", vec![("results.csv", semicolons())]).completed_at(DAY).report(
            [1, 1, 0],
            DAY,
            "",
        ),
        case("an archive", vec![("output.zip", packed(&scuba_folder(results(), same_table())))])
            .report([2, 1, 0], DAY, "")
            .skipped(SCUBA_COMPANIONS),
        case("an archive that is damaged", vec![("output.zip", packed(&[("output/a", results())])[..100].to_vec())])
            .no_report("the ZIP archive is damaged"),
        case("a note in bold", vec![("results.json", scuba(&[("MS.AAD.2.1v1", "Fail")]))]).report([0, 1, 0], DAY, ""),
        case("a text of any length", vec![("zerotrust.json", zero_trust(&"| a user |\n".repeat(500_000)))]).report(
            [0, 1, 0],
            DAY,
            "",
        ),
        case("a folder of Maester", maester_folder()).report([1, 1, 0], MINUTE, "").skipped(MAESTER_COMPANIONS),
        case("a folder of Prowler", prowler_folder()).report([0, 1, 0], DAY, "").skipped(PROWLER_COMPANIONS),
        case("a folder of Zero Trust Assessment", zero_trust_folder())
            .report([0, 1, 0], DAY, "")
            .skipped(ZERO_TRUST_COMPANIONS),
        case(
            "a part without its whole",
            vec![("IndividualReports/AADReport.json", product(&[("MS.AAD.1.1v1", "Fail")]))],
        )
        .no_report("a part of a run"),
        case("a table that is cut off", vec![("prowler.csv", cut(prowler(&[FINDING, FINDING])))])
            .no_report("the table ends in the middle of row 2"),
        case("a table without its last line break", vec![("prowler.csv", cut_by(1, prowler(&[FINDING])))])
            .no_report("the table ends without a line break"),
        case(
            "results in capitals",
            vec![("results.json", scuba(&[("MS.AAD.1.1v1", "PASS"), ("MS.EXO.1.1v2", "FAIL")]))],
        )
        .report([1, 1, 0], DAY, ""),
        case("most words unknown", vec![("maester.json", maester(&[("MT.1001", "Failed"), ("MT.1002", "Rot")], DAY))])
            .no_report("1 of 2 rows have a result of unknown meaning"),
        case("findings for a framework", vec![("cis_m365.ocsf.json", compliance())])
            .no_report("Prowler's findings for one compliance framework"),
        case("findings of another tool", vec![("other.ocsf.json", of_product("Another Scanner"))])
            .no_report("only those of Prowler can be imported"),
        case("a context in another case", vec![("scores.json", secure_scores("Security/SecureScores"))]).report(
            [1, 1, 0],
            DAY,
            "",
        ),
        case("an unknown context", vec![("scores.json", secure_scores("Collection(microsoft.graph.secureScore)"))])
            .report([1, 1, 0], DAY, ""),
        case("the line of a type", vec![("results.csv", [b"#TYPE Some.Object\r\n".to_vec(), same_table()].concat())])
            .completed_at(DAY)
            .report([2, 1, 0], DAY, ""),
        case(
            "the first year of .NET",
            vec![("maester.json", maester(&[("MT.1001", "Failed")], "0001-01-01T00:00:00Z"))],
        )
        .no_report("is before 2010: set it with --completed-at"),
        case("a time in the future", vec![("maester.json", maester(&[("MT.1001", "Failed")], "2226-05-01T09:00:00Z"))])
            .no_report("is in the future: set it with --completed-at"),
        case("a repeated product", vec![("results.json", repeated_product())]).no_report("the JSON repeats a field"),
        case(
            "Maester's flat table",
            vec![("flat.csv", b"\"ID\",\"Title\",\"Result\"\n\"MT.1001\",\"x\",\"Passed\"\n".to_vec())],
        )
        .no_report("Maester's table of results"),
        case(
            "an error of Microsoft Graph",
            vec![("signIns.json", br#"{"error": {"code": "x", "message": "y"}}"#.to_vec())],
        )
        .no_report("an error of Microsoft Graph"),
        case("JSON lines of an unknown kind", vec![("lines.json", b"{\"a\": 1}\n{\"a\": 2}\n".to_vec())])
            .no_report("the file is JSON lines, but its format is not supported"),
        case("pages and images alone", vec![("output/report.html", b"<html>".to_vec())]).no_report("no assessment"),
    ]
}

const DAY: &str = "2026-05-01T09:00:00.000Z";
const MINUTE: &str = "2026-05-01T09:01:00.000Z";

/// Time, status and muted flag of a finding.
const FINDING: &[&str] = &["2026-05-01 09:00:00", "FAIL", "False"];
const MUTED: &[&str] = &["2026-05-01 09:00:00", "FAIL", "WAHR", "entra_other"];

type Companions = &'static [(&'static str, &'static str)];

const SCUBA_COMPANIONS: Companions = &[
    ("ActionPlan.csv", "ScubaGear's ActionPlan.csv"),
    ("BaselineReports.html", "an HTML or XML page"),
    ("AADReport.html", "an HTML or XML page"),
    ("logo.png", "an image"),
    ("ProviderSettingsExport.json", "ScubaGear's ProviderSettingsExport.json"),
    ("TestResults.json", "ScubaGear's TestResults.json"),
    ("ScubaResults.csv", "contains the same run as"),
    ("EXOReport.json", "contains the same run as"),
    ("AADReport.json", "contains the same run as"),
];
const MAESTER_COMPANIONS: Companions = &[
    ("TestResults.csv", "Maester's table of results"),
    ("TestResults.html", "an HTML or XML page"),
    ("TestResults.md", "in an unsupported format"),
];
const PROWLER_COMPANIONS: Companions = &[
    ("cis_4.0_m365.csv", "Prowler's table for one compliance framework"),
    ("cis_4.0_m365.ocsf.json", "Prowler's findings for one compliance framework"),
    ("output.html", "an HTML or XML page"),
    ("output.csv", "contains the same run as"),
];
const ZERO_TRUST_COMPANIONS: Companions = &[
    ("ZeroTrustAssessmentReport.html", "an HTML or XML page"),
    ("Application-0.json", "in an unsupported format"),
    ("zt.db", "a database"),
];

fn case(name: &'static str, files: Vec<(&'static str, Vec<u8>)>) -> Case {
    Case { name, files, completed_at: None, expected: Expected::NoReport("") }
}

impl Case {
    fn completed_at(self, time: &'static str) -> Self {
        Self { completed_at: Some(time), ..self }
    }

    fn report(self, counts: [u64; 3], completed_at: &'static str, issue: &'static str) -> Self {
        Self { expected: Expected::Report { counts, completed_at, issue, skipped: &[] }, ..self }
    }

    fn no_report(self, message: &'static str) -> Self {
        Self { expected: Expected::NoReport(message), ..self }
    }

    fn skipped(mut self, files: Companions) -> Self {
        if let Expected::Report { skipped, .. } = &mut self.expected {
            *skipped = files;
        }
        self
    }

    /// Returns whether the files are a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.files.iter().any(|(path, _)| path.contains('/'))
    }

    /// Asserts that the JSON of an import's result is as expected.
    pub(crate) fn assert_result(&self, result: &Value) {
        let of = |value: &Value, field: &str| value[field].as_array().unwrap().clone();
        let (reports, failures) = (of(result, "reports"), of(result, "failures"));
        match &self.expected {
            Expected::NoReport(message) => {
                assert_eq!(reports, [Value::Null; 0], "{}", self.name);
                let said = format!("{failures:?} {}", result["status"]);
                assert!(
                    said.contains(message) || (said.contains("SKIPPED") && *message == "no assessment"),
                    "{}: {said}",
                    self.name
                );
            }
            Expected::Report { counts, completed_at, issue, skipped } => {
                assert_eq!((reports.len(), failures.len()), (1, 0), "{}: {result:#}", self.name);
                let report = &reports[0];
                let found = ["secure", "open", "notAssessed"].map(|count| report["controls"][count].as_u64().unwrap());
                assert_eq!((found, &report["completedAt"]), (*counts, &json!(completed_at)), "{}", self.name);
                let issues = format!("{} {}", report["issues"], result["issues"]);
                assert!(issues.contains(issue), "{}: {issues}", self.name);
                let files = of(result, "skipped");
                let files: Vec<_> =
                    files.iter().map(|file| (file["of"].as_str().unwrap(), file["reason"].as_str().unwrap())).collect();
                assert_eq!(files.len(), skipped.len(), "{}: {files:?}", self.name);
                for ((of, reason), (name, part)) in files.iter().zip(*skipped) {
                    assert!(of.ends_with(name) && reason.contains(part), "{}: {of} {reason}", self.name);
                }
            }
        }
    }
}

fn scuba_rows(rows: &[(&str, &str)]) -> Vec<Value> {
    let row = |(control, result): &(&str, &str)| {
        json!({
            "Control ID": control, "Requirement": format!("Requirement of {control}"), "Result": result,
            "Criticality": "Shall", "Details": "**NOTE: details.**",
        })
    };
    rows.iter().map(row).collect()
}

fn scuba_json(rows: &[(&str, &str)]) -> Value {
    json!({
        "MetaData": {
            "TenantId": TENANT, "ProductSuite": "Microsoft 365", "Tool": "ScubaGear", "ToolVersion": "1.8.0",
            "TimestampZulu": DAY, "ReportUUID": "99999999-8888-7777-6666-555555555555",
        },
        "Results": { "AAD": [{ "GroupName": "A group", "Controls": scuba_rows(rows) }] },
    })
}

fn scuba(rows: &[(&str, &str)]) -> Vec<u8> {
    scuba_json(rows).to_string().into_bytes()
}

fn goggles() -> Vec<u8> {
    let mut file = scuba_json(&[("GWS.GMAIL.1.1v1", "Pass")]);
    file["MetaData"]["Tool"] = json!("ScubaGoggles");
    file["MetaData"]["ProductSuite"] = json!("Google Workspace");
    file.to_string().into_bytes()
}

fn invalid_raw() -> Vec<u8> {
    let file = scuba_json(&[("MS.AAD.1.1v1", "Fail")]).to_string();
    format!(r#"{}, "Raw": {{"licenses": , "privileged_users": {{}}}}}}"#, file.strip_suffix('}').unwrap()).into_bytes()
}

fn repeated_product() -> Vec<u8> {
    let file = scuba_json(&[("MS.AAD.1.1v1", "Fail")]).to_string();
    file.replacen("\"Results\":{", "\"Results\":{\"AAD\":[],", 1).into_bytes()
}

fn cut(file: Vec<u8>) -> Vec<u8> {
    cut_by(20, file)
}

fn cut_by(bytes: usize, mut file: Vec<u8>) -> Vec<u8> {
    file.truncate(file.len() - bytes);
    file
}

fn scuba_table(more: &str, rows: &[(&str, &str)]) -> Vec<u8> {
    let cells = more.replace(|c| c != ',', "");
    let rows =
        rows.iter().map(|(control, result)| format!("{control},A requirement,{result},Shall,Details{cells}\r\n"));
    format!("Control ID,Requirement,Result,Criticality,Details{more}\r\n{}", rows.collect::<String>()).into_bytes()
}

fn semicolons() -> Vec<u8> {
    let table = String::from_utf8(scuba_table("", &[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass")])).unwrap();
    let table = format!("\u{feff}sep=;\r\n{}", table.replace(',', ";"));
    table.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn product(rows: &[(&str, &str)]) -> Vec<u8> {
    let date = "05/01/2026 09:00:00 Coordinated Universal Time";
    let report = json!([{
        "ReportSummary": { "Failures": 1, "Date": date },
        "Results": [{ "GroupName": "A group", "Controls": scuba_rows(rows) }],
        "MetaData": { "Tenant Display Name": "Alder", "Report Date": date, "Module Version": "1.8.0" },
    }]);
    report.to_string().into_bytes()
}

/// Returns the output folder of ScubaGear.
fn scuba_folder(results: Vec<u8>, table: Vec<u8>) -> Vec<(&'static str, Vec<u8>)> {
    let plan = "Control ID,Requirement,Result,Criticality,Details,Non-Compliance Reason,Remediation Completion Date\n\
                MS.AAD.1.1v1,A requirement,Fail,Shall,Details,,\n";
    vec![
        ("output/ActionPlan.csv", plan.into()),
        ("output/BaselineReports.html", b"<!DOCTYPE html><html>".to_vec()),
        ("output/IndividualReports/AADReport.html", b"\xef\xbb\xbf<html>".to_vec()),
        ("output/IndividualReports/AADReport.json", product(&[("MS.AAD.1.1v1", "Fail")])),
        ("output/IndividualReports/EXOReport.json", product(&[("MS.EXO.1.1v2", "Pass"), ("MS.EXO.5.1v1", "Pass")])),
        ("output/IndividualReports/images/logo.png", b"\x89PNG\r\n\x1a\n".to_vec()),
        (
            "output/ProviderSettingsExport.json",
            json!({ "module_version": "1.8.0", "scuba_config": {}, "conditional_access_policies": [] })
                .to_string()
                .into(),
        ),
        ("output/ScubaResults.csv", table),
        ("output/ScubaResults_99999999.json", results),
        (
            "output/TestResults.json",
            json!([{ "PolicyId": "MS.AAD.1.1v1", "RequirementMet": false, "Criticality": "Shall" }]).to_string().into(),
        ),
    ]
}

fn maester_json(tests: Vec<Value>, executed_at: &str) -> Value {
    json!({
        "Result": "Failed", "FailedCount": 1, "PassedCount": 1, "SkippedCount": 0, "TotalCount": tests.len(),
        "ExecutedAt": executed_at, "TotalDuration": "00:01:00", "TenantId": TENANT, "CurrentVersion": "1.3.0",
        "Tests": tests,
    })
}

fn maester_test(id: &str, title: &str, result: &str) -> Value {
    json!({
        "Id": id, "Title": title, "Name": format!("{id}: {title}"), "Severity": "High", "Result": result,
        "Block": "Maester/Entra", "ResultDetail": { "TestResult": "It was found.", "TestDescription": "A reason." },
    })
}

fn maester(tests: &[(&str, &str)], executed_at: &str) -> Vec<u8> {
    let tests = tests.iter().map(|(id, result)| maester_test(id, "A title", result)).collect();
    maester_json(tests, executed_at).to_string().into_bytes()
}

fn depth_2() -> Vec<u8> {
    let mut tests: Vec<_> = ["MT.1001", "MT.1002", "MT.1003"].map(|id| maester_test(id, "A title", "Failed")).into();
    tests.iter_mut().for_each(|test| test["ResultDetail"] = json!("@{TestTitle=x; TestResult=z}"));
    tests.push(maester_test("MT.1004", "A title", "Passed"));
    maester_json(tests, DAY).to_string().into_bytes()
}

fn numbered() -> Vec<u8> {
    let test = |number: u8, title: &str, result: &str| {
        maester_test(&format!("MT.1024.{number}"), &format!("Entra Recommendation - {title}"), result)
    };
    let tests = vec![
        test(1, "Use least privileged administrative roles", "Passed"),
        test(2, "Enable policy to block legacy authentication", "Failed"),
        test(3, "Remove unused applications", "Passed"),
    ];
    maester_json(tests, DAY).to_string().into_bytes()
}

fn on_premises() -> Vec<u8> {
    let mut file = maester_json(vec![maester_test("AD-COMP-01", "Computers", "Failed")], DAY);
    file["Tests"][0]["Block"] = json!("ActiveDirectory");
    file.to_string().into_bytes()
}

/// Returns the folder that Maester writes by default.
fn maester_folder() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("test-results/TestResults.csv", b"Id,Title,Result,Severity\nMT.1001,A title,Failed,High\n".to_vec()),
        ("test-results/TestResults.html", b"<!doctype html>".to_vec()),
        ("test-results/TestResults.json", maester(&[("MT.1001", "Failed"), ("MT.1002", "Passed")], DAY)),
        ("test-results/TestResults.md", b"# Maester test results\n".to_vec()),
    ]
}

/// Returns Prowler's table of findings, each with its time, status, mark of being muted, and check.
fn prowler(findings: &[&[&str]]) -> Vec<u8> {
    let row = |cells: &&[&str]| {
        let cell = |index: usize, otherwise: &'static str| match cells {
            ["", ..] => "",
            cells => cells.get(index).copied().unwrap_or(otherwise),
        };
        let check = cell(3, "entra_legacy_authentication_blocked");
        let (time, status, muted) = (cell(0, ""), cell(1, ""), cell(2, "False"));
        let (tenant, provider) = (cell(9, TENANT), cell(9, "m365"));
        format!(
            "{time};{tenant};{provider};{check};{};{status};{};{muted};{}\n",
            cell(9, "A title"),
            cell(9, "Found."),
            cell(9, "high")
        )
    };
    let header = "TIMESTAMP;ACCOUNT_UID;PROVIDER;CHECK_ID;CHECK_TITLE;STATUS;STATUS_EXTENDED;MUTED;SEVERITY\n";
    [header.to_owned(), findings.iter().map(row).collect()].concat().into_bytes()
}

fn ocsf() -> Vec<u8> {
    let finding = json!({
        "metadata": { "event_code": "entra_legacy_authentication_blocked", "product": { "version": "5.40.0" },
                      "tenant_uid": TENANT },
        "status_code": "FAIL", "status": "New", "status_detail": "Found.", "severity": "High",
        "finding_info": { "title": "A title" }, "time": 1_777_626_000, "time_dt": "2026-05-01T11:00:00",
        "cloud": { "provider": "m365", "account": { "uid": TENANT } }, "unmapped": { "provider_uid": TENANT },
    });
    json!([finding]).to_string().into_bytes()
}

/// Returns findings in OCSF that another tool wrote.
fn of_product(name: &str) -> Vec<u8> {
    let mut findings: Value = serde_json::from_slice(&ocsf()).unwrap();
    findings[0]["metadata"]["product"]["name"] = json!(name);
    findings.to_string().into_bytes()
}

/// Returns the findings that Prowler writes for a compliance framework.
fn compliance() -> Vec<u8> {
    let mut findings: Value = serde_json::from_slice(&ocsf()).unwrap();
    findings[0]["class_uid"] = json!(2003);
    findings[0]["compliance"] = json!({ "requirements": ["1.1"] });
    findings.to_string().into_bytes()
}

fn secure_scores(context: &str) -> Vec<u8> {
    let control = |name: &str, percent: u8| json!({ "controlName": name, "controlCategory": "Identity", "score": 1, "scoreInPercentage": percent });
    let score = json!({
        "id": "score-of-day", "azureTenantId": TENANT, "createdDateTime": DAY,
        "controlScores": [control("MFARegistrationV2", 100), control("BlockLegacyAuthentication", 0)],
    });
    list(context, &[score])
}

/// Returns the folder that Prowler writes on a machine two hours east of UTC.
fn prowler_folder() -> Vec<(&'static str, Vec<u8>)> {
    let compliance = b"PROVIDER;DESCRIPTION;REQUIREMENTS_ID;STATUS;CHECKID\nm365;x;1.1.1;FAIL;a\n".to_vec();
    vec![
        ("output/compliance/cis_4.0_m365.csv", compliance),
        ("output/compliance/cis_4.0_m365.ocsf.json", self::compliance()),
        ("output/output.csv", prowler(&[&["2026-05-01 11:00:00", "FAIL", "False"]])),
        ("output/output.html", b"<html>".to_vec()),
        ("output/output.ocsf.json", ocsf()),
    ]
}

fn zero_trust(result: &str) -> Vec<u8> {
    let time = json!({ "value": "2026-05-01T11:00:00.0000000+02:00", "DateTime": "Friday, May 1, 2026 11:00:00 AM" });
    let test = json!({
        "TestId": "21801", "TestTitle": "A title", "TestStatus": "Failed", "TestRisk": "Medium",
        "TestPillar": "Identity", "TestCategory": "Credential management", "TestDescription": "x", "TestResult": result,
    });
    let report = json!({
        "ExecutedAt": time, "TenantId": TENANT, "CurrentVersion": "2.2.0", "TestResultSummary": {}, "Tests": [test],
    });
    report.to_string().into_bytes()
}

/// Returns the folder that Zero Trust Assessment writes.
fn zero_trust_folder() -> Vec<(&'static str, Vec<u8>)> {
    let applications = list("applications", &[json!({ "id": "a", "appId": "b" })]);
    vec![
        ("report/ZeroTrustAssessmentReport.html", b"<!DOCTYPE html>".to_vec()),
        ("report/zt-export/Application/Application-0.json", applications),
        ("report/zt-export/User/User-0.json", list("users", &[user()])),
        ("report/zt-export/ZeroTrustAssessmentReport.json", zero_trust("x")),
        ("report/zt-export/db/zt.db", b"\0\x01\x02\x03\x04\x05\x06\x07DUCK\0\0".to_vec()),
    ]
}

fn user() -> Value {
    json!({ "id": "a", "userPrincipalName": "amara@harbour.example", "assignedLicenses": [{ "skuId": "s" }] })
}

fn list(name: &str, rows: &[Value]) -> Vec<u8> {
    let context = format!("https://graph.microsoft.com/v1.0/$metadata#{name}");
    json!({ "@odata.context": context, "value": rows }).to_string().into_bytes()
}

fn packed(files: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        archive.start_file(*path, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
