//! Reads documents with another program: Poppler's tools, if they are installed.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::Command;
use std::sync::Once;

use serde_json::Value;

/// Returns the document's text without white space, or `None` and a message if the tools are not installed.
pub(crate) fn text_of(document: &[u8]) -> Option<String> {
    Some(squeezed(&pages_of(document)?.concat()))
}

/// Returns the text of each page, or `None` and a message if the tools are not installed.
pub(crate) fn pages_of(document: &[u8]) -> Option<Vec<String>> {
    let text = String::from_utf8(run(document, "pdftotext", &["-raw"])?).unwrap();
    Some(text.split_terminator('\u{c}').map(str::to_owned).collect())
}

/// Returns the first attachment, or `None` and a message if the tools are not installed.
pub(crate) fn attachment_of(document: &[u8]) -> Option<Vec<u8>> {
    run(document, "pdfdetach", &["-save", "1", "-o"])
}

/// Returns the texts of a report's JSON that its document lacks; none if the tools are not installed.
pub(crate) fn missing_from(document: &[u8], report: &[u8]) -> Vec<String> {
    let Some(shown) = text_of(document) else { return Vec::new() };
    let mut wanted = Vec::new();
    texts(&serde_json::from_slice(report).unwrap(), &mut wanted);
    wanted.retain(|text| !holds(&shown, &squeezed(text)));
    wanted
}

/// Returns whether a line is shown completely. A long text continues on the next page, after the repeated header of its
/// page and row, so it may be shown in a few pieces, in order.
fn holds(shown: &str, text: &str) -> bool {
    has_pieces(shown, text, 2 + text.len() / 1_000)
}

/// Returns whether a text is shown in at most so many pieces. Other texts may begin alike, so each place is tried.
fn has_pieces(shown: &str, text: &str, most: usize) -> bool {
    let beginning: String = text.chars().take(20).collect();
    text.is_empty()
        || most > 0
            && shown.match_indices(&beginning).any(|(at, _)| {
                let same = shown[at..].chars().zip(text.chars()).take_while(|(a, b)| a == b);
                let length: usize = same.map(|(character, _)| character.len_utf8()).sum();
                has_pieces(&shown[at + length..], &text[length..], most - 1)
            })
}

/// Returns all lines that people wrote in a report, without its codes and times, which the document spells as words.
fn texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        // The items of a list have another sign.
        Value::String(text) => {
            texts.extend(text.lines().map(|line| line.strip_prefix("- ").unwrap_or(line).to_owned()));
        }
        Value::Array(items) => items.iter().for_each(|item| self::texts(item, texts)),
        Value::Object(fields) => {
            let codes = [
                "reportType",
                "status",
                "severity",
                "category",
                "grade",
                "previousGrade",
                "mfaMethod",
                "mfaEnforcement",
                "createdAt",
                "completedAt",
            ];
            let words = fields.iter().filter(|(name, _)| !codes.contains(&name.as_str()));
            words.for_each(|(_, field)| self::texts(field, texts));
        }
        _ => {}
    }
}

/// Returns the text without white space, invisible characters and the separators of a table's cells.
pub(crate) fn squeezed(text: &str) -> String {
    // Documents leave out the variants of a sign, such as a coloured one.
    let shows = |character: &char| {
        !character.is_whitespace() && !matches!(character, '|' | '\u{200b}' | '\u{fe00}'..='\u{fe0f}')
    };
    text.chars().filter(shows).collect()
}

/// Runs a tool that takes options, the document's file and a file to write.
fn run(document: &[u8], tool: &str, options: &[&str]) -> Option<Vec<u8>> {
    static TOLD: Once = Once::new();
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.pdf"), folder.path().join("out"));
    fs::write(&input, document).unwrap();
    let mut command = Command::new(tool);
    command.args(options);
    // `pdfdetach` expects its output before its input, `pdftotext` after it.
    match tool {
        "pdfdetach" => command.args([&output, &input]),
        _ => command.args([&input, &output]),
    };
    let Ok(result) = command.output() else {
        assert!(env::var_os("REQUIRE_POPPLER").is_none(), "`{tool}` (Debian's poppler-utils) is not installed");
        let told = format!("skipped: `{tool}` (Debian's poppler-utils) is not installed\n");
        TOLD.call_once(|| io::stderr().write_all(told.as_bytes()).unwrap());
        return None;
    };
    assert!(result.status.success(), "{tool}: {}", String::from_utf8_lossy(&result.stderr));
    Some(fs::read(output).unwrap())
}
