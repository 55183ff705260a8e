//! Files of the tools, with the results that a case needs.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::TENANT;

pub(super) const DAY: &str = "2026-05-01T09:00:00.000Z";
pub(super) const MINUTE: &str = "2026-05-01T09:01:00.000Z";

/// Time, status and muted flag of a finding.
pub(super) const FINDING: &[&str] = &["2026-05-01 09:00:00", "FAIL", "False"];
pub(super) const MUTED: &[&str] = &["2026-05-01 09:00:00", "FAIL", "WAHR", "entra_other"];

pub(super) fn scuba_rows(rows: &[(&str, &str)]) -> Vec<Value> {
    let row = |(control, result): &(&str, &str)| {
        json!({
            "Control ID": control, "Requirement": format!("Requirement of {control}"), "Result": result,
            "Criticality": "Shall", "Details": "**NOTE: details.**",
        })
    };
    rows.iter().map(row).collect()
}

pub(super) fn scuba_json(rows: &[(&str, &str)]) -> Value {
    json!({
        "MetaData": {
            "TenantId": TENANT, "ProductSuite": "Microsoft 365", "Tool": "ScubaGear", "ToolVersion": "1.8.0",
            "TimestampZulu": DAY, "ReportUUID": "99999999-8888-7777-6666-555555555555",
        },
        "Results": { "AAD": [{ "GroupName": "A group", "Controls": scuba_rows(rows) }] },
    })
}

pub(super) fn scuba(rows: &[(&str, &str)]) -> Vec<u8> {
    scuba_json(rows).to_string().into_bytes()
}

pub(super) fn goggles() -> Vec<u8> {
    let mut file = scuba_json(&[("GWS.GMAIL.1.1v1", "Pass")]);
    file["MetaData"]["Tool"] = json!("ScubaGoggles");
    file["MetaData"]["ProductSuite"] = json!("Google Workspace");
    file.to_string().into_bytes()
}

pub(super) fn invalid_raw() -> Vec<u8> {
    let file = scuba_json(&[("MS.AAD.1.1v1", "Fail")]).to_string();
    format!(r#"{}, "Raw": {{"licenses": , "privileged_users": {{}}}}}}"#, file.strip_suffix('}').unwrap()).into_bytes()
}

pub(super) fn repeated_product() -> Vec<u8> {
    let file = scuba_json(&[("MS.AAD.1.1v1", "Fail")]).to_string();
    file.replacen("\"Results\":{", "\"Results\":{\"AAD\":[],", 1).into_bytes()
}

pub(super) fn cut(file: Vec<u8>) -> Vec<u8> {
    cut_by(20, file)
}

pub(super) fn cut_by(bytes: usize, mut file: Vec<u8>) -> Vec<u8> {
    file.truncate(file.len() - bytes);
    file
}

pub(super) fn scuba_table(more: &str, rows: &[(&str, &str)]) -> Vec<u8> {
    let cells = more.replace(|c| c != ',', "");
    let rows =
        rows.iter().map(|(control, result)| format!("{control},A requirement,{result},Shall,Details{cells}\r\n"));
    format!("Control ID,Requirement,Result,Criticality,Details{more}\r\n{}", rows.collect::<String>()).into_bytes()
}

pub(super) fn semicolons() -> Vec<u8> {
    let table = String::from_utf8(scuba_table("", &[("MS.AAD.1.1v1", "Fail"), ("MS.EXO.1.1v2", "Pass")])).unwrap();
    let table = format!("\u{feff}sep=;\r\n{}", table.replace(',', ";"));
    table.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

pub(super) fn product(rows: &[(&str, &str)]) -> Vec<u8> {
    let date = "05/01/2026 09:00:00 Coordinated Universal Time";
    let report = json!([{
        "ReportSummary": { "Failures": 1, "Date": date },
        "Results": [{ "GroupName": "A group", "Controls": scuba_rows(rows) }],
        "MetaData": { "Tenant Display Name": "Alder", "Report Date": date, "Module Version": "1.8.0" },
    }]);
    report.to_string().into_bytes()
}

/// Returns the output folder of ScubaGear.
pub(super) fn scuba_folder(results: Vec<u8>, table: Vec<u8>) -> Vec<(&'static str, Vec<u8>)> {
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

pub(super) fn maester_json(tests: Vec<Value>, executed_at: &str) -> Value {
    json!({
        "Result": "Failed", "FailedCount": 1, "PassedCount": 1, "SkippedCount": 0, "TotalCount": tests.len(),
        "ExecutedAt": executed_at, "TotalDuration": "00:01:00", "TenantId": TENANT, "CurrentVersion": "1.3.0",
        "Tests": tests,
    })
}

pub(super) fn maester_test(id: &str, title: &str, result: &str) -> Value {
    json!({
        "Id": id, "Title": title, "Name": format!("{id}: {title}"), "Severity": "High", "Result": result,
        "Block": "Maester/Entra", "ResultDetail": { "TestResult": "It was found.", "TestDescription": "A reason." },
    })
}

pub(super) fn maester(tests: &[(&str, &str)], executed_at: &str) -> Vec<u8> {
    let tests = tests.iter().map(|(id, result)| maester_test(id, "A title", result)).collect();
    maester_json(tests, executed_at).to_string().into_bytes()
}

pub(super) fn depth_2() -> Vec<u8> {
    let mut tests: Vec<_> = ["MT.1001", "MT.1002", "MT.1003"].map(|id| maester_test(id, "A title", "Failed")).into();
    tests.iter_mut().for_each(|test| test["ResultDetail"] = json!("@{TestTitle=x; TestResult=z}"));
    tests.push(maester_test("MT.1004", "A title", "Passed"));
    maester_json(tests, DAY).to_string().into_bytes()
}

pub(super) fn numbered() -> Vec<u8> {
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

pub(super) fn on_premises() -> Vec<u8> {
    let mut file = maester_json(vec![maester_test("AD-COMP-01", "Computers", "Failed")], DAY);
    file["Tests"][0]["Block"] = json!("ActiveDirectory");
    file.to_string().into_bytes()
}

/// Returns the folder that Maester writes by default.
pub(super) fn maester_folder() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("test-results/TestResults.csv", b"Id,Title,Result,Severity\nMT.1001,A title,Failed,High\n".to_vec()),
        ("test-results/TestResults.html", b"<!doctype html>".to_vec()),
        ("test-results/TestResults.json", maester(&[("MT.1001", "Failed"), ("MT.1002", "Passed")], DAY)),
        ("test-results/TestResults.md", b"# Maester test results\n".to_vec()),
    ]
}

/// Returns Prowler's table of findings, each with its time, status, mark of being muted, and check.
pub(super) fn prowler(findings: &[&[&str]]) -> Vec<u8> {
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

pub(super) fn ocsf() -> Vec<u8> {
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
pub(super) fn of_product(name: &str) -> Vec<u8> {
    let mut findings: Value = serde_json::from_slice(&ocsf()).unwrap();
    findings[0]["metadata"]["product"]["name"] = json!(name);
    findings.to_string().into_bytes()
}

/// Returns the findings that Prowler writes for a compliance framework.
pub(super) fn compliance() -> Vec<u8> {
    let mut findings: Value = serde_json::from_slice(&ocsf()).unwrap();
    findings[0]["class_uid"] = json!(2003);
    findings[0]["compliance"] = json!({ "requirements": ["1.1"] });
    findings.to_string().into_bytes()
}

pub(super) fn secure_scores(context: &str) -> Vec<u8> {
    let control = |name: &str, percent: u8| json!({ "controlName": name, "controlCategory": "Identity", "score": 1, "scoreInPercentage": percent });
    let score = json!({
        "id": "score-of-day", "azureTenantId": TENANT, "createdDateTime": DAY,
        "controlScores": [control("MFARegistrationV2", 100), control("BlockLegacyAuthentication", 0)],
    });
    list(context, &[score])
}

/// Returns the folder that Prowler writes on a machine two hours east of UTC.
pub(super) fn prowler_folder() -> Vec<(&'static str, Vec<u8>)> {
    let compliance = b"PROVIDER;DESCRIPTION;REQUIREMENTS_ID;STATUS;CHECKID\nm365;x;1.1.1;FAIL;a\n".to_vec();
    vec![
        ("output/compliance/cis_4.0_m365.csv", compliance),
        ("output/compliance/cis_4.0_m365.ocsf.json", self::compliance()),
        ("output/output.csv", prowler(&[&["2026-05-01 11:00:00", "FAIL", "False"]])),
        ("output/output.html", b"<html>".to_vec()),
        ("output/output.ocsf.json", ocsf()),
    ]
}

pub(super) fn zero_trust(result: &str) -> Vec<u8> {
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
pub(super) fn zero_trust_folder() -> Vec<(&'static str, Vec<u8>)> {
    let applications = list("applications", &[json!({ "id": "a", "appId": "b" })]);
    vec![
        ("report/ZeroTrustAssessmentReport.html", b"<!DOCTYPE html>".to_vec()),
        ("report/zt-export/Application/Application-0.json", applications),
        ("report/zt-export/User/User-0.json", list("users", &[user()])),
        ("report/zt-export/ZeroTrustAssessmentReport.json", zero_trust("x")),
        ("report/zt-export/db/zt.db", b"\0\x01\x02\x03\x04\x05\x06\x07DUCK\0\0".to_vec()),
    ]
}

pub(super) fn user() -> Value {
    json!({ "id": "a", "userPrincipalName": "amara@harbour.example", "assignedLicenses": [{ "skuId": "s" }] })
}

pub(super) fn list(name: &str, rows: &[Value]) -> Vec<u8> {
    let context = format!("https://graph.microsoft.com/v1.0/$metadata#{name}");
    json!({ "@odata.context": context, "value": rows }).to_string().into_bytes()
}

pub(super) fn packed(files: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        archive.start_file(*path, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
