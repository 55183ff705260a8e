//! Fingerprints of formats.

use crate::file::{Shape, WRAPPERS};

/// Precedes the name of the list in the context of a page.
const METADATA: &str = "$metadata#";

/// Distinguishes a format from all others.
pub(super) enum Fingerprint {
    /// JSON with all of some paths, and without all of others.
    Json { with: &'static [&'static str], without: &'static [&'static str] },
    /// A table with all of some columns, and without all of others. Their order and further columns do not matter.
    Table { with: &'static [&'static str], without: &'static [&'static str] },
    /// A page of a list of Microsoft Graph, a bare list of its rows, or a single row.
    GraphList {
        /// Name of the list in the context of a page.
        name: &'static str,
        /// Fields that the rows of no other list have, for pages that were saved without their context.
        keys: &'static [&'static str],
    },
}

impl Fingerprint {
    /// Returns whether a file of this shape has the format.
    pub(super) fn matches(&self, shape: &Shape) -> bool {
        match self {
            Self::Json { with, without } => {
                shape.is_json_with(with) && !without.iter().any(|path| shape.is_json_with(&[path]))
            }
            Self::Table { with, without } => {
                shape.is_table_with(with) && !without.iter().any(|column| shape.is_table_with(&[column]))
            }
            Self::GraphList { name, keys } => is_graph_list(shape, name, keys),
        }
    }
}

fn is_graph_list(shape: &Shape, name: &str, keys: &[&str]) -> bool {
    match shape.text("@odata.context").and_then(|context| context.split_once(METADATA)) {
        Some((_, context)) => list_name(context) == name,
        None => WRAPPERS.iter().map(|wrapper| format!("{wrapper}/")).chain([String::new()]).any(|place| {
            let paths: Vec<String> = keys.iter().map(|key| [&place, *key].concat()).collect();
            shape.is_json_with_any_case(&paths.iter().map(String::as_str).collect::<Vec<_>>())
        }),
    }
}

/// Returns the path of the list in a context: without the selected properties, without the identifiers of the objects
/// that it belongs to, and without the mark of a single row.
fn list_name(context: &str) -> String {
    let mut depth = 0_usize;
    let mut name = String::new();
    for letter in context.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    name.trim_end_matches("/$entity").to_owned()
}
