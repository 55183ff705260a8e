//! Documents: their conformance, their content, and that no text in a report breaks them.
#![cfg(feature = "pdf")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod poppler;
mod sample;

use operations::brand::{Accent, Brand, Paper};
use poppler::{attachment_of, missing_from, squeezed, text_of};
use report_pdf::{RenderError, render};
use serde_json::{Value, json};

fn brand() -> Brand {
    let (name, footer) = ("Northwind".to_owned(), "Northwind · Confidential".to_owned());
    Brand { name, footer, accent: Accent::default(), logo: None }
}

fn document(report: &[u8]) -> Vec<u8> {
    // The exporter refuses documents that do not conform to PDF/UA-1 and PDF/A-3a.
    render(report, &brand(), Paper::A4).unwrap()
}

fn missing_texts(report: &[u8]) -> Vec<String> {
    missing_from(&document(report), report)
}

#[test]
fn every_text_of_a_report_is_in_the_document() {
    assert_eq!(missing_texts(&sample::follow_up().to_string().into_bytes()), Vec::<String>::new());
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
        let shown = text_of(&document(report.to_string().as_bytes()));
        assert!(shown.is_none_or(|shown| shown.contains(&squeezed(name))), "{name}");
    }
    // Their letters are laid out from right to left, which tools extract in different orders.
    for name in ["مجموعة فابريكام", "קבוצת פבריקם", "กลุ่มบริษัท", "फैब्रिकाम समूह"]
    {
        report["tenant"]["name"] = json!(name);
        document(report.to_string().as_bytes());
    }
}

#[test]
fn the_attachment_is_the_report_byte_for_byte_and_follows_an_edit() {
    let report = sample::follow_up();
    let mut edited = report.clone();
    edited["checks"][0]["currentState"] = json!("Changed by hand.");
    let Some(shown) = text_of(&document(edited.to_string().as_bytes())) else { return };
    assert!(shown.contains("Changedbyhand."));
    for report in [report.to_string(), edited.to_string()] {
        let attached = attachment_of(&document(report.as_bytes()));
        assert!(attached.is_none_or(|attached| attached == report.as_bytes()));
    }
}

#[test]
fn the_same_report_and_brand_result_in_the_same_bytes() {
    let report = sample::follow_up().to_string();
    let first = document(report.as_bytes());
    assert_ne!(render(report.as_bytes(), &brand(), Paper::Letter).unwrap(), first);
    assert_eq!(document(report.as_bytes()), first);
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
    let Some(shown) = text_of(&document(report.to_string().as_bytes())) else { return };
    assert!(shown.contains(&squeezed(markup)));
    assert!(shown.contains("#setpage(fill:red)gpj.exe"));
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
    document(report.to_string().as_bytes());
}

#[test]
fn a_file_that_is_not_a_report_is_refused() {
    for other in [&b"{}"[..], b"", b"null", b"[1, 2"] {
        assert!(matches!(render(other, &brand(), Paper::A4), Err(RenderError::NotAReport(_))));
    }
}
