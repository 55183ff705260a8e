//! Documents: their conformance, their content, and that no text in a report breaks them.
#![cfg(feature = "pdf")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod poppler;
mod sample;

use std::collections::BTreeMap;

use model::Timestamp;
use operations::brand::{Accent, Brand};
use operations::documents::{Choice, Document, Kind, Paper, Point, Tasks};
use poppler::{attachment_of, missing_from, pages_of, squeezed, text_of};
use report_pdf::{RenderError, render};
use serde_json::{Value, json};
use store::Assignment;

/// Fewest lines of a page besides its header and footer: a page with fewer is a remainder that the reader stumbles over.
const FEWEST_LINES: usize = 4;

fn choice(kind: Kind, paper: Paper) -> Choice {
    Choice { kind, paper, ..Choice::default() }
}

fn made(report: &Value, history: &[(&str, u8)], choice: Choice) -> Vec<u8> {
    let (name, footer) = ("Northwind".to_owned(), "Northwind · Confidential".to_owned());
    let brand = Brand { name, footer, accent: Accent::default(), logo: None };
    let point = |&(day, score): &(&str, u8)| {
        let completed: Timestamp = format!("{day}T09:30:00Z").parse().unwrap();
        Point { completed, score }
    };
    let history = history.iter().map(point).collect();
    let (owner, note) = (Some("Dana".to_owned()), Some("After the move.".to_owned()));
    let assignment = Assignment { owner, due: Some("2026-06-30".parse().unwrap()), note };
    // The first is open, and the other one is fixed.
    let tasks = ["CTL.1", "CTL.2"].map(|control| (control.parse().unwrap(), assignment.clone()));
    let tasks = if choice.tasks == Tasks::Shown { tasks.into() } else { BTreeMap::new() };
    let document = Document { brand, tool: "ScubaGear".to_owned(), history, tasks, choice };
    // The exporter refuses documents that do not conform to PDF/UA-1 and PDF/A-3a.
    render(report.to_string().as_bytes(), &document).unwrap()
}

fn document(report: &Value) -> Vec<u8> {
    made(report, &[("2025-10-06", 74)], Choice::default())
}

#[test]
fn every_text_of_a_report_is_in_the_document() {
    let mut report = sample::follow_up();
    report["checks"][1]["currentState"] =
        json!("Found two:\nName | State | Since\nOne | On | 2025\nTwo | | 2024\n- a\n- b\nGet-It | Set-It");
    assert_eq!(missing_from(&document(&report), report.to_string().as_bytes()), Vec::<String>::new());
}

#[test]
fn names_of_many_scripts_are_in_the_document() {
    let mut report = sample::follow_up();
    for name in [
        "株式会社ファブリカム",
        "北京市海淀区",
        "주식회사 파브리캄",
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunternehmen",
        "Ελληνική Εταιρεία – Українська",
    ] {
        report["tenant"]["name"] = json!(name);
        let shown = text_of(&document(&report));
        assert!(shown.is_none_or(|shown| shown.contains(&squeezed(name))), "{name}");
    }
    // Their letters are laid out from right to left, which tools extract in different orders.
    for name in ["مجموعة فابريكام", "קבוצת פבריקם", "กลุ่มบริษัท", "फैब्रिकाम समूह"]
    {
        report["tenant"]["name"] = json!(name);
        document(&report);
    }
}

#[test]
fn the_attachment_is_the_report_byte_for_byte_and_follows_an_edit() {
    let report = sample::follow_up();
    let mut edited = report.clone();
    edited["checks"][0]["currentState"] = json!("Changed by hand.");
    let Some(shown) = text_of(&document(&edited)) else { return };
    assert!(shown.contains("Changedbyhand."));
    for report in [report, edited] {
        let attached = attachment_of(&document(&report));
        assert!(attached.is_none_or(|attached| attached == report.to_string().as_bytes()));
    }
}

#[test]
fn the_same_report_and_choice_result_in_the_same_bytes() {
    let report = sample::follow_up();
    let first = document(&report);
    assert_ne!(made(&report, &[("2025-10-06", 74)], choice(Kind::Everything, Paper::Letter)), first);
    assert_eq!(document(&report), first);
}

#[test]
fn a_board_gets_three_pages_and_open_items_leave_out_what_is_secure() {
    let mut report = sample::follow_up();
    let long = "A sentence of a tool that goes on and on, with words. ".repeat(40);
    for check in report["checks"].as_array_mut().unwrap() {
        check["why"] = json!(long);
        check["suggestedFix"] = json!(format!("MFA, DMARC, DKIM, SPF , guests, consent, audit, device code. {long}"));
    }
    let histories = [&[("2025-10-06", 74)][..], &[("2024-08-02", 67), ("2025-01-09", 70), ("2025-10-06", 74)]];
    let foreword: String =
        (1..=12).map(|line| format!("Line {line} of our own words, as long as they may be.\n")).collect();
    for (history, paper) in histories.into_iter().zip([Paper::Letter, Paper::A4]) {
        let board = Choice { foreword: foreword.parse().unwrap(), ..choice(Kind::Board, paper) };
        let Some(pages) = pages_of(&made(&report, history, board)) else { return };
        assert_eq!(pages.len(), 3, "{paper:?}");
        assert!(pages[0].contains("Line 12 of our own words") && pages[0].contains("for the board"), "{}", pages[0]);
        assert!(pages[2].contains("Results by section") && pages[2].contains("Terms"), "{}", pages[2]);
    }
    let open = text_of(&made(&report, histories[1], choice(Kind::Open, Paper::A4))).unwrap();
    // Drifted, open and in progress; fixed, secure and not assessed.
    for (at, shown) in [(0, true), (1, true), (4, true), (2, false), (3, false), (5, false)] {
        assert_eq!(open.contains(&format!("Nowitisso{at}")), shown, "{at}");
    }
}

#[test]
fn an_accepted_risk_is_counted_and_shown_with_its_reason_and_its_end() {
    let mut report = sample::follow_up();
    report["checks"][1]["acceptedRisk"] = json!({ "reason": "New devices come in May.", "until": "2026-05-31" });
    report["topRisks"].as_array_mut().unwrap().pop();
    let everything = document(&report);
    let missing = missing_from(&everything, report.to_string().as_bytes());
    assert!(missing.is_empty() || missing == ["2026-05-31"], "only the day is written in words: {missing:?}");
    let Some(shown) = text_of(&everything) else { return };
    assert!(shown.contains("1riskoftheothersisaccepted."), "{shown}");
    assert!(shown.contains("Riskaccepteduntil31May2026NewdevicescomeinMay."), "{shown}");
    report["topRisks"] = json!([]);
    let board = text_of(&made(&report, &[("2025-10-06", 74)], choice(Kind::Board, Paper::A4))).unwrap();
    assert!(board.contains("Noopenriskwasfound,butforacceptedones."), "{board}");
}

#[test]
fn the_task_of_an_open_control_is_shown_if_chosen() {
    let with = Choice { tasks: Tasks::Shown, ..Choice::default() };
    let Some(shown) = text_of(&made(&sample::follow_up(), &[("2025-10-06", 74)], with)) else { return };
    assert_eq!(shown.matches("TaskDana,due2026-06-30:Afterthemove.").count(), 1, "{shown}");
    assert!(!text_of(&document(&sample::follow_up())).unwrap().contains("Dana"));
}

#[test]
fn the_history_and_the_scores_of_sections_are_shown() {
    let history = [("2024-08-02", 67), ("2025-01-09", 70), ("2025-10-06", 74)];
    let document = made(&sample::follow_up(), &history, choice(Kind::Board, Paper::A4));
    let Some(pages) = pages_of(&document) else { return };
    let shown = squeezed(&pages[2]);
    assert!(shown.contains("3reportsofScubaGearsince2August2024.Thescoreis7pointshigherthaninthefirstone."), "{shown}");
    // A critical control that drifted, and a medium one that is fixed: nothing and everything.
    assert!(shown.contains("Conditionalaccess0000010") && shown.contains("Globaladministrators100010000"), "{shown}");
}

#[test]
fn numbers_of_an_incomplete_list_of_administrators_are_not_known() {
    let mut report = sample::follow_up();
    for (complete, count, told) in [
        (
            true,
            2,
            "2peopleholdthehighestprivilege,wherebestpracticeisatmost4;atthebaselinethenumberwas3.Astrongsign-inmethodisusedby1ofthem.",
        ),
        (
            false,
            18,
            "18peopleholdthehighestprivilege,wherebestpracticeisatmost4;atthebaselinethenumberwas3.Howmanyofthemsigninwithastrongmethodisnotknown",
        ),
        (false, 0, "Thenumberofpeoplewhoholdthehighestprivilegeisnotknown,wherebestpracticeisatmost4"),
    ] {
        report["globalAdmins"]["dataComplete"] = json!(complete);
        report["globalAdmins"]["count"] = json!(count);
        let Some(shown) = text_of(&document(&report)) else { return };
        assert!(shown.contains(told), "{shown}");
        assert_eq!(shown.contains("notknownwithastrongsign-inmethod"), !complete, "{shown}");
        assert_eq!(shown.contains("notknownadministrators"), count == 0, "{shown}");
    }
}

#[test]
fn controls_that_were_not_assessed_again_are_told_before_the_score() {
    let mut report = sample::follow_up();
    for lost in [0, 2, 10, 19] {
        let reasons = json!([{ "reason": "ERROR", "controls": lost }]);
        report["coverage"] = json!({ "previouslyAssessed": 20, "lost": lost, "reasons": reasons });
        let Some(pages) = pages_of(&document(&report)) else { return };
        let [cover, shown] = [squeezed(&pages[0]), squeezed(&pages.concat())];
        let told = format!(
            "{lost}controlsassessedbeforewerenotassessedthistime({lost}withanerror),sothescorecovers{}ofthose20.",
            20 - lost
        );
        let on_cover = format!("Notcomparablewiththebaseline:{told}Thescoresarenotcomparable.");
        assert_eq!(cover.contains(&on_cover), lost > 2, "{cover}");
        let first = shown.find(&told).unwrap_or(usize::MAX);
        assert_eq!(first < shown.find("Thescoreis").unwrap(), lost > 0, "{shown}");
    }
}

#[test]
fn no_page_is_a_remainder_however_many_administrators_are_listed() {
    let mut report = sample::follow_up();
    let administrator = report["globalAdmins"]["admins"][0].clone();
    for (number, kind) in
        [(4, Kind::Everything), (22, Kind::Open), (23, Kind::Open), (24, Kind::Open), (25, Kind::Open)]
    {
        report["globalAdmins"]["admins"] = Value::Array(vec![administrator.clone(); number]);
        let Some(pages) = pages_of(&made(&report, &[("2025-10-06", 74)], choice(kind, Paper::A4))) else { return };
        for (page, text) in pages.iter().enumerate() {
            let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
            assert!(lines >= 2 + FEWEST_LINES, "page {page} with {number} administrators: {text}");
        }
    }
}

#[test]
fn times_are_written_as_people_write_them() {
    let Some(shown) = text_of(&document(&sample::follow_up())) else { return };
    assert!(
        shown.contains("Completed6October2025,22:30UTC") && shown.contains("completed2August2024,19:25UTC"),
        "{shown}"
    );
    assert!(!shown.contains("2025-10-06T"), "{shown}");
}

#[test]
fn the_first_steps_are_whole_sentences_without_the_texts_that_tools_write_for_their_own_pages() {
    let mut report = sample::follow_up();
    report["checks"][0]["suggestedFix"] =
        json!("1. We provide guidance. [Go to the wizard](https://example.com/?q=x\" # \"/y). 2. Then do it.");
    report["checks"][1]["suggestedFix"] = json!(format!("Block it by policy. {}", "And so on. ".repeat(30)));
    let Some(pages) = pages_of(&document(&report)) else { return };
    let summary = squeezed(&pages[1]);
    let expected = "Whattodofirst1Officefiles,fiandffl0CTL.02Blockitbypolicy.CTL.1Globaladministrators";
    assert!(summary.contains(expected), "{summary}");
}

#[test]
fn texts_that_attack_are_harmless() {
    let mut report = sample::follow_up();
    let markup = "#panic(\"x\") #import \"/etc/passwd\" = Title $x$ `raw` @ref <label> \\ ]]} #{ [";
    report["tenant"]["name"] = json!("#set page(fill: red) \u{202e}gpj.exe\u{2066}");
    report["checks"][0]["name"] = json!(markup);
    report["checks"][0]["currentState"] = json!("word ".repeat(2_000));
    report["checks"][1]["currentState"] = json!("x".repeat(10_000));
    report["checks"][1]["why"] = json!("\u{0}\u{1}\u{7f}\u{85}\u{e000}\u{fdd0}\u{10ffff}\r\n\t\u{feff}\u{fffe}");
    report["checks"][1]["suggestedFix"] = json!("a\u{300}".repeat(3_000));
    report["topRisks"][0]["name"] = json!("W".repeat(10_000));
    let Some(shown) = text_of(&document(&report)) else { return };
    assert!(shown.contains(&squeezed(markup)));
    assert!(shown.contains("#setpage(fill:red)gpj.exe"));
}

#[test]
fn values_of_a_later_release_are_unknown_and_count_as_not_assessed() {
    let mut report = sample::follow_up();
    for (field, value) in [("status", "LATER"), ("severity", "SEVERE"), ("category", "DEVICES")] {
        report["checks"][0][field] = json!(value);
    }
    let Some(shown) = text_of(&document(&report)) else { return };
    // A section with one control, which has no score.
    assert!(shown.contains("Othernone000001"), "{shown}");
}

#[test]
fn a_report_without_findings_has_a_document() {
    let mut report = sample::follow_up();
    for list in ["checks", "topRisks"] {
        report[list] = json!([]);
    }
    report["globalAdmins"]["admins"] = json!([]);
    for count in ["assessed", "secure", "fixed", "inProgress", "open", "drifted", "notAssessed"] {
        report["controls"][count] = json!(0);
    }
    report["score"] = json!(0);
    report["baseline"] = Value::Null;
    report["previousScore"] = Value::Null;
    report["previousGrade"] = Value::Null;
    report["reportType"] = json!("BASELINE");
    document(&report);
}

#[test]
fn a_file_that_is_not_a_report_is_refused() {
    let brand = Brand { name: String::new(), footer: String::new(), accent: Accent::default(), logo: None };
    let nothing =
        Document { brand, tool: String::new(), history: Vec::new(), tasks: BTreeMap::new(), choice: Choice::default() };
    for other in [&b"{}"[..], b"", b"null", b"[1, 2"] {
        assert!(matches!(render(other, &nothing), Err(RenderError::NotAReport(_))));
    }
}
