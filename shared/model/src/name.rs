//! Display names that people choose.

use std::fmt;
use std::str::FromStr;

use crate::is_hidden;

/// Longest name, in characters.
const MAX_LENGTH: usize = 200;

/// A name that people read, such as a tenant's: 1 to 200 characters, no hidden characters, no white space around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisplayName(String);

/// The text is not a [`DisplayName`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {MAX_LENGTH} characters without control characters and bidirectional marks")]
pub struct InvalidName;

/// Returns whether a text has at most `most` characters, all of them visible and on one line.
pub fn fits_line(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(is_hidden)
}

impl DisplayName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DisplayName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let name = text.trim();
        let valid = !name.is_empty() && fits_line(name, MAX_LENGTH);
        valid.then(|| Self(name.to_owned())).ok_or(InvalidName)
    }
}

impl From<DisplayName> for String {
    fn from(name: DisplayName) -> Self {
        name.0
    }
}

impl fmt::Display for DisplayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_trimmed_and_bounded() {
        let name: DisplayName = " Harbour Dental ".parse().unwrap();
        assert_eq!(
            (name.as_str(), &*name.to_string(), &*String::from(name.clone())),
            ("Harbour Dental", "Harbour Dental", "Harbour Dental")
        );
        assert!("é".repeat(MAX_LENGTH).parse::<DisplayName>().is_ok());
        for text in ["", "  ", "a\nb", "a\u{1b}[2Jb", "a\u{202e}b", &"x".repeat(MAX_LENGTH + 1)] {
            assert_eq!(text.parse::<DisplayName>(), Err(InvalidName), "{text:?}");
        }
    }
}
