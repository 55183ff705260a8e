//! Texts of the organization: why a control matters, and its fix, for all tenants.

use store::{EditedField, Texts};

use crate::edits::{TEXT_LIMIT, fits, with_plain_lines};

/// The reason why texts cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadTexts {
    /// Both are missing.
    #[error("a text needs a reason, a fix, or both")]
    Empty,
    /// A text is too long, or has hidden characters.
    #[error(
        "a text is too long or has hidden characters: use at most {TEXT_LIMIT} characters, without hidden \
         ones other than line breaks and tabs"
    )]
    Bad(EditedField),
}

/// Returns the texts of a reason and a fix. An empty one leaves what the tool says.
///
/// # Errors
/// If both are empty, or one cannot be used.
pub fn texts(why: &str, suggested_fix: &str) -> Result<Texts, BadTexts> {
    let some = |text: &str, field| match Some(with_plain_lines(text)).filter(|text| !text.trim().is_empty()) {
        Some(text) if !fits(&text, TEXT_LIMIT) => Err(BadTexts::Bad(field)),
        text => Ok(text),
    };
    let why = some(why, EditedField::Why)?;
    let suggested_fix = some(suggested_fix, EditedField::SuggestedFix)?;
    let texts = Texts { why, suggested_fix };
    if texts == Texts::default() { Err(BadTexts::Empty) } else { Ok(texts) }
}
