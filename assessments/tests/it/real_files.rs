//! Real-world files: rewritten by Excel or PowerShell, of older versions of a tool, or next to the file to import.

use assessments::{IssueKind, NoReport, Run, Unreadable, assemble, combine, read};
use model::Status;
use serde_json::{Value, json};

use crate::support::{results, row, run, settings};
use crate::{maester, prowler, zerotrust};

const PROWLER: &str = include_str!("../fixtures/prowler.csv");

/// Returns the status of each control, in order of the ids.
fn statuses(run: &Run) -> Vec<(&str, Status)> {
    run.findings.iter().map(|finding| (finding.check.control_id.as_str(), finding.check.status)).collect()
}

fn refusal(file: &[u8]) -> Unreadable {
    read(&file).unwrap_err()
}

/// Returns why the file makes no report.
fn no_report(file: &[u8]) -> NoReport {
    assemble(&run(file), &settings()).err().unwrap()
}

fn messages(run: &Run, kind: IssueKind) -> Vec<&str> {
    run.issues.iter().filter(|issue| issue.kind == kind).map(|issue| issue.message.as_str()).collect()
}

/// Returns a ScubaGear file with one row, changed.
fn scubagear(change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut file = serde_json::from_slice(&results(&[row("MS.AAD.1.1v1", "Fail")])).unwrap();
    change(&mut file);
    file.to_string().into_bytes()
}

/// Returns the table's header and its first row, with cells of the row replaced.
fn prowler_table(cells: &[(&str, &str)]) -> String {
    let mut table = csv::ReaderBuilder::new().delimiter(b';').from_reader(PROWLER.as_bytes());
    let header = table.headers().unwrap().clone();
    let row = table.records().next().unwrap().unwrap();
    let row = header
        .iter()
        .zip(&row)
        .map(|(column, cell)| cells.iter().find(|(name, _)| *name == column).map_or(cell, |(_, cell)| *cell));
    let mut changed = csv::WriterBuilder::new().delimiter(b';').from_writer(Vec::new());
    changed.write_record(&header).unwrap();
    changed.write_record(row).unwrap();
    String::from_utf8(changed.into_inner().unwrap()).unwrap()
}

#[test]
fn the_sister_tool_for_another_suite_is_refused_by_name() {
    let file = scubagear(|file| {
        file["MetaData"]["Tool"] = json!("ScubaGoggles");
        file["MetaData"]["ProductSuite"] = json!("Google Workspace");
    });
    let message = "the file contains results of ScubaGoggles for Google Workspace; only results for Microsoft 365 can be \
                   imported";
    assert_eq!(refusal(&file).to_string(), message);
    let same = scubagear(|file| file["MetaData"]["ProductSuite"] = json!("Microsoft 365"));
    assert_eq!(run(&same).findings.len(), 1);
}

#[test]
fn invalid_json_behind_whole_results_is_an_issue() {
    let file = String::from_utf8(scubagear(|_| ())).unwrap();
    let raw = r#", "Raw": {"aad": {"users": [{"a": 1}, ], "privileged_users": {}}}"#;
    let broken = format!("{}{raw}}}", file.strip_suffix('}').unwrap());
    assert!(serde_json::from_str::<Value>(&broken).is_err());
    let run = run(broken.as_bytes());
    assert_eq!(statuses(&run), [("MS.AAD.1.1", Status::Open)]);
    assert_eq!((run.admins.count, messages(&run, IssueKind::UnreadableField).len()), (None, 1));

    let in_results = file.replace("\"Results\":{", "\"Results\":{\"EXO\":[ , ],");
    assert!(matches!(refusal(in_results.as_bytes()), Unreadable::Malformed(_)));
    let cut = &file[..file.find("Requirement").unwrap()];
    assert!(matches!(refusal(cut.as_bytes()), Unreadable::CutOff { .. }));
}

#[test]
fn bold_marks_of_a_note_are_not_text() {
    let file = scubagear(|file| {
        file["Results"]["AAD"][0]["Controls"][0]["Details"] = json!("**NOTE: a licence is missing** 2 of 3");
    });
    assert_eq!(run(&file).findings[0].check.current_state, "NOTE: a licence is missing 2 of 3");
}

#[test]
fn a_table_is_known_by_the_columns_it_needs() {
    let table = "sep=;\r\n Details;Result;Control ID;More;Criticality;Requirement\r\n\
                 x;Fail;MS.AAD.1.1v1;;Shall;y\r\n;;;;;\r\nx;Pass;MS.EXO.1.1v2;;Shall;y\r\n";
    let utf_16: Vec<u8> = ["\u{feff}", table].concat().encode_utf16().flat_map(u16::to_le_bytes).collect();
    for file in [table.as_bytes(), &utf_16] {
        let run = run(file);
        assert_eq!(statuses(&run), [("MS.AAD.1.1", Status::Open), ("MS.EXO.1.1", Status::Secure)]);
        assert_eq!((run.rows.total, run.rows.lost), (2, 0));
    }
}

#[test]
fn rows_of_only_separators_are_not_rows() {
    let table = prowler_table(&[]);
    let blank = ";".repeat(table.lines().next().unwrap().matches(';').count());
    let run = run(format!("{table}{blank}\n{blank}\n").as_bytes());
    assert_eq!((run.rows.total, run.rows.lost, run.findings.len()), (1, 0, 1));
    let header = table.lines().next().unwrap();
    for empty in [format!("{header}\n"), format!("{header}\n{blank}\n")] {
        assert_eq!(refusal(empty.as_bytes()), Unreadable::NoRows);
    }
}

#[test]
fn a_muted_finding_is_muted_in_every_language_of_excel() {
    let muted = |word: &str| {
        let run = run(prowler_table(&[("MUTED", word), ("STATUS", "FAIL")]).as_bytes());
        (run.findings[0].check.status, messages(&run, IssueKind::UnreadableField).len())
    };
    for word in ["TRUE", "True", "WAHR", "vrai", "VERDADERO", "doğru", "ИСТИНА"] {
        assert_eq!(muted(word), (Status::NotAssessed, 0), "{word}");
    }
    for word in ["False", "FALSCH", "faux", ""] {
        assert_eq!(muted(word), (Status::Open, 0), "{word}");
    }
    assert_eq!(muted("Perhaps"), (Status::Open, 1), "an unknown word is an issue");
}

#[test]
fn a_time_is_read_as_excel_and_powershell_write_it() {
    let of_table = |time: &str| {
        let run = run(prowler_table(&[("TIMESTAMP", time)]).as_bytes());
        run.completed.map(|time| time.to_string())
    };
    assert_eq!(of_table("01.05.2026 09:00").as_deref(), Some("2026-05-01T09:00:00.000Z"));
    assert_eq!(of_table("46143.375").as_deref(), Some("2026-05-01T09:00:00.000Z"));
    let of_maester = |time: Value| {
        let mut file = maester::results(&[maester::test("MT.1001", "Passed", "x")]);
        (file["ExecutedAt"], file["TotalDuration"]) = (time, json!("00:01:00"));
        let run = run(file.to_string().as_bytes());
        run.started.zip(run.completed).map(|(start, end)| (start.to_string(), end.to_string()))
    };
    let minute = Some(("2026-05-01T09:00:00.000Z".to_owned(), "2026-05-01T09:01:00.000Z".to_owned()));
    for time in [
        json!("/Date(1777626000000)/"),
        json!("2026-05-01T11:00:00+02:00"),
        json!({ "value": "2026-05-01T11:00:00.0000000+02:00", "DisplayHint": 2, "DateTime": "Friday" }),
        json!({ "value": "/Date(1777626000000)/" }),
    ] {
        assert_eq!(of_maester(time.clone()), minute, "{time}");
    }
}

#[test]
fn a_run_without_a_readable_time_makes_no_report() {
    let zerotrust = |time: Value| {
        let mut file = zerotrust::results(&[zerotrust::test(&json!(21796), "Passed", "x")]);
        file["ExecutedAt"] = time;
        no_report(file.to_string().as_bytes()).to_string()
    };
    for (time, reason) in [
        (json!(null), "does not contain the time of the run"),
        (json!("yesterday"), "is unreadable"),
        (json!("2026-05-01T09:00:00"), "has no offset from UTC"),
        (json!({ "DateTime": "Friday" }), "is unreadable"),
    ] {
        let message = zerotrust(time.clone());
        assert!(message.contains(reason) && message.contains("--completed-at"), "{time}: {message}");
    }
    let ambiguous = no_report(prowler_table(&[("TIMESTAMP", "05/01/2026 09:00")]).as_bytes()).to_string();
    assert!(ambiguous.contains("ambiguous"), "{ambiguous}");
}

#[test]
fn a_given_time_distinguishes_runs_without_a_time() {
    let table = "Control ID,Requirement,Result,Criticality,Details\nMS.AAD.1.1v1,x,Pass,Shall,y\n";
    let at = |time: &str| {
        let mut run = run(table.as_bytes());
        run.complete_at(time.parse().unwrap());
        assert_eq!(messages(&run, IssueKind::TimeUnknown), [""; 0]);
        run.run_id
    };
    assert_eq!(at("2026-05-01T00:00:00Z"), at("2026-05-01T00:00:00Z"));
    assert_ne!(at("2026-05-01T00:00:00Z"), at("2026-06-01T00:00:00Z"));
    let mut known = run(&scubagear(|_| ()));
    let (id, end) = (known.run_id.clone(), known.completed);
    known.complete_at("2026-05-01T00:00:00Z".parse().unwrap());
    assert_eq!((known.run_id, known.completed), (id, end), "the file's own time counts");
}

#[test]
fn a_time_without_offset_is_taken_from_the_epoch() {
    let completed = |local: &str, epoch: Value| {
        let mut finding = prowler::finding("entra_x", "PASS", "x");
        (finding["time_dt"], finding["time"]) = (json!(local), epoch);
        run(&prowler::results(&[finding])).completed.unwrap().to_string()
    };
    assert_eq!(completed("2026-05-01T11:00:00.5", json!(1_777_626_000)), "2026-05-01T09:00:00.000Z");
    assert_eq!(completed("2026-05-01T09:00:00.5", json!(1_777_626_000)), "2026-05-01T09:00:00.500Z");
    assert_eq!(completed("2026-05-01T11:00:00+02:00", json!(7)), "2026-05-01T09:00:00.000Z");
    assert_eq!(completed("2026-05-01T11:00:00", json!(0)), "2026-05-01T11:00:00.000Z");
}

#[test]
fn numbered_recommendations_are_named_by_their_titles() {
    let titled = |number: u8, result: &str, title: &str| {
        let mut test = maester::test(&format!("MT.1024.{number}"), result, "x");
        test["Title"] = json!(format!("Entra Recommendation - {title}"));
        test
    };
    let file = maester::results(&[
        titled(1, "Passed", "Use least privileged administrative roles"),
        titled(2, "Failed", "Enable policy to block legacy authentication"),
        titled(3, "Passed", "Remove unused applications"),
    ]);
    assert_eq!(
        statuses(&run(file.to_string().as_bytes())),
        [
            ("MT.1024.blockLegacyAuthentication", Status::Open),
            ("MT.1024.roleOverlap", Status::Secure),
            ("MT.1024.staleApps", Status::Secure),
        ]
    );
}

#[test]
fn each_reason_for_no_report_has_its_own_sentence() {
    let of = |id: &str, result: &str, block: &str| {
        let mut test = maester::test(id, result, "x");
        test["Block"] = json!(block);
        no_report(maester::results(&[test]).to_string().as_bytes()).to_string()
    };
    assert_eq!(
        of("AD-COMP-01", "Failed", "Active Directory - Computer Objects"),
        "none of the controls fits a section of a report: 1 about the on-premises directory"
    );
    assert!(of("MT.1001", "Skipped", "Maester/Entra").contains("has 1 control, but the tool assessed none"));
    assert!(of("MT.1001", "Perhaps", "Maester/Entra").contains("has 1 control, none with a known result"));
    let none = no_report(maester::results(&[]).to_string().as_bytes()).to_string();
    assert!(none.contains("no control results"), "{none}");
    let unreadable = no_report(maester::results(&[json!("@{Id=MT.1001}")]).to_string().as_bytes()).to_string();
    assert!(unreadable.contains("the file has 1 row, but none is readable"), "{unreadable}");
}

#[test]
fn a_text_without_a_bound_is_shortened_as_it_is_read() {
    let users =
        "| [Firstname Lastname](https://example.com/00000000-0000-4000-8000-000000000000) | x |\n".repeat(100_000);
    let found = format!("Found users.\n\n| User | Method |\n| :-- | :-- |\n{users}");
    assert!(found.len() > 8 << 20);
    let file = zerotrust::results(&[zerotrust::test(&json!("21801"), "Failed", &found)]);
    let run = run(file.to_string().as_bytes());
    let state = &run.findings[0].check.current_state;
    assert!(state.starts_with("Found users.\nUser | Method\nFirstname Lastname | x"), "{state}");
    assert_eq!(state.lines().count(), 21);
}

#[test]
fn lists_are_read_as_powershell_saves_them() {
    let user = json!({
        "Id": "a", "UserPrincipalName": "a@example.com", "DisplayName": "A", "Mail": null, "AccountEnabled": true,
        "AssignedLicenses": [{ "SkuId": "sku-1", "DisabledPlans": [] }],
        "LastPasswordChangeDateTime": "/Date(1777626000000)/",
    });
    for file in [json!([user]), json!(user), json!({ "value": [user], "Count": 1 }), json!({ "Results": [user] })] {
        let combined = combine([read(&file.to_string().into_bytes()).unwrap()]);
        assert_eq!(combined.directory.unwrap().users().unwrap().len(), 1, "{file}");
    }
    let score = json!({
        "Id": "t_2026-05-01", "AzureTenantId": "11111111-2222-3333-4444-555555555555",
        "CreatedDateTime": "2026-05-01T00:00:00Z",
        "ControlScores": [
            { "ControlName": "OneAdmin", "Score": 1, "AdditionalProperties": { "scoreInPercentage": 100, "count": 2 } },
            { "ControlName": "MFARegistrationV2", "Score": 1, "AdditionalProperties": { "scoreInPercentage": 20 } },
        ],
    });
    for file in [json!([score]), json!({ "Results": score })] {
        let mut runs = combine([read(&file.to_string().into_bytes()).unwrap()]).runs;
        let run = runs.pop().unwrap();
        assert_eq!(statuses(&run), [("MFARegistrationV2", Status::Open), ("OneAdmin", Status::Secure)]);
        assert_eq!((run.admins.count, run.tenant.is_some()), (Some(2), true));
    }
}

#[test]
fn companions_and_binary_files_are_called_by_their_names() {
    for (file, named) in [
        (&br#"[{"PolicyId": "MS.AAD.1.1v1", "RequirementMet": false}]"#[..], "TestResults.json: import ScubaResults"),
        (br#"{"module_version": "1.8.0", "scuba_config": {}, "tenant_details": {}}"#, "ProviderSettingsExport.json"),
        (b"PROVIDER;REQUIREMENTS_ID;STATUS;CHECKID\nm365;1.1;PASS;x\n", "compliance framework"),
        (b"PK\x03\x04\x14\x00\x00\x00\x08\x00\xff", "a ZIP archive"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"\x89PNG\r\n", "an image"),
    ] {
        let message = refusal(file).to_string();
        assert!(message.contains(named), "{message}");
    }
}
