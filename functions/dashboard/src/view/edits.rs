//! Marks beside what was edited.

use maud::{Markup, html};
use model::Timestamp;

use super::{text, when};

/// An edit of a check or of an administrator.
#[derive(Debug, Clone)]
pub struct Edit {
    /// The fields that were edited.
    pub fields: Vec<Field>,
    /// Who edited last.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Whether the import applied an edit that was kept from an earlier report.
    pub kept: bool,
}

/// A field that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// State.
    Status,
    /// Severity.
    Severity,
    /// What is configured now.
    CurrentState,
    /// Why the control matters.
    Why,
    /// The recommended change.
    SuggestedFix,
}

impl Field {
    /// Returns the field's label on pages.
    pub fn label(self) -> &'static str {
        match self {
            Self::Status => "Status",
            Self::Severity => "Severity",
            Self::CurrentState => "Current state",
            Self::Why => "Why it matters",
            Self::SuggestedFix => "Suggested fix",
        }
    }
}

impl Edit {
    /// Shows that something was edited.
    pub fn tag(&self) -> Markup {
        html! { span class="tag edited" { @if self.kept { "Kept edit" } @else { "Edited" } } }
    }

    /// Shows what was edited, by whom and when.
    pub fn told(&self) -> Markup {
        let fields: Vec<_> = self.fields.iter().map(|field| field.label().to_lowercase()).collect();
        html! {
            @if self.kept { "Kept from an earlier report: " } @else { "Edited: " }
            (fields.join(", ")) ", by " (text::name(&self.by)) ", " (when::minute(self.at)) "."
        }
    }

    /// Whether the field was edited.
    pub fn touches(&self, field: Field) -> bool {
        self.fields.contains(&field)
    }
}
