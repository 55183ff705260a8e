//! Tables that are cut off: results never become a run, and the rows of a log that are left count.

use assessments::{Unreadable, combine, read};

use crate::directory::activity::saved_by_excel;
use crate::support::run;

/// A table of each tool, without quotation marks where the tool writes none.
const RESULTS: [&str; 2] = [include_str!("../fixtures/results.csv"), include_str!("../fixtures/prowler.csv")];

/// Returns the table with every cell in quotation marks, as PowerShell writes it.
fn quoted(table: &str) -> String {
    let delimiter = if table.lines().next().unwrap().contains(';') { b';' } else { b',' };
    let mut rows = csv::ReaderBuilder::new();
    rows.delimiter(delimiter).has_headers(false).flexible(true);
    let style = csv::QuoteStyle::Always;
    let mut writer =
        csv::WriterBuilder::new().delimiter(delimiter).flexible(true).quote_style(style).from_writer(Vec::new());
    rows.from_reader(table.as_bytes()).records().for_each(|row| writer.write_record(&row.unwrap()).unwrap());
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Returns the position of each row's end, behind its line break.
fn row_ends(table: &str) -> Vec<usize> {
    let mut is_quoted = false;
    let ends = table.bytes().enumerate().filter(|(_, byte)| {
        is_quoted ^= *byte == b'"';
        *byte == b'\n' && !is_quoted
    });
    ends.map(|(index, _)| index + 1).collect()
}

/// Returns the places to cut: every byte of the last two rows, and 20 places within the rows.
fn places(table: &str, ends: &[usize]) -> Vec<usize> {
    let (first, last_two) = (ends[0], ends[ends.len().saturating_sub(3)]);
    let everywhere = (0..20).map(|place| first + (table.len() - first) * place / 20);
    everywhere.chain(last_two..table.len()).filter(|place| table.is_char_boundary(*place)).collect()
}

#[test]
fn a_table_of_results_that_is_cut_off_is_never_a_run() {
    for table in RESULTS.iter().flat_map(|table| [(*table).to_owned(), quoted(table), table.replace('\n', "\r\n")]) {
        let whole = run(table.as_bytes());
        let ends = row_ends(&table);
        let mut cut_off = 0;
        for place in places(&table, &ends) {
            let rest = &table[place..];
            match read(&&table.as_bytes()[..place]) {
                Err(Unreadable::TableCutOff { .. } | Unreadable::NoLineBreak { .. }) => cut_off += 1,
                Err(Unreadable::NoRows) => assert_eq!(place, ends[0]),
                // Nothing shows that a table was cut between two rows, or that a last cell in quotation marks was.
                other => assert!(
                    ends.contains(&place) || rest.starts_with(['\n', '\r']) && table[..place].ends_with(['"', '\r']),
                    "{place} of {}, before {rest:?}: {other:?}",
                    table.len()
                ),
            }
        }
        assert!(cut_off > 40, "{cut_off}");
        assert!(run(table.as_bytes()) == whole);
    }
}

#[test]
fn the_message_names_the_row() {
    let message = |table: &str| read(&table.as_bytes()).unwrap_err().to_string();
    let table = RESULTS[1];
    let ends = row_ends(table);
    assert_eq!(message(&table[..ends[1] + 20]), "the table ends in the middle of row 2: copy or export the file again");
    assert_eq!(
        message(table.trim_end()),
        format!(
            "the table ends without a line break, so row {} may be cut off: copy or export the file again, or add a line \
             break if the row is complete",
            ends.len() - 1
        )
    );
}

#[test]
fn lines_without_content_do_not_cut_a_table_off() {
    for (table, blank_cells) in RESULTS.into_iter().zip([",,\n", ";;\n"]) {
        for end in ["\n", "\r\n\r\n", " \n", blank_cells] {
            assert!(run(format!("{table}{end}").as_bytes()) == run(table.as_bytes()), "{end:?}");
        }
    }
}

#[test]
fn the_rows_of_a_log_before_its_end_count() {
    let log = "Date (UTC),Request ID,User ID,Client app,Status,Location\n\
               2026-01-20T10:00:00Z,1,a,IMAP4,Success,\"Oslo, NO\"\n\
               2026-01-20T10:00:00Z,2,b,IMAP4,Success,\"Oslo, NO\"\n";
    let issues = |bytes: &[u8]| {
        let issues = combine([read(&bytes).unwrap()]).issues.into_iter().map(|issue| issue.message);
        issues.filter(|message| message.contains("malformed")).collect::<Vec<_>>()
    };
    let malformed = ["skipped malformed rows in the list of sign-ins: 1"];
    for cut in [1, 5, 15, 40] {
        assert_eq!(issues(&log.as_bytes()[..log.len() - 1 - cut]), malformed, "{cut}");
    }
    assert_eq!(issues(log.trim_end().as_bytes()), [""; 0], "some logs are exported without the last line break");
    assert_eq!(issues(&saved_by_excel(log)), [""; 0]);
}
