//! Marks beside what was edited.

use maud::{Markup, html};
use model::Timestamp;
pub(crate) use store::EditedField as Field;
use web::view::text;

use super::{when, words};

/// An edit of a check or of an administrator.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    /// The fields that were edited.
    pub(crate) fields: Vec<Field>,
    /// Who edited last.
    pub(crate) by: String,
    /// When.
    pub(crate) at: Timestamp,
    /// Whether the import applied an edit that was kept from an earlier report.
    pub(crate) kept: bool,
}

/// Returns a field's label on pages.
pub(crate) fn label(field: Field) -> &'static str {
    match field {
        Field::Status => "Status",
        Field::Severity => "Severity",
        Field::CurrentState => "Current state",
        Field::Why => "Why it matters",
        Field::SuggestedFix => "Suggested fix",
        Field::AcceptedRisk => "Accepted risk",
        Field::Unknown => words::UNKNOWN,
    }
}

/// Returns the name of a field in forms and in the API.
pub(crate) fn field_name(field: Field) -> &'static str {
    match field {
        Field::Status => "status",
        Field::Severity => "severity",
        Field::CurrentState => "currentState",
        Field::Why => "why",
        Field::SuggestedFix => "suggestedFix",
        Field::AcceptedRisk => "acceptedRisk",
        Field::Unknown => "unknown",
    }
}

impl Edit {
    /// Shows that something was edited.
    pub(crate) fn tag(&self) -> Markup {
        html! { span class="tag edited" { @if self.kept { "Kept edit" } @else { "Edited" } } }
    }

    /// Shows what was edited, by whom and when.
    pub(crate) fn described(&self) -> Markup {
        let fields: Vec<_> = self.fields.iter().map(|field| label(*field).to_lowercase()).collect();
        html! {
            @if self.kept { "Kept from an earlier report: " } @else { "Edited: " }
            (fields.join(", ")) ", by " (text::name(&self.by)) ", " (when::minute(self.at)) "."
        }
    }

    /// Whether the field was edited.
    pub(crate) fn touches(&self, field: Field) -> bool {
        self.fields.contains(&field)
    }
}
