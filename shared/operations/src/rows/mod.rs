//! Rows of files that people maintain: CSV tables with a header line, or JSON lists of objects.
//!
//! The files can name people, so an error reports the place and the rule, never the content.

mod fields;
mod typed;

use std::collections::HashSet;

use assessments::TableEnd;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use fields::{boolean, count, day, parsed, percentage, texts};
use typed::{Fields, Problem, typed};

/// What to do with a table that is cut off.
const AGAIN: &str = "copy or export it again";

/// A file or a row that cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct RowError {
    /// File, row and field, as far as they are known.
    place: String,
    problem: String,
}

/// A row with its place in the files, for errors.
#[derive(Debug)]
pub struct Placed<T> {
    place: String,
    /// The row.
    pub row: T,
}

impl<T> Placed<T> {
    /// Returns an error about a field of the row.
    pub(crate) fn error(&self, field: &str, problem: &str) -> RowError {
        RowError { place: format!("{}, {field}", self.place), problem: problem.to_owned() }
    }
}

/// Reads the rows of files, given by name and content.
///
/// # Errors
/// If a file is neither a CSV table nor a JSON list of objects, in UTF-8 or UTF-16, a field is unknown, missing or
/// malformed, or there is no row at all: recording none would delete the previous recording, and is more likely a
/// failed export.
pub fn read<T: DeserializeOwned>(
    files: impl IntoIterator<Item = (String, Vec<u8>)>,
) -> Result<Vec<Placed<T>>, RowError> {
    let mut rows = Vec::new();
    for (name, content) in files {
        let in_file = |problem| RowError { place: name.clone(), problem };
        let text = assessments::decoded(&content).map_err(|error| in_file(format!("is not readable: {error}")))?;
        let text = text.as_str();
        let is_json = text.trim_start().starts_with(['[', '{']);
        let untyped = if is_json { json_rows(text) } else { csv_rows(text) };
        for (place, fields) in untyped.map_err(in_file)? {
            let place = format!("{name}, {place}");
            match typed(fields) {
                Ok(row) => rows.push(Placed { place, row }),
                Err(Problem { field: None, problem }) => return Err(RowError { place, problem }),
                Err(Problem { field: Some(field), problem }) => {
                    return Err(RowError { place: format!("{place}, {field}"), problem });
                }
            }
        }
    }
    if rows.is_empty() {
        return Err(RowError {
            place: "the files".to_owned(),
            problem: "contain no rows; nothing was recorded".to_owned(),
        });
    }
    Ok(rows)
}

/// Returns the rows of a list; a single object counts as a list with one row, as some tools write it.
fn json_rows(text: &str) -> Result<Vec<(String, Fields)>, String> {
    let rows = match serde_json::from_str(text) {
        Ok(Value::Array(rows)) => rows,
        Ok(row) => vec![row],
        Err(error) => return Err(format!("is not valid JSON at line {}, column {}", error.line(), error.column())),
    };
    let rows = rows.into_iter().zip(1..).map(|(row, number)| match row {
        Value::Object(fields) => Ok((format!("row {number}"), fields)),
        _ => Err(format!("row {number}: must be a JSON object")),
    });
    rows.collect()
}

fn csv_rows(text: &str) -> Result<Vec<(String, Fields)>, String> {
    let (delimiter, start) = assessments::table_layout(text);
    // Errors count the lines of the whole file.
    let before = text[..start].matches('\n').count() as u64;
    let table = &text.as_bytes()[start..];
    match TableEnd::of(&text[start..]) {
        TableEnd::AfterRow => {}
        TableEnd::WithinQuotes => return Err(format!("is cut off within a quoted cell: {AGAIN}")),
        TableEnd::WithinCell => {
            return Err(format!(
                "ends without a line break, so its last row may be cut off: {AGAIN}, or add a line break if the row is \
                 complete"
            ));
        }
    }
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).delimiter(delimiter).from_reader(table);
    let problem = |error: &csv::Error| csv_problem(error, before);
    let header = reader.headers().map_err(|error| problem(&error))?.clone();
    if header.iter().collect::<HashSet<_>>().len() < header.len() {
        return Err("has a duplicate field in its header".to_owned());
    }
    let rows = reader.into_records().map(|record| {
        let record = record.map_err(|error| problem(&error))?;
        let line = before + record.position().map_or(0, csv::Position::line);
        let fields = header.iter().zip(&record).map(|(name, text)| (name.to_owned(), text.into()));
        Ok((format!("line {line}"), fields.collect()))
    });
    let is_blank = |row: &Result<(String, Fields), String>| {
        row.as_ref().is_ok_and(|(_, fields)| fields.values().all(|cell| cell.as_str() == Some("")))
    };
    rows.filter(|row| !is_blank(row)).collect()
}

fn csv_problem(error: &csv::Error, lines_before: u64) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = lines_before + pos.as_ref().map_or(0, csv::Position::line);
            format!("line {line}: has {len} fields where the header has {expected_len}")
        }
        _ => "is not a readable CSV table".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = serde_json::Map<String, Value>;

    fn read_one(text: &str) -> Result<usize, String> {
        let rows = read::<Row>([("list.csv".to_owned(), text.as_bytes().to_vec())]);
        rows.map(|rows| rows.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_that_is_cut_off_is_not_recorded() {
        let list = "id,licenses\nu1,\"sku-a;sku-b\"\nu2,sku-a;sku-b\n";
        assert_eq!(read_one(list), Ok(2));
        for cut in 13..list.len() {
            let last_line = list[..cut].matches('\n').count();
            let is_complete = list[..cut].ends_with(['\n', '"']) && list[cut..].starts_with(['u', '\n']);
            match (is_complete, read_one(&list[..cut])) {
                (true, Ok(rows)) => assert_eq!(rows, 1, "{cut}"),
                (false, Err(error)) => assert!(error.contains("cut off") || last_line == 0, "{cut}: {error}"),
                (_, other) => panic!("{:?}: {other:?}", &list[..cut]),
            }
        }
        assert_eq!(
            read_one(&list[..list.len() - 5]).unwrap_err(),
            "list.csv: ends without a line break, so its last row may be cut off: copy or export it again, or add a line \
             break if the row is complete"
        );
    }
}
