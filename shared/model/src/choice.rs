//! Values that people choose. A stored value may be unknown to this release; a chosen one must be known.

use serde::de::{Deserialize, Deserializer, Error};

use super::{BillableStatus, Role, Severity, Status};

/// An enumeration whose stored values may be unknown to this release, because a later one wrote them.
pub trait Choice: Copy + PartialEq {
    /// Stands for every value that this release does not know.
    const UNKNOWN: Self;

    /// Returns whether this release knows the value.
    fn is_known(self) -> bool {
        self != Self::UNKNOWN
    }
}

impl Choice for BillableStatus {
    const UNKNOWN: Self = Self::Unknown;
}

impl Choice for Role {
    const UNKNOWN: Self = Self::Unknown;
}

impl Choice for Severity {
    const UNKNOWN: Self = Self::Unknown;
}

impl Choice for Status {
    const UNKNOWN: Self = Self::Unknown;
}

/// Reads a value that a person chose, in a form, a file or an argument.
///
/// # Errors
/// If this release does not know the value.
pub fn chosen<'de, T: Choice + Deserialize<'de>, D: Deserializer<'de>>(field: D) -> Result<T, D::Error> {
    let value = T::deserialize(field)?;
    value.is_known().then_some(value).ok_or_else(|| D::Error::custom("not one of the values"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_value_can_be_read_but_not_chosen() {
        for (text, known) in [("OPEN", true), ("ACCEPTED", false), ("UNKNOWN", false)] {
            let stored: Status = serde_json::from_value(json!(text)).unwrap();
            assert_eq!(stored.is_known(), known, "{text}");
            assert_eq!(chosen::<Status, _>(json!(text)).is_ok(), known, "{text}");
        }
        assert!(chosen::<Role, _>(json!("OWNER")).is_err() && chosen::<Role, _>(json!("ADMIN")).is_ok());
    }

    #[test]
    fn an_unknown_status_is_neither_secure_nor_assessed() {
        assert!(!Status::Unknown.is_secure() && !Status::Unknown.is_assessed());
    }
}
