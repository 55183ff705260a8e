//! A conditional access policy, of `GET /identity/conditionalAccess/policies`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A policy. Fields that this version does not know stay visible, because they can narrow the policy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Policy {
    pub(super) display_name: Option<String>,
    pub(super) state: Option<String>,
    pub(super) conditions: Option<Conditions>,
    pub(super) grant_controls: Option<GrantControls>,
    pub(super) session_controls: Option<SessionControls>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Conditions {
    pub(super) users: Option<Users>,
    pub(super) applications: Option<Applications>,
    pub(super) client_app_types: Option<Vec<String>>,
    pub(super) sign_in_risk_levels: Option<Vec<String>>,
    pub(super) user_risk_levels: Option<Vec<String>>,
    pub(super) authentication_flows: Option<AuthenticationFlows>,
    pub(super) locations: Option<Locations>,
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Users {
    pub(super) include_users: Option<Vec<String>>,
    pub(super) exclude_users: Option<Vec<String>>,
    pub(super) include_groups: Option<Vec<String>>,
    pub(super) exclude_groups: Option<Vec<String>>,
    pub(super) include_roles: Option<Vec<String>>,
    pub(super) exclude_roles: Option<Vec<String>>,
    pub(super) include_guests_or_external_users: Option<Guests>,
    pub(super) exclude_guests_or_external_users: Option<Guests>,
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Guests {
    /// Kinds of guests, separated by commas.
    pub(super) guest_or_external_user_types: Option<String>,
    pub(super) external_tenants: Option<ExternalTenants>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ExternalTenants {
    pub(super) membership_kind: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Applications {
    pub(super) include_applications: Option<Vec<String>>,
    pub(super) exclude_applications: Option<Vec<String>>,
    pub(super) include_user_actions: Option<Vec<String>>,
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AuthenticationFlows {
    /// Flows, separated by commas.
    pub(super) transfer_methods: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Locations {
    pub(super) include_locations: Option<Vec<String>>,
    pub(super) exclude_locations: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct GrantControls {
    pub(super) operator: Option<String>,
    pub(super) built_in_controls: Option<Vec<String>>,
    pub(super) custom_authentication_factors: Option<Vec<String>>,
    pub(super) terms_of_use: Option<Vec<String>>,
    pub(super) authentication_strength: Option<AuthenticationStrength>,
    #[serde(flatten)]
    pub(super) others: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AuthenticationStrength {
    pub(super) allowed_combinations: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SessionControls {
    pub(super) sign_in_frequency: Option<SignInFrequency>,
    pub(super) persistent_browser: Option<PersistentBrowser>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SignInFrequency {
    pub(super) is_enabled: Option<bool>,
    pub(super) value: Option<i64>,
    #[serde(rename = "type")]
    pub(super) unit: Option<String>,
    pub(super) frequency_interval: Option<String>,
    pub(super) authentication_type: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PersistentBrowser {
    pub(super) is_enabled: Option<bool>,
    pub(super) mode: Option<String>,
}

/// The state of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Enabled,
    Disabled,
    ReportOnly,
    Unknown,
}

impl Policy {
    pub(super) fn state(&self) -> State {
        match self.state.as_deref() {
            Some("enabled") => State::Enabled,
            Some("disabled") => State::Disabled,
            Some("enabledForReportingButNotEnforced") => State::ReportOnly,
            _ => State::Unknown,
        }
    }

    /// Returns the name in quotation marks.
    pub(super) fn quoted_name(&self) -> String {
        format!("\u{201c}{}\u{201d}", self.display_name.as_deref().unwrap_or("(without a name)"))
    }

    /// Returns whether another policy has the same conditions and controls, whatever its name and state.
    pub(super) fn does_the_same_as(&self, other: &Self) -> bool {
        self.conditions == other.conditions
            && self.grant_controls == other.grant_controls
            && self.session_controls == other.session_controls
    }

    /// Returns the users of the policy.
    pub(super) fn users(&self) -> Option<&Users> {
        self.conditions.as_ref()?.users.as_ref()
    }
}

impl Guests {
    /// Returns the kinds of guests.
    pub(super) fn types(&self) -> impl Iterator<Item = &str> {
        words(self.guest_or_external_user_types.as_deref())
    }

    /// Returns whether guests of every tenant are meant.
    pub(super) fn of_all_tenants(&self) -> bool {
        let kind = self.external_tenants.as_ref().and_then(|tenants| tenants.membership_kind.as_deref());
        kind.is_none_or(|kind| kind == "all")
    }
}

impl AuthenticationFlows {
    /// Returns the flows.
    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        words(self.transfer_methods.as_deref())
    }
}

/// Returns the words of a text with commas, as the interface writes flags.
fn words(flags: Option<&str>) -> impl Iterator<Item = &str> {
    flags.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "none")
}

/// Returns whether a list contains a text, in any case.
pub(super) fn lists(values: Option<&Vec<String>>, value: &str) -> bool {
    values.is_some_and(|values| values.iter().any(|listed| listed.eq_ignore_ascii_case(value)))
}

/// Returns the elements of a list that may be missing.
pub(super) fn elements(values: Option<&Vec<String>>) -> impl Iterator<Item = &str> + Clone {
    values.into_iter().flatten().map(String::as_str)
}

/// Returns whether a value says nothing: null, empty, or made of nothing else.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.is_empty() || text == "none",
        Value::Array(values) => values.iter().all(is_blank),
        Value::Object(fields) => fields.iter().all(|(name, value)| name.contains('@') || is_blank(value)),
    }
}
