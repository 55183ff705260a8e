//! Rows about users.

use model::Timestamp;
use serde::{Deserialize, Deserializer};

use crate::file::time;

/// A user, of `GET /users`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Account {
    pub(in crate::controls) user_principal_name: Option<String>,
    pub(super) account_enabled: Option<bool>,
    pub(super) user_type: Option<String>,
    #[serde(default, deserialize_with = "time")]
    pub(super) created_date_time: Option<Timestamp>,
    pub(super) sign_in_activity: Option<SignInActivity>,
    /// The outer option is `None` if the request did not select it; null means that the user never was synchronized.
    #[serde(default, deserialize_with = "selected")]
    pub(in crate::controls) on_premises_sync_enabled: Option<Option<bool>>,
    #[serde(default, deserialize_with = "time")]
    pub(in crate::controls) last_password_change_date_time: Option<Timestamp>,
    pub(super) external_user_state: Option<String>,
    #[serde(default, deserialize_with = "time")]
    pub(super) external_user_state_change_date_time: Option<Timestamp>,
}

/// The last sign-ins of a user.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignInActivity {
    #[serde(default, deserialize_with = "time")]
    last_successful_sign_in_date_time: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    last_sign_in_date_time: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    last_non_interactive_sign_in_date_time: Option<Timestamp>,
}

impl SignInActivity {
    /// Returns the last sign-in: one that succeeded, if the row says so.
    pub(super) fn last(&self) -> Option<Timestamp> {
        let attempts = self.last_sign_in_date_time.max(self.last_non_interactive_sign_in_date_time);
        self.last_successful_sign_in_date_time.or(attempts)
    }
}

impl Account {
    /// Whether the user is a guest, if the row says so.
    pub(super) fn is_guest(&self) -> Option<bool> {
        match self.user_type.as_deref() {
            Some("Guest") => Some(true),
            Some("Member") => Some(false),
            _ => None,
        }
    }
}

/// Reads a property that was selected, whether or not it is null.
fn selected<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The registered methods of a user, of `GET /reports/authenticationMethods/userRegistrationDetails`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct AuthenticationRegistration {
    pub(super) user_type: Option<String>,
    pub(super) is_mfa_registered: Option<bool>,
}

/// A user at risk, of `GET /identityProtection/riskyUsers`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct RiskyUser {
    pub(super) risk_state: Option<String>,
    pub(super) risk_level: Option<String>,
}
