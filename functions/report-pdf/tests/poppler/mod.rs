//! What another program reads in a document: Poppler's tools, where they are installed.

use std::fs;
use std::io::{self, Write};
use std::process::Command;
use std::sync::Once;

/// Returns the document's text without white space, or `None` and a message if the tools are not installed.
pub(crate) fn text_of(document: &[u8]) -> Option<String> {
    let output = run(document, "pdftotext", &["-raw"])?;
    Some(squeezed(&String::from_utf8(output).unwrap()))
}

/// Returns the first attachment, or `None` and a message if the tools are not installed.
pub(crate) fn attachment_of(document: &[u8]) -> Option<Vec<u8>> {
    run(document, "pdfdetach", &["-save", "1", "-o"])
}

/// Returns the text without white space and without characters that show nothing.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace() && *character != '\u{200b}').collect()
}

/// Runs a tool that takes options, the document's file and a file to write.
fn run(document: &[u8], tool: &str, options: &[&str]) -> Option<Vec<u8>> {
    static TOLD: Once = Once::new();
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.pdf"), folder.path().join("out"));
    fs::write(&input, document).unwrap();
    let mut command = Command::new(tool);
    command.args(options);
    // `pdfdetach` names its output before its input, `pdftotext` after it.
    match tool {
        "pdfdetach" => command.args([&output, &input]),
        _ => command.args([&input, &output]),
    };
    let Ok(result) = command.output() else {
        let told = format!("skipped: `{tool}` (Debian's poppler-utils) is not installed\n");
        TOLD.call_once(|| io::stderr().write_all(told.as_bytes()).unwrap());
        return None;
    };
    assert!(result.status.success(), "{tool}: {}", String::from_utf8_lossy(&result.stderr));
    Some(fs::read(output).unwrap())
}
