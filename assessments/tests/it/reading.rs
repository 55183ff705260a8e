//! Files: encodings, formats, unusual rows, and unsupported files.

use assessments::{IssueKind, Run, Tool, Unreadable, read};
use model::{Check, Status};
use serde_json::{Value, json};

use crate::support::{report, results, row, run};

const RESULTS: &str = include_str!("../fixtures/results.json");
const PRODUCT_REPORT: &str = include_str!("../fixtures/product_report.json");
const TABLE: &str = include_str!("../fixtures/results.csv");

#[test]
fn a_results_file_becomes_a_report() {
    let run = run(RESULTS.as_bytes());
    insta::assert_json_snapshot!("results_issues", run.issues);
    insta::assert_json_snapshot!("results_report", report(&run, None).body);
}

#[test]
fn a_results_file_names_tenant_run_and_time() {
    let run = run(RESULTS.as_bytes());
    assert_eq!(run.tool, Tool::ScubaGear);
    assert_eq!(run.tool_version.as_deref(), Some("1.8.0"));
    assert_eq!(run.tenant.unwrap().as_str(), "11111111-2222-3333-4444-555555555555");
    assert_eq!(run.run_id, "99999999-8888-7777-6666-555555555555");
    assert_eq!(run.completed.unwrap().to_string(), "2026-02-03T04:05:06.789Z");
}

#[test]
fn only_a_version_is_taken_for_the_version() {
    for text in ["somebody@example.com", "Some Body", &"1.".repeat(21)] {
        assert_eq!(run(RESULTS.replace("1.8.0", text).as_bytes()).tool_version, None, "{text}");
    }
}

#[test]
fn every_encoding_gives_the_same_run() {
    let plain = run(PRODUCT_REPORT.as_bytes());
    let marked = ["\u{feff}", PRODUCT_REPORT].concat();
    let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = marked.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [marked.into_bytes(), little, big] {
        assert!(run(&bytes) == plain);
    }
    assert!(plain.findings[0].check.current_state.ends_with("Zürich"));
}

#[test]
fn a_products_report_is_read_as_a_list_and_as_itself() {
    let single = run(PRODUCT_REPORT.as_bytes());
    assert!(run(format!("[{PRODUCT_REPORT}]").as_bytes()) == single);
    assert_eq!(single.findings[0].check.status, Status::InProgress, "its annotations name a date");
    assert_eq!(single.findings[0].revision, 2);
    assert_eq!(single.completed.unwrap().to_string(), "2026-02-03T04:05:06.000Z");
    let local_time = PRODUCT_REPORT.replace("Coordinated Universal Time", "Central European Standard Time");
    assert_eq!(run(local_time.as_bytes()).completed, None, "an offset is not guessed from a name");
}

#[test]
fn a_table_is_read_and_its_broken_row_reported() {
    let run = run(TABLE.as_bytes());
    let statuses: Vec<_> = run.findings.iter().map(|finding| finding.check.status).collect();
    assert_eq!(statuses, [Status::Secure, Status::InProgress]);
    let broken: Vec<_> = run.issues.iter().filter(|issue| issue.kind == IssueKind::UnreadableRow).collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].message, "skipped row 2 of the table, which is not a control result");
}

#[test]
fn an_action_plan_is_not_taken_for_results() {
    let header =
        "\"Control ID\",\"Requirement\",\"Result\",\"Criticality\",\"Details\",\"Remediation Completion Date\"";
    let table = |results: [&str; 2]| {
        let rows = results.map(|result| format!("\"MS.AAD.1.1v1\",\"x\",\"{result}\",\"Shall\",\"x\",\" \""));
        format!("{header}\n{}\n", rows.join("\n"))
    };
    let error = read(&table(["Fail", "Warning"]).as_bytes()).unwrap_err();
    assert!(matches!(error, Unreadable::Companion { found, .. } if found.contains("ActionPlan.csv")), "{error}");
    assert_eq!(run(table(["Fail", "Pass"]).as_bytes()).findings.len(), 1, "results may have the plan's columns");
}

#[test]
fn a_run_without_an_identifier_gets_a_stable_one() {
    let unnamed = run(RESULTS.replace("\"ReportUUID\"", "\"Other\"").as_bytes());
    assert_eq!(unnamed.run_id, "ScubaGear/11111111-2222-3333-4444-555555555555/2026-02-03T04:05:06.789Z");

    let table = run(TABLE.as_bytes()).run_id;
    assert_eq!(table, run(TABLE.as_bytes()).run_id);
    assert_ne!(table, run(TABLE.replace("\"Pass\"", "\"Fail\"").as_bytes()).run_id);
}

#[test]
fn a_comment_on_a_failing_or_omitted_control_proposes_its_risk() {
    let proposed = |run: Run| -> Vec<_> {
        let of = |check: Check| Some((check.control_id.to_string(), check.proposed_risk?));
        let risks = run.findings.into_iter().filter_map(|finding| of(finding.check));
        risks.map(|(id, risk)| (id, risk.reason, risk.until.map(|until| until.to_string()))).collect()
    };
    let owned =
        |id: &str, reason: &str, until: Option<&str>| (id.to_owned(), reason.to_owned(), until.map(str::to_owned));
    let expected = [
        owned("MS.AAD.3.2", "Enforced elsewhere", Some("2026-12-31")),
        owned("MS.EXO.1.1", "Planned.", Some("2026-06-30")),
    ];
    assert_eq!(proposed(run(RESULTS.as_bytes())), expected);
    let commented = |result: &str, omitted: &str, comments: Value, date: Value| {
        let mut row = row("MS.AAD.1.1v1", result);
        (row["Comments"], row["OmittedEvaluationResult"], row["ResolutionDate"]) = (comments, json!(omitted), date);
        proposed(run(&results(&[row])))
    };
    let two = json!(["<b>Old</b> devices", "until spring"]);
    let found = commented("Warning", "N/A", two.clone(), json!("03/31/2026 00:00:00"));
    assert_eq!(found, [owned("MS.AAD.1.1", "Old devices\nuntil spring", Some("2026-03-31"))]);
    assert_eq!(commented("Fail", "N/A", json!("One"), json!(null)), [owned("MS.AAD.1.1", "One", None)]);
    for (result, omitted, comments) in [
        ("Pass", "N/A", two.clone()),
        ("Incorrect result", "N/A", two.clone()),
        ("Omitted", "Pass", two),
        ("Fail", "N/A", json!([])),
        ("Fail", "N/A", json!([" ", 3])),
        ("Fail", "N/A", json!(null)),
    ] {
        assert_eq!(commented(result, omitted, comments, json!("2026-12-31")), [], "{result} {omitted}");
    }
}

#[test]
fn a_date_makes_a_failing_control_in_progress() {
    let dated = |result: &str, date: serde_json::Value| {
        let mut row = row("MS.AAD.1.1v1", result);
        row["ResolutionDate"] = date;
        let run = run(&results(&[row]));
        let complained = run.issues.iter().any(|issue| issue.kind == IssueKind::UnreadableDate);
        (run.findings[0].check.status, complained)
    };
    for date in ["2026-03-31", "2026-03-31T00:00:00", "03/31/2026 00:00:00", "/Date(1774915200000)/"] {
        assert_eq!(dated("Fail", json!(date)), (Status::InProgress, false), "{date}");
        assert_eq!(dated("Warning", json!(date)), (Status::InProgress, false), "{date}");
        assert_eq!(dated("Pass", json!(date)), (Status::Secure, false), "{date}");
        assert_eq!(dated("Omitted", json!(date)), (Status::NotAssessed, false), "{date}");
    }
    for none in [json!(null), json!(""), json!(" "), json!("N/A")] {
        assert_eq!(dated("Fail", none), (Status::Open, false));
    }
    for text in ["soon", "2026-13-31", "/Date(x)/"] {
        assert_eq!(dated("Fail", json!(text)), (Status::Open, true), "{text}");
    }
}

#[test]
fn the_worst_of_several_rows_counts() {
    let worst = |results_of_rows: &[&str]| {
        let rows: Vec<_> = results_of_rows.iter().map(|result| row("MS.AAD.1.1v1", result)).collect();
        let run = run(&results(&rows));
        assert_eq!(run.findings.len(), 1);
        assert!(run.issues.iter().any(|issue| issue.kind == IssueKind::DuplicateControl));
        run.findings[0].check.status
    };
    assert_eq!(worst(&["Pass", "Fail", "N/A"]), Status::Open);
    assert_eq!(worst(&["Pass", "N/A"]), Status::NotAssessed);
    assert_eq!(worst(&["Pass", "Pass"]), Status::Secure);
}

#[test]
fn a_long_state_is_cut_as_every_tools_is() {
    let mut long = row("MS.AAD.1.1v1", "Fail");
    long["Details"] = json!(format!("{}<br/>{}", "x".repeat(400), "line<br/>".repeat(30)));
    let state = run(&results(&[long])).findings.remove(0).check.current_state;
    let lines: Vec<_> = state.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1]), (21, &*format!("{}…", "x".repeat(300)), "line"));
    assert_eq!(lines[20], "and 11 more lines");
}

#[test]
fn an_issue_names_no_product_but_the_tools_own() {
    let messages = |product: &str| {
        let mut file: serde_json::Value = serde_json::from_slice(&results(&[])).unwrap();
        file["Results"] = json!({ product: ["no group", { "Controls": ["no row"] }] });
        let issues = run(file.to_string().as_bytes()).issues.into_iter();
        issues.filter(|issue| issue.kind == IssueKind::UnreadableRow).map(|issue| issue.message).collect::<Vec<_>>()
    };
    for (product, named) in [("Teams", "Teams"), ("somebody@example.com", "a product")] {
        assert_eq!(
            messages(product),
            [
                format!("skipped a group of {named} that has no controls"),
                format!("skipped row 1 of a group of {named}, which is not a control result"),
            ]
        );
    }
}

#[test]
fn administrators_are_counted_only_where_they_are_listed() {
    let count = |raw: serde_json::Value| {
        let mut file: serde_json::Value = serde_json::from_slice(&results(&[row("MS.AAD.1.1v1", "Pass")])).unwrap();
        file["Raw"] = raw;
        let run = run(file.to_string().as_bytes());
        let unknown = run.issues.iter().any(|issue| issue.kind == IssueKind::AdministratorsUnknown);
        assert_eq!(run.admins.count.is_none(), unknown);
        run.admins.count
    };
    assert_eq!(count(json!({ "privileged_users": { "a": { "roles": ["Global Administrator"] } } })), Some(1));
    assert_eq!(count(json!({ "privileged_users": { "a": { "roles": [] } } })), Some(0));
    for unlisted in [json!(null), json!({}), json!({ "privileged_users": {} }), json!({ "privileged_users": [] })] {
        assert_eq!(count(unlisted), None);
    }
}

#[test]
fn a_file_without_results_is_refused_with_a_reason() {
    let cut = &RESULTS[..RESULTS.len() / 2];
    let deep = [r#"{"MetaData":{},"Results":{"AAD":"#, &"[".repeat(100_000), &"]".repeat(100_000), "}}"].concat();
    let no_utf8 = [&b"\xff\xfe\x00\xd8"[..], b"{\x80}"];
    let messages: Vec<String> = [
        b"".as_slice(),
        b" \r\n",
        b"<!DOCTYPE html><html></html>",
        b"{\"MetaData\": nonsense}",
        b"{\"somebody@example.com\": 1}",
        b"[1, 2]",
        b"[[{}]]",
        b"some text",
        b"{\"MetaData\": {}, \"Results\": \"somebody@example.com\"}",
        b"{\"MetaData\": {}, \"Results\": {\"AAD\": 1e999}}",
        cut.as_bytes(),
        deep.as_bytes(),
        no_utf8[0],
        no_utf8[1],
    ]
    .iter()
    .map(|bytes| read(bytes).unwrap_err().to_string())
    .collect();
    insta::assert_json_snapshot!("refusals", messages);
    assert!(messages.iter().all(|message| !message.contains('@')), "an error repeats the file's text");
}

#[test]
fn debug_output_names_nobody() {
    let run = run(RESULTS.as_bytes());
    let debug = format!("{run:?}");
    for text in ["Example", "Person", "policies", "11111111"] {
        assert!(!debug.contains(text), "{text} in {debug}");
    }
}
