//! The scope of a policy, and the conditions that narrow it.

use std::fmt;

use serde_json::Value;

use super::policy::{Conditions, elements, is_blank, lists};

/// Client applications; a policy for all of them is for every client.
const CLIENT_APPS: [&str; 4] = ["browser", "exchangeActiveSync", "mobileAppsAndDesktopClients", "other"];

/// The target of a policy: applications, or an action of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    AllApplications,
    Application(&'static str),
    UserAction(&'static str),
}

/// The sign-ins that a requirement is about. A policy may be limited to them, and to no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Always,
    ClientApp(&'static str),
    HighUserRisk,
    HighSignInRisk,
    Flow(&'static str),
}

/// The reason why a policy does not cover what it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Obstacle {
    Disabled,
    ReportOnly,
    DoesNotInclude,
    Excludes(String),
    OtherTarget,
    Condition(String),
    Weaker,
    Unknown(String),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disabled => f.write_str("is off"),
            Self::ReportOnly => f.write_str("only reports (report-only mode)"),
            Self::DoesNotInclude => f.write_str("does not include everybody concerned"),
            Self::Excludes(whom) => write!(f, "excludes {whom}"),
            Self::OtherTarget => f.write_str("does not include every application"),
            Self::Condition(condition) => write!(f, "applies only under a condition ({condition})"),
            Self::Weaker => f.write_str("can be satisfied in a weaker way"),
            Self::Unknown(part) => write!(f, "has a setting of unknown meaning ({part})"),
        }
    }
}

impl Target {
    pub(super) fn obstacle(self, conditions: &Conditions) -> Option<Obstacle> {
        let Some(applications) = &conditions.applications else { return Some(Obstacle::OtherTarget) };
        let included = applications.include_applications.as_ref();
        let excluded = applications.exclude_applications.as_ref();
        let fits = match self {
            Self::AllApplications => lists(included, "All") && elements(excluded).next().is_none(),
            Self::Application(id) => (lists(included, id) || lists(included, "All")) && !lists(excluded, id),
            Self::UserAction(action) => lists(applications.include_user_actions.as_ref(), action),
        };
        let mut others = applications.others.iter().filter(|(name, value)| !name.contains('@') && !is_blank(value));
        match others.next() {
            Some((name, _)) if name == "applicationFilter" => Some(Obstacle::OtherTarget),
            Some((name, _)) if fits => Some(Obstacle::Unknown(name.clone())),
            _ => (!fits).then_some(Obstacle::OtherTarget),
        }
    }
}

impl When {
    /// Returns whether a policy is about these sign-ins at all.
    pub(super) fn is_mentioned(self, conditions: &Conditions) -> bool {
        match self {
            Self::Always => true,
            Self::ClientApp(app) => concerns_client(conditions, app),
            Self::HighUserRisk => lists(conditions.user_risk_levels.as_ref(), "high"),
            Self::HighSignInRisk => lists(conditions.sign_in_risk_levels.as_ref(), "high"),
            Self::Flow(flow) => {
                conditions.authentication_flows.iter().flat_map(|flows| flows.methods()).any(|it| it == flow)
            }
        }
    }

    /// Returns the conditions that limit a policy to fewer sign-ins.
    pub(super) fn narrowing(self, conditions: &Conditions, except_trusted_locations: bool) -> Vec<Obstacle> {
        let is_set = |values: &Option<Vec<String>>| elements(values.as_ref()).next().is_some();
        let has_flows = conditions.authentication_flows.iter().flat_map(|flows| flows.methods()).next().is_some();
        let every_client = CLIENT_APPS.iter().all(|app| concerns_client(conditions, app));
        let known = [
            (!matches!(self, Self::ClientApp(_)) && !every_client, "client applications"),
            (self != Self::HighUserRisk && is_set(&conditions.user_risk_levels), "user risk"),
            (self != Self::HighSignInRisk && is_set(&conditions.sign_in_risk_levels), "sign-in risk"),
            (!matches!(self, Self::Flow(_)) && has_flows, "authentication flows"),
            (!is_everywhere(conditions, except_trusted_locations), "locations"),
        ];
        let known = known.into_iter().filter(|(narrows, _)| *narrows);
        let others = conditions.others.iter().filter(|(name, value)| !name.contains('@') && !is_blank(value));
        let others = others.filter(|(name, value)| !(*name == "platforms" && is_every_platform(value)));
        known
            .map(|(_, condition)| Obstacle::Condition(condition.to_owned()))
            .chain(others.map(|(name, _)| match name.as_str() {
                "devices" | "platforms" | "clientApplications" | "servicePrincipalRiskLevels" | "insiderRiskLevels" => {
                    Obstacle::Condition(name.clone())
                }
                _ => Obstacle::Unknown(name.clone()),
            }))
            .collect()
    }
}

/// Returns whether a policy applies to a client application. A policy without any applies to all.
fn concerns_client(conditions: &Conditions, app: &str) -> bool {
    let apps = conditions.client_app_types.as_ref();
    elements(apps).next().is_none() || lists(apps, "all") || lists(apps, app)
}

fn is_everywhere(conditions: &Conditions, except_trusted_locations: bool) -> bool {
    let Some(locations) = &conditions.locations else { return true };
    let is_set = |values: &Option<Vec<String>>| elements(values.as_ref()).next().is_some();
    let mut excluded = elements(locations.exclude_locations.as_ref());
    let included = !is_set(&locations.include_locations) || lists(locations.include_locations.as_ref(), "All");
    included && excluded.all(|it| except_trusted_locations && it == "AllTrusted")
}

fn is_every_platform(platforms: &Value) -> bool {
    let blank = |name: &str| platforms.get(name).is_none_or(is_blank);
    let all = platforms
        .get("includePlatforms")
        .and_then(|it| it.as_array())
        .is_some_and(|it| it.iter().any(|it| it == "all"));
    all && blank("excludePlatforms")
}
