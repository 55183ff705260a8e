//! Fingerprints of formats.

use crate::file::{ADDITIONAL_PROPERTIES, Shape, WRAPPERS};

/// Precedes the name of the list in the context of a page.
const METADATA: &str = "$metadata#";

/// Distinguishes a format from all others.
pub(super) enum Fingerprint {
    /// JSON with all of some paths, and without all of others.
    Json { with: &'static [&'static str], without: &'static [&'static str] },
    /// JSON with all of some paths, and a value at one of them, in any case.
    JsonValue { with: &'static [&'static str], value: (&'static str, &'static str) },
    /// A table with all of some columns, and without all of others. Their order and case, and further columns do not matter.
    Table { with: &'static [&'static str], without: &'static [&'static str] },
    /// A page of a list of Microsoft Graph, a bare list of its rows, or a single row.
    GraphList {
        /// Name of the list in the context of a page.
        name: &'static str,
        /// Fields that the rows of no other list have, for pages without their context, or with an unknown one. Each can
        /// also be one of PowerShell's additional properties.
        keys: &'static [&'static str],
    },
}

impl Fingerprint {
    /// Returns whether a file of this shape has the format. A page of a list has to name the list.
    pub(super) fn matches(&self, shape: &Shape) -> bool {
        match self {
            Self::Json { with, without } => {
                shape.is_json_with(with) && !without.iter().any(|path| shape.is_json_with(&[path]))
            }
            Self::JsonValue { with, value: (path, value) } => {
                shape.is_json_with(with) && shape.text(path).is_some_and(|text| text.eq_ignore_ascii_case(value))
            }
            Self::Table { with, without } => {
                shape.is_table_with(with) && !without.iter().any(|column| shape.is_table_with(&[column]))
            }
            Self::GraphList { name, .. } => {
                context(shape).is_some_and(|list| list_name(list).eq_ignore_ascii_case(name))
            }
        }
    }

    /// Returns whether a file of this shape has rows of the list. For pages without a context, or with an unknown one.
    pub(super) fn matches_rows(&self, shape: &Shape) -> bool {
        let Self::GraphList { keys, .. } = self else { return false };
        // A list of one object, such as the members of a group, has rows of a list of all.
        let is_of_object = context(shape).is_some_and(|list| list.contains(")/"));
        let has = |place: &str, key: &str| {
            let additional = [place, ADDITIONAL_PROPERTIES, "/", key].concat();
            shape.is_json_with_any_case(&[&[place, key].concat()]) || shape.is_json_with_any_case(&[&additional])
        };
        let places = WRAPPERS.iter().map(|wrapper| format!("{wrapper}/")).chain([String::new()]);
        !is_of_object && places.into_iter().any(|place| keys.iter().all(|key| has(&place, key)))
    }
}

/// Returns the part of a page's context that names the list.
fn context(shape: &Shape) -> Option<&str> {
    shape.text("@odata.context")?.split_once(METADATA).map(|(_, list)| list)
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
