//! Values that people choose. A stored value may be unknown to this release; a chosen one must be known.

use serde::de::{Deserialize, Deserializer, Error};

use serde::Serialize;

use super::{BillableStatus, Category, EventKind, KeyScope, Pace, Role, Severity, Status, TargetShape, Wire};

/// An enumeration whose stored values may be unknown to this release, because a later one wrote them.
pub trait Choice: Copy + PartialEq + Serialize + 'static {
    /// Stands for every value that this release does not know.
    const UNKNOWN: Self;
    /// All values that this release knows, in the order in which a list shows them.
    const KNOWN: &'static [Self];

    /// Returns whether this release knows the value.
    fn is_known(self) -> bool {
        self != Self::UNKNOWN
    }
}

impl Choice for BillableStatus {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[Self::Trial, Self::Active, Self::Paused, Self::NotForResale];
}

impl Choice for Category {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[
        Self::ConditionalAccess,
        Self::Accounts,
        Self::GlobalAdmins,
        Self::AppsDirectory,
        Self::ExternalSharing,
        Self::Exchange,
    ];
}

impl Choice for EventKind {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[
        Self::TenantAdded,
        Self::TenantRenamed,
        Self::TenantPaused,
        Self::TenantResumed,
        Self::TenantStale,
        Self::TenantRemoved,
        Self::TenantErased,
        Self::ReportCompleted,
        Self::ReportEdited,
        Self::ReportReplaced,
        Self::ReportDeleted,
        Self::ControlDrifted,
        Self::ControlFixed,
        Self::RiskExpiring,
        Self::ScoreDropped,
        Self::AdminAdded,
        Self::CoverageLost,
        Self::ImportFailed,
        Self::AssessmentFailed,
        Self::TargetDisabled,
        Self::DataRepaired,
    ];
}

impl Choice for KeyScope {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[Self::Read, Self::Import];
}

impl Choice for Pace {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[Self::Event, Self::Day, Self::Week];
}

impl Choice for Role {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[Self::Admin, Self::FullMember];
}

impl Choice for Severity {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[Self::Critical, Self::High, Self::Medium, Self::Low];
}

impl Choice for Status {
    const UNKNOWN: Self = Self::Unknown;
    /// What is good first.
    const KNOWN: &'static [Self] =
        &[Self::Secure, Self::Fixed, Self::InProgress, Self::Open, Self::Drifted, Self::NotAssessed];
}

/// Reads a value that a person chose, in a form, a file or an argument.
///
/// # Errors
/// If this release does not know the value. The error lists those that it knows.
pub fn chosen<'de, T: Choice + Deserialize<'de>, D: Deserializer<'de>>(field: D) -> Result<T, D::Error> {
    let value = T::deserialize(field)?;
    if value.is_known() {
        return Ok(value);
    }
    let known: Vec<_> = T::KNOWN.iter().map(|known| Wire(known).to_string()).collect();
    Err(D::Error::custom(format!("expected one of {}", known.join(", "))))
}

impl Choice for TargetShape {
    const UNKNOWN: Self = Self::Unknown;
    const KNOWN: &'static [Self] = &[Self::Webhook, Self::Slack, Self::Teams];
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
