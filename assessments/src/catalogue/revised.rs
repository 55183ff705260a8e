//! Controls with the revision of their meaning.

use std::fmt;
use std::str::FromStr;

use model::{ControlId, InvalidId};
use serde::Deserialize;

/// A control in one revision of its meaning, written `MS.AAD.1.1v1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct RevisedControl {
    /// Identifier, without revision.
    pub(crate) control: ControlId,
    /// Revision; 1 if the text has none.
    pub(crate) revision: u32,
}

impl FromStr for RevisedControl {
    type Err = InvalidId;

    /// Reads `v` and a number as a revision only after a digit: `CT.IPv4` and `CT.IPv6` are two controls.
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let text = text.trim();
        let numbered = |id: &&str| id.ends_with(|last: char| last.is_ascii_digit());
        let suffixed = text.rsplit_once('v').filter(|(id, _)| numbered(id));
        let suffixed = suffixed.and_then(|(id, suffix)| Some((id, suffix.parse().ok()?)));
        let (id, revision) = suffixed.unwrap_or((text, 1));
        Ok(Self { control: id.parse()?, revision })
    }
}

impl fmt::Display for RevisedControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.control, self.revision)
    }
}

impl TryFrom<String> for RevisedControl {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_the_suffix_and_1_without_one() {
        let parsed = |text: &str| text.parse::<RevisedControl>().map(|id| (id.control.to_string(), id.revision));
        assert_eq!(parsed("MS.AAD.3.2v2"), Ok(("MS.AAD.3.2".to_owned(), 2)));
        assert_eq!(parsed(" MS.EXO.10.1v12 "), Ok(("MS.EXO.10.1".to_owned(), 12)));
        assert_eq!(parsed("MS.AAD.3.2"), Ok(("MS.AAD.3.2".to_owned(), 1)));
        for id in ["level", "CT.IPv4", "CT.IPv6", "Srv1", "dev2", "v2"] {
            assert_eq!(parsed(id), Ok((id.to_owned(), 1)), "a part of the name");
        }
        assert!(parsed(" ").is_err());
    }
}
