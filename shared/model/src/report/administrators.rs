//! The review of the top-privilege administrators in a report.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Status;

/// Review of the top-privilege (Global) administrators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GlobalAdmins {
    /// Current number of administrators.
    pub count: u32,
    /// Number at the baseline; null for a baseline report.
    pub previous_count: Option<u32>,
    /// Best-practice ceiling for the number.
    pub best_practice_max: u32,
    /// Administrators whose MFA method is strong.
    pub strong_mfa_count: u32,
    /// False when the administrator list is partial or missing.
    pub data_complete: bool,
    /// The administrators.
    pub admins: Vec<GlobalAdmin>,
}

impl GlobalAdmins {
    /// Returns the number of administrators, or `None` if it is not known: every tenant has one, so an incomplete list
    /// that counts none says nothing.
    pub fn known_count(&self) -> Option<u32> {
        (self.data_complete || self.count > 0).then_some(self.count)
    }

    /// Returns the number at the baseline, or `None` if there is no baseline or it counted none.
    pub fn known_previous_count(&self) -> Option<u32> {
        self.previous_count.filter(|count| *count > 0)
    }

    /// Returns how many have a strong MFA method, or `None` if the list is incomplete, which leaves it unknown.
    pub fn known_strong_mfa_count(&self) -> Option<u32> {
        self.data_complete.then_some(self.strong_mfa_count)
    }
}

/// One top-privilege administrator.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GlobalAdmin {
    /// Sign-in name.
    pub user_principal_name: String,
    /// Result for this administrator.
    pub status: Status,
    /// How MFA is enforced.
    pub mfa_enforcement: MfaEnforcement,
    /// Strongest registered method.
    pub mfa_method: MfaMethod,
    /// True exactly for `PHISHING_RESISTANT` and `AUTHENTICATOR`.
    pub mfa_method_strong: bool,
    /// Days since the last password change; null when it could not be assessed.
    pub password_age_days: Option<u32>,
    /// True when the password is older than 100 days.
    pub password_age_warning: bool,
    /// Failed sign-in attempts within the lookback window.
    pub failed_sign_ins: u32,
}

impl fmt::Debug for GlobalAdmin {
    /// Leaves out the sign-in name, which must not reach a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalAdmin")
            .field("status", &self.status)
            .field("mfa_method", &self.mfa_method)
            .finish_non_exhaustive()
    }
}

/// How MFA is enforced for an administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MfaEnforcement {
    /// By a conditional access policy.
    CaPolicy,
    /// By the per-user setting.
    PerUser,
    /// Not enforced.
    None,
    /// The registration report could not be read.
    // Also a value that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

/// Strongest MFA method that an administrator has registered, from strongest to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MfaMethod {
    /// Passkey, security key or certificate.
    PhishingResistant,
    /// Authenticator app.
    Authenticator,
    /// One-time codes by software.
    SoftwareOath,
    /// Text message.
    Sms,
    /// Phone call.
    Voice,
    /// E-mail.
    Email,
    /// No method registered.
    None,
    /// Could not be read.
    // Also a value that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

impl MfaMethod {
    /// Whether the method is strong or phishing-resistant.
    pub fn is_strong(self) -> bool {
        matches!(self, Self::PhishingResistant | Self::Authenticator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_incomplete_list_are_unknown_instead_of_zero() {
        let of = |count, strong_mfa_count, data_complete| {
            let review = GlobalAdmins {
                count,
                previous_count: Some(count),
                best_practice_max: 8,
                strong_mfa_count,
                data_complete,
                admins: Vec::new(),
            };
            (review.known_count(), review.known_previous_count(), review.known_strong_mfa_count())
        };
        assert_eq!(of(0, 0, false), (None, None, None));
        assert_eq!(of(18, 0, false), (Some(18), Some(18), None));
        assert_eq!(of(3, 2, false), (Some(3), Some(3), None));
        assert_eq!(of(3, 0, true), (Some(3), Some(3), Some(0)));
    }
}
