//! The texts of tools, in the parts that a page shows: paragraphs, lists and tables, and shorter forms where there is
//! little room.

use serde::Serialize;

use crate::text::{clean, clean_cell};

/// Most columns of a table; with more, a page has no room for words.
const MOST_COLUMNS: usize = 8;
/// Longest instruction that stands for a whole fix, in characters.
const LONGEST_INSTRUCTION: usize = 180;
/// What a fix begins with that explains or refers to another text, instead of saying what to do.
const EXPLAINS: [&str; 11] =
    ["We ", "To ", "If ", "When ", "This ", "The ", "Note", "NOTE", "Follow ", "Learn ", "Get started "];
/// What a text contains that makes sense only where the tool shows it.
const REFERS: [&str; 4] = ["](", "://", " below", " above"];

/// A part of a text.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Part {
    /// A line of text.
    Line { text: String },
    /// A list.
    List { items: Vec<String> },
    /// A table of which all rows have the same number of cells. The first row has the titles of the columns.
    Table { rows: Vec<Vec<String>> },
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Line,
    Item,
    Row,
}

/// Returns the parts of a text, made safe to show.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.chunk_by(|a, b| kind(a) == kind(b)).flat_map(|lines| joined(kind(lines[0]), lines)).collect()
}

fn joined(kind: Kind, lines: &[&str]) -> Vec<Part> {
    match kind {
        Kind::Item => vec![Part::List { items: lines.iter().map(|line| clean(&line[ITEM.len()..])).collect() }],
        Kind::Row => table(lines).map_or_else(|| as_lines(lines), |table| vec![table]),
        Kind::Line => as_lines(lines),
    }
}

/// Starts a line that is an item of a list.
const ITEM: &str = "- ";
/// Separates the cells of a line that is a row of a table.
const SEPARATOR: &str = "|";

fn kind(line: &str) -> Kind {
    match line {
        _ if line.starts_with(ITEM) => Kind::Item,
        _ if line.split_whitespace().any(|word| word == SEPARATOR) => Kind::Row,
        _ => Kind::Line,
    }
}

fn as_lines(lines: &[&str]) -> Vec<Part> {
    lines.iter().map(|line| Part::Line { text: clean(line) }).collect()
}

/// Returns a table of these rows, unless a single line has a separator by chance or the table is too wide.
fn table(lines: &[&str]) -> Option<Part> {
    let rows: Vec<_> = lines.iter().map(|line| cells(line)).collect();
    let width = rows.iter().map(Vec::len).max().filter(|width| rows.len() > 1 && *width <= MOST_COLUMNS)?;
    // A row without its first cells begins with the next one.
    let whole = |row: Vec<String>| [vec![String::new(); width - row.len()], row].concat();
    Some(Part::Table { rows: rows.into_iter().map(whole).collect() })
}

fn cells(line: &str) -> Vec<String> {
    let words: Vec<_> = line.split_whitespace().collect();
    words.split(|word| *word == SEPARATOR).map(|cell| clean_cell(&cell.join(" "))).collect()
}

/// Returns the first sentences of a text that together have at most `limit` characters, or the first words if the first
/// sentence is longer.
pub(crate) fn lead(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((end, _)) = line.char_indices().nth(limit) else { return line };
    match sentence_ends(&line).take_while(|at| *at <= end).last() {
        Some(sentence) => line[..sentence].to_owned(),
        // Leaves out the word that is cut.
        None => format!("{}…", line[..end].rsplit_once(' ').map_or(&line[..end], |(words, _)| words)),
    }
}

/// Returns the lines of a text before its first list or table, or the first line if there is nothing before.
pub(crate) fn opening(text: &str) -> String {
    let lines: Vec<_> = text.lines().take_while(|line| kind(line) == Kind::Line).collect();
    if lines.is_empty() { text.lines().next().unwrap_or_default().to_owned() } else { lines.join("\n") }
}

/// Returns the first sentence of a fix if it says by itself what to do.
pub(crate) fn instruction(fix: &str) -> Option<String> {
    let line = fix.lines().next()?.trim();
    let first = sentence_ends(line).next().map_or(line, |end| &line[..end]);
    let first = match first.split_once("; ") {
        Some((clause, _)) => format!("{clause}."),
        None => first.to_owned(),
    };
    let refers =
        EXPLAINS.iter().any(|start| first.starts_with(start)) || REFERS.iter().any(|part| first.contains(part));
    let stands_alone = first.starts_with(char::is_uppercase) && first.ends_with('.') && !refers;
    (stands_alone && first.chars().count() <= LONGEST_INSTRUCTION).then_some(first)
}

/// Returns the positions after the sentences of a line that another one follows.
fn sentence_ends(line: &str) -> impl Iterator<Item = usize> {
    let ends = line.match_indices(". ").map(|(at, _)| at + 1);
    ends.filter(|end| line[*end..].trim_start().starts_with(|next: char| !next.is_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Part {
        Part::Line { text: text.to_owned() }
    }

    fn table(rows: &[&[&str]]) -> Part {
        Part::Table { rows: rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect() }
    }

    #[test]
    fn rows_with_separators_are_a_table_and_lines_with_a_dash_a_list() {
        let text = "Found 2:\nName | State |\nOne | On | x\nOff | y\n- a\n- b\n\nThe end | really";
        assert_eq!(
            parts(text),
            [
                line("Found 2:"),
                table(&[&["Name", "State", ""], &["One", "On", "x"], &["", "Off", "y"]]),
                Part::List { items: vec!["a".to_owned(), "b".to_owned()] },
                line("The end | really"),
            ]
        );
        assert_eq!(parts("Get-It | Set-It $true"), [line("Get-It | Set-It $true")]);
        assert_eq!(parts("a | | c\nd | e | f"), [table(&[&["a", "", "c"], &["d", "e", "f"]])]);
    }

    #[test]
    fn a_table_that_is_too_wide_stays_lines() {
        let row = ["x"; MOST_COLUMNS + 1].join(" | ");
        assert_eq!(parts(&format!("{row}\n{row}")), [line(&row), line(&row)]);
    }

    #[test]
    fn a_shorter_text_ends_with_a_sentence_or_with_a_whole_word() {
        let text = "Legacy protocols know no second factor. Block them, e.g. by policy.\nSoon.";
        assert_eq!(lead(text, 500), "Legacy protocols know no second factor. Block them, e.g. by policy. Soon.");
        assert_eq!(lead(text, 50), "Legacy protocols know no second factor.");
        assert_eq!(lead(text, 20), "Legacy protocols…");
        assert_eq!(lead(&"株".repeat(9), 5), "株株株株株…");
    }

    #[test]
    fn the_opening_of_a_text_leaves_out_lists_and_tables() {
        assert_eq!(opening("Two roles\nhave none.\nRole | State\nReader | On"), "Two roles\nhave none.");
        assert_eq!(opening("Found:\n- a\n- b"), "Found:");
        assert_eq!(opening("- a\n- b"), "- a");
    }

    #[test]
    fn an_instruction_stands_on_its_own() {
        let kept = |fix| instruction(fix);
        assert_eq!(kept("Block it by policy. 2. Then test."), Some("Block it by policy.".to_owned()));
        assert_eq!(kept("Disable it; Investigate it; Delete it."), Some("Disable it.".to_owned()));
        for fix in [
            "1. We provide step-by-step guidance in the centre. [Go to the wizard](https://example.com\" # \"/x).",
            "We provide guidance.",
            "Follow the guide below to block it. Block it - Vendor's pages.",
            "Open https://example.com and switch it off.",
            "To fix this:\nOpen the portal.",
            "Redirect addresses",
            "",
        ] {
            assert_eq!(kept(fix), None, "{fix}");
        }
    }
}
