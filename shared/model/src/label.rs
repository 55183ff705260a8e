//! Labels, by which people group tenants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::fits_line;

/// A word on tenants: 1 to 40 characters on one line, without commas and without white space around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct Label(String);

/// The text is not a [`Label`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {} characters on one line, without commas", Label::LONGEST)]
pub struct InvalidLabel;

impl Label {
    /// Longest label, in characters.
    pub const LONGEST: usize = 40;
    /// Most labels of a tenant.
    pub const MOST: usize = 20;

    /// Returns the label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Label {
    type Err = InvalidLabel;

    fn from_str(text: &str) -> Result<Self, InvalidLabel> {
        let label = text.trim();
        let valid = !label.is_empty() && fits_line(label, Self::LONGEST) && !label.contains(',');
        valid.then(|| Self(label.to_owned())).ok_or(InvalidLabel)
    }
}

impl TryFrom<String> for Label {
    type Error = InvalidLabel;

    fn try_from(text: String) -> Result<Self, InvalidLabel> {
        text.parse()
    }
}

impl From<Label> for String {
    fn from(label: Label) -> Self {
        label.0
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_trimmed_and_bounded() {
        assert_eq!(" Gold, ".trim_matches([',', ' ']).parse::<Label>().unwrap().as_str(), "Gold");
        assert!("é".repeat(Label::LONGEST).parse::<Label>().is_ok());
        for text in ["", " ", "a,b", "a\nb", "a\u{202e}b", &"x".repeat(Label::LONGEST + 1)] {
            assert_eq!(text.parse::<Label>(), Err(InvalidLabel), "{text:?}");
        }
    }
}
