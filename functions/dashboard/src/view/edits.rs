//! Marks beside what was edited.

use maud::{Markup, html};
use model::Timestamp;
use store::AppliedText;
pub(crate) use store::EditedField as Field;
use web::view::text;

use super::set_back::FIELDS;
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
    /// Whether the import applied an edit that was kept from an earlier report, or a text of the organization.
    pub(crate) kept: bool,
    /// The text of the organization that the import applied.
    pub(crate) text: Option<AppliedText>,
}

/// Marks a text that the import took from those of the organization.
const TEXT: &str = "Organization's text";

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
        html! { span class="tag edited" {
            @if !self.is_of_person() { (TEXT) } @else if self.kept { "Kept edit" } @else { "Edited" }
        } }
    }

    /// Shows beside a field that it was edited, if it was.
    pub(crate) fn tag_of(&self, field: Field) -> Markup {
        html! { @if self.fields.contains(&field) {
            " " span class="tag edited" { @if self.is_text(field) { (TEXT) } @else { "Edited" } }
        } }
    }

    /// Shows what was edited, by whom and when.
    pub(crate) fn described(&self) -> Markup {
        let own: Vec<_> = self.own().collect();
        html! {
            @if !own.is_empty() {
                @if self.kept { "Kept from an earlier report: " } @else { "Edited: " }
                (described(&own, &self.by, self.at))
            }
            @if let Some(AppliedText { fields, by, at }) = &self.text {
                @if !own.is_empty() { " " }
                "From the organization's texts: " (described(fields, by, *at))
            }
        }
    }

    /// Returns whether people edited a field: one without a text of the organization.
    pub(crate) fn is_of_person(&self) -> bool {
        self.own().next().is_some()
    }

    /// Returns whether a field was edited for which tools have a value.
    pub(crate) fn can_be_set_back(&self) -> bool {
        self.fields.iter().any(|field| FIELDS.contains(field))
    }

    /// Returns the fields without a text of the organization.
    fn own(&self) -> impl Iterator<Item = Field> {
        self.fields.iter().copied().filter(|field| !self.is_text(*field))
    }

    fn is_text(&self, field: Field) -> bool {
        self.text.as_ref().is_some_and(|text| text.fields.contains(&field))
    }
}

fn described(fields: &[Field], by: &str, at: Timestamp) -> Markup {
    let fields: Vec<_> = fields.iter().map(|field| label(*field).to_lowercase()).collect();
    html! { (fields.join(", ")) ", by " (text::name(by)) ", " (when::minute(at)) "." }
}
