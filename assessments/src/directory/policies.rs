//! Conditional access policies that require a second factor of administrators, and each account's own setting.

use serde::Deserialize;

use super::list::ListItem;
use super::top_role::TOP_ROLE;

/// A conditional access policy, of `GET /identity/conditionalAccess/policies`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Policy {
    id: String,
    state: Option<String>,
    conditions: Option<Conditions>,
    grant_controls: Option<GrantControls>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Conditions {
    users: Option<Users>,
    applications: Option<Applications>,
    client_app_types: Option<Vec<String>>,
    /// Anything in these narrows the policy.
    locations: Option<Present>,
    platforms: Option<Present>,
    devices: Option<Present>,
    sign_in_risk_levels: Option<Vec<String>>,
    user_risk_levels: Option<Vec<String>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Users {
    include_users: Option<Vec<String>>,
    include_roles: Option<Vec<String>>,
    exclude_users: Option<Vec<String>>,
    exclude_roles: Option<Vec<String>>,
    exclude_groups: Option<Vec<String>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Applications {
    include_applications: Option<Vec<String>>,
    exclude_applications: Option<Vec<String>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct GrantControls {
    operator: Option<String>,
    built_in_controls: Option<Vec<String>>,
    authentication_strength: Option<Present>,
}

/// An object whose content does not matter.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Present {}

impl Policy {
    /// Returns whether the policy certainly requires a second factor of a holder of the top role at every sign-in. A
    /// policy with further conditions, or with excluded groups, may not.
    pub(super) fn requires_second_factor_of(&self, user: &str) -> bool {
        let Some(conditions) = &self.conditions else { return false };
        self.state.as_deref() == Some("enabled")
            && self.grant_controls.as_ref().is_some_and(GrantControls::require_second_factor)
            && conditions.apply_always()
            && conditions.users.as_ref().is_some_and(|users| users.include(user))
    }
}

impl Conditions {
    fn apply_always(&self) -> bool {
        let applications = self.applications.as_ref();
        let everywhere =
            applications.is_some_and(|it| lists(&it.include_applications, "All") && is_empty(&it.exclude_applications));
        let every_client = is_empty(&self.client_app_types) || lists(&self.client_app_types, "all");
        let unconditional = self.locations.is_none()
            && self.platforms.is_none()
            && self.devices.is_none()
            && is_empty(&self.sign_in_risk_levels)
            && is_empty(&self.user_risk_levels);
        everywhere && every_client && unconditional
    }
}

impl Users {
    fn include(&self, user: &str) -> bool {
        let included = lists(&self.include_users, "All")
            || lists(&self.include_users, user)
            || lists(&self.include_roles, TOP_ROLE);
        let excluded = lists(&self.exclude_users, user) || lists(&self.exclude_roles, TOP_ROLE);
        included && !excluded && is_empty(&self.exclude_groups)
    }
}

impl GrantControls {
    /// Returns whether the controls require a second factor. With `OR`, any one of the controls is enough.
    fn require_second_factor(&self) -> bool {
        let others = self.built_in_controls.iter().flatten().filter(|control| !control.eq_ignore_ascii_case("mfa"));
        let strength = self.authentication_strength.is_some();
        let required = strength || lists(&self.built_in_controls, "mfa");
        required && (others.count() == 0 || self.operator.as_deref() == Some("AND"))
    }
}

impl ListItem for Policy {
    fn id(&self) -> &str {
        &self.id
    }
}

fn lists(values: &Option<Vec<String>>, value: &str) -> bool {
    values.iter().flatten().any(|listed| listed.eq_ignore_ascii_case(value))
}

fn is_empty(values: &Option<Vec<String>>) -> bool {
    values.as_ref().is_none_or(Vec::is_empty)
}

/// The multifactor setting of one account, of `GET /users/{id}/authentication/requirements`.
#[derive(Deserialize)]
pub(super) struct AccountRequirements {
    #[serde(rename = "@odata.context")]
    context: Option<String>,
    #[serde(rename = "perUserMfaState")]
    state: String,
}

impl AccountRequirements {
    /// Returns the account's setting. The response names the account only in its context.
    pub(super) fn setting(&self) -> Option<AccountSetting> {
        let (_, user) = self.context.as_ref()?.split_once("users('")?;
        let (user, _) = user.split_once('\'')?;
        let requirements = vec![StrongAuthenticationRequirement { state: Some(self.state.clone()) }];
        Some(AccountSetting { id: user.to_owned(), strong_authentication_requirements: Some(requirements) })
    }
}

/// The multifactor setting of an account, in the older form of `Get-MsolUser`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccountSetting {
    #[serde(alias = "objectId")]
    id: String,
    /// Null or empty if the account has no setting of its own.
    strong_authentication_requirements: Option<Vec<StrongAuthenticationRequirement>>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct StrongAuthenticationRequirement {
    state: Option<String>,
}

impl AccountSetting {
    /// Whether the account's own setting requires a second factor.
    pub(super) fn requires_second_factor(&self) -> bool {
        let states = self.strong_authentication_requirements.iter().flatten().filter_map(|it| it.state.as_deref());
        states.into_iter().any(|state| ["enabled", "enforced"].iter().any(|word| state.eq_ignore_ascii_case(word)))
    }
}

impl ListItem for AccountSetting {
    fn id(&self) -> &str {
        &self.id
    }
}
