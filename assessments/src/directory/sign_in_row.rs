//! A sign-in, as the log's exports contain it.

use model::Timestamp;
use serde::Deserialize;

use crate::activity::{BY_ACCOUNT, BY_NOTHING, BY_POLICY, Columns, SignIn as SignInFacts, squeezed};
use crate::file::{Field, read_boolean, time};

/// The log's words for a sign-in that needed one factor or several, without blanks and hyphens.
const SINGLE_FACTOR: &str = "singlefactorauthentication";
const MULTIFACTOR: &str = "multifactorauthentication";

/// Error codes of interrupted sign-ins, which the log does not count as failed: the user was asked for a second factor,
/// to register one, to stay signed in, to choose an account, or to consent.
const INTERRUPTIONS: [i64; 11] = [16000, 50058, 50072, 50074, 50076, 50079, 50097, 50125, 50140, 50199, 65001];

/// A sign-in, of `GET /auditLogs/signIns`. Only the beta version of Microsoft Graph returns the last three fields.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SignIn {
    pub(super) id: String,
    pub(super) user_id: Option<String>,
    service_principal_id: Option<String>,
    #[serde(default, deserialize_with = "time")]
    pub(super) created_date_time: Option<Timestamp>,
    status: Option<SignInStatus>,
    applied_conditional_access_policies: Option<Vec<AppliedPolicy>>,
    authentication_requirement: Option<String>,
    authentication_requirement_policies: Option<Vec<RequirementPolicy>>,
    pub(super) is_interactive: Option<bool>,
    client_app_used: Option<String>,
    authentication_protocol: Option<String>,
    authentication_details: Option<Vec<AuthenticationStep>>,
    risk_level_during_sign_in: Option<String>,
    user_type: Option<String>,
    cross_tenant_access_type: Option<String>,
    device_detail: Option<Device>,
    location: Option<Location>,
}

/// A step of the authentication, with one method.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AuthenticationStep {
    authentication_method: Option<String>,
    #[serde(default)]
    succeeded: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Device {
    is_compliant: Option<bool>,
    is_managed: Option<bool>,
    /// Whether a table has words for them that are not understood.
    #[serde(skip)]
    is_unclear: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    country_or_region: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SignInStatus {
    #[serde(default)]
    error_code: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AppliedPolicy {
    enforced_grant_controls: Option<Vec<String>>,
    result: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequirementPolicy {
    requirement_provider: Option<String>,
}

impl SignIn {
    /// Reads a row of the admin centre's table. Returns `None` if it has no time, user or identifier, or does not show
    /// whether the sign-in succeeded.
    pub(super) fn of_table(row: &Columns) -> Option<Self> {
        let text = |column: &str| row.text(column).map(str::to_owned);
        let error = row.text("sign-in error code").and_then(|code| code.parse().ok());
        let status = row.text("status").map(|status| match squeezed(status).as_str() {
            "success" => Some(0),
            "failure" | "interrupted" => Some(1),
            _ => None,
        });
        let method = text("multifactor authentication auth method");
        let step = |method| AuthenticationStep { authentication_method: Some(method), succeeded: Some(true) };
        Some(Self {
            id: text("request id")?,
            user_id: Some(text("user id")?),
            created_date_time: Some(row.time("date (utc)").or_else(|| row.time("date"))?),
            status: match (error, status) {
                (Some(error_code), _) | (None, Some(Some(error_code))) => Some(SignInStatus { error_code }),
                (None, Some(None)) => return None,
                (None, None) => None,
            },
            authentication_requirement: text("authentication requirement"),
            client_app_used: text("client app"),
            authentication_protocol: text("authentication protocol"),
            authentication_details: method.map(|method| vec![step(method)]),
            user_type: text("user type"),
            cross_tenant_access_type: text("cross tenant access type"),
            device_detail: Device::of_table(row),
            location: text("location").map(|location| Location::of_table(&location)),
            ..Self::default()
        })
    }

    /// Whether an application or a managed identity signed in, and nobody.
    pub(super) fn is_by_application(&self) -> bool {
        let is_given = |id: &Option<String>| id.as_ref().is_some_and(|id| !id.is_empty());
        is_given(&self.service_principal_id) && !is_given(&self.user_id)
    }

    /// Returns what the sign-in shows of activity.
    pub(super) fn shown(&self) -> SignInFacts {
        let details = self.authentication_details.as_ref().filter(|details| !details.is_empty());
        let succeeded = |details: &Vec<AuthenticationStep>| {
            let steps = details.iter().filter(|step| step.succeeded == Some(true));
            steps.filter_map(|step| step.authentication_method.clone()).collect()
        };
        let results = |policies: &Vec<AppliedPolicy>| policies.iter().filter_map(|it| it.result.clone()).collect();
        SignInFacts {
            error: self.error_code(),
            failed: self.failed(),
            second_factor: self.second_factor(),
            interactive: self.is_interactive,
            client_app: self.client_app_used.clone().filter(|app| !app.is_empty()),
            protocol: self.authentication_protocol.clone(),
            one_factor: self.one_factor(),
            methods: details.map(succeeded),
            policy_results: self.applied_conditional_access_policies.as_ref().map(results),
            risk: self.risk_level_during_sign_in.clone(),
            user_type: self.user_type.clone(),
            cross_tenant_access: self.cross_tenant_access_type.clone(),
            managed_device: self.device_detail.as_ref().map_or(Field::Missing, Device::is_known_to_the_organization),
            country: self.location.as_ref().and_then(|location| location.country_or_region.clone()),
        }
    }

    /// Returns whether one factor was enough.
    fn one_factor(&self) -> Field<bool> {
        match self.authentication_requirement.as_deref().map(squeezed).as_deref() {
            None | Some("") => Field::Missing,
            Some(SINGLE_FACTOR) => Field::Value(true),
            Some(MULTIFACTOR) => Field::Value(false),
            Some(_) => Field::Damaged,
        }
    }

    fn error_code(&self) -> i64 {
        self.status.as_ref().map_or(0, |status| status.error_code)
    }

    /// Returns whether the sign-in counts as failed. Interrupted ones do not.
    fn failed(&self) -> bool {
        let code = self.error_code();
        code != 0 && !INTERRUPTIONS.contains(&code)
    }

    /// Returns what required a second factor, or that nothing did, if the sign-in shows it.
    fn second_factor(&self) -> Option<&'static str> {
        let applied = self.applied_conditional_access_policies.iter().flatten();
        let mut providers = self.authentication_requirement_policies.iter().flatten();
        if applied.clone().any(AppliedPolicy::asks_for_second_factor)
            || providers.clone().any(RequirementPolicy::is_tenants)
        {
            Some(BY_POLICY)
        } else if providers.any(|policy| policy.requirement_provider.as_deref() == Some("user")) {
            Some(BY_ACCOUNT)
        } else {
            self.got_in_with_one_factor().then_some(BY_NOTHING)
        }
    }

    /// Returns whether one factor was enough. Sign-ins without the user repeat the result of an earlier one and do not
    /// count.
    fn got_in_with_one_factor(&self) -> bool {
        self.error_code() == 0 && self.is_interactive == Some(true) && self.one_factor() == Field::Value(true)
    }
}

impl AppliedPolicy {
    /// Returns whether the policy was enforced, not only reported, and requires a second factor.
    fn asks_for_second_factor(&self) -> bool {
        let in_force = matches!(self.result.as_deref(), Some("success" | "failure"));
        in_force && self.enforced_grant_controls.iter().flatten().any(|control| is_second_factor(control))
    }
}

impl RequirementPolicy {
    /// Returns whether it is a policy of the tenant. Security defaults are conditional access that the provider
    /// configures.
    fn is_tenants(&self) -> bool {
        matches!(
            self.requirement_provider.as_deref(),
            Some("multiConditionalAccess" | "securityDefaults" | "v1ConditionalAccess")
        )
    }
}

/// Returns whether a grant control requires a second factor, by its name or by an authentication strength.
fn is_second_factor(control: &str) -> bool {
    let control = control.to_ascii_lowercase().replace([' ', '-'], "");
    ["mfa", "multifactor", "authenticationstrength"].iter().any(|name| control.contains(name))
}

impl Device {
    /// Reads the cells of a row about the device. Returns `None` if they are empty.
    fn of_table(row: &Columns) -> Option<Self> {
        let cells = [row.text("compliant"), row.text("managed")];
        let [is_compliant, is_managed] = cells.map(|cell| cell.and_then(read_boolean));
        let is_unclear = cells.into_iter().flatten().any(|cell| read_boolean(cell).is_none());
        (cells != [None, None]).then_some(Self { is_compliant, is_managed, is_unclear })
    }

    fn is_known_to_the_organization(&self) -> Field<bool> {
        match self.is_compliant == Some(true) || self.is_managed == Some(true) {
            false if self.is_unclear => Field::Damaged,
            is_known => Field::Value(is_known),
        }
    }
}

impl Location {
    /// Returns the location of a cell such as `Oslo, Oslo, NO`: the country comes last.
    fn of_table(cell: &str) -> Self {
        Self { country_or_region: cell.rsplit(',').next().map(|country| country.trim().to_owned()) }
    }
}
