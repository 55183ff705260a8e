//! The plan: which calls a run makes, in which order.

use model::snapshot::{LEGACY_CLIENTS, endpoint};
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::facts::{Facts, Span};
use crate::pace::Service;

/// Version of the plan. A run that began under another one begins again.
pub(crate) const VERSION: u32 = 1;
/// Most object ids that one request asks for.
const IDS: usize = 1_000;
/// Most administrators that one filter of sign-ins names.
const ADMINISTRATORS: usize = 15;
/// Most pages of one query of a log: the time that a longer log covers is shortened.
pub(crate) const LOG_PAGES: usize = 20;

/// Properties of users that controls, administrators and billable users need. Not `signInActivity`: an application may
/// ask for it ten times a minute in all tenants together.
const USER: &str = "id,displayName,userPrincipalName,mail,accountEnabled,userType,createdDateTime,assignedLicenses,\
onPremisesSyncEnabled,onPremisesImmutableId,lastPasswordChangeDateTime,externalUserState,\
externalUserStateChangeDateTime";

/// A part of the plan. Its calls depend on responses to earlier parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Step {
    Tenant,
    Settings,
    ConditionalAccess,
    NamedObjects,
    Roles,
    GroupMembers,
    Applications,
    Users,
    Logs,
    Risk,
    Score,
    UsageReports,
    Names,
}

/// All parts, in order.
pub(crate) const STEPS: [Step; 13] = [
    Step::Tenant,
    Step::Settings,
    Step::ConditionalAccess,
    Step::NamedObjects,
    Step::Roles,
    Step::GroupMembers,
    Step::Applications,
    Step::Users,
    Step::Logs,
    Step::Risk,
    Step::Score,
    Step::UsageReports,
    Step::Names,
];

impl Step {
    /// Whether calls are made together. Logs and conditional access are throttled as a whole if they are.
    pub(crate) fn in_batches(self) -> bool {
        matches!(self, Self::Tenant | Self::Settings | Self::Roles | Self::GroupMembers | Self::Applications)
    }

    /// Returns the calls.
    pub(crate) fn calls(self, facts: &Facts, span: &Span) -> Vec<Call> {
        match self {
            Self::Tenant => vec![
                directory(endpoint::ORGANIZATION, "", 1),
                directory(endpoint::SUBSCRIBED_SKUS, "", 3),
                directory(endpoint::DOMAINS, "", 1),
            ],
            Self::Settings => settings(),
            Self::ConditionalAccess => vec![
                Call::new(endpoint::CONDITIONAL_ACCESS_POLICIES, "", Service::ConditionalAccess, 1),
                Call::new(endpoint::NAMED_LOCATIONS, "", Service::ConditionalAccess, 1),
            ],
            Self::NamedObjects => facts.named.chunks(IDS).map(objects_by_id).collect(),
            Self::Roles => roles(),
            Self::GroupMembers => facts.groups.iter().map(|group| members(group)).collect(),
            Self::Applications => applications(),
            Self::Users => vec![directory(endpoint::USERS, &format!("$select={USER}&$top=999"), 2)],
            Self::Logs => logs(facts, span),
            Self::Risk => {
                let query = "$filter=riskState eq 'atRisk'&$top=500";
                vec![Call::new(endpoint::RISKY_USERS, query, Service::ConditionalAccess, 1)]
            }
            Self::Score => vec![Call::new(endpoint::SECURE_SCORES, "$top=1", Service::Security, 1)],
            // Accounts count as unused after 90 days.
            Self::UsageReports => [(endpoint::MAIL_APPS_REPORT, 30), (endpoint::ACTIVE_USERS_REPORT, 90)]
                .map(|(report, days)| Call::new(format!("{report}period='D{days}')"), "", Service::UsageReports, 1))
                .into(),
            Self::Names => facts.questions.iter().map(|question| name(question)).collect(),
        }
    }
}

fn directory(endpoint: &str, query: &str, units: u32) -> Call {
    Call::new(endpoint, query, Service::Directory, units)
}

fn settings() -> Vec<Call> {
    let endpoints = [
        endpoint::AUTHORIZATION_POLICY,
        endpoint::AUTHENTICATION_METHODS_POLICY,
        endpoint::SECURITY_DEFAULTS,
        endpoint::ADMIN_CONSENT_REQUEST_POLICY,
        endpoint::DEFAULT_APP_MANAGEMENT_POLICY,
        endpoint::CROSS_TENANT_ACCESS_DEFAULT,
        endpoint::DEVICE_REGISTRATION_POLICY,
        endpoint::GROUP_SETTINGS,
        endpoint::SHAREPOINT_SETTINGS,
        endpoint::ON_PREMISES_SYNCHRONIZATION,
        endpoint::REPORT_SETTINGS,
    ];
    endpoints.map(|endpoint| directory(endpoint, "", 1)).into()
}

fn objects_by_id(ids: &[String]) -> Call {
    Call { ids: ids.to_vec(), ..directory(endpoint::OBJECTS_BY_ID, "", 2) }
}

fn roles() -> Vec<Call> {
    let rules = "$filter=scopeId eq '/' and scopeType eq 'DirectoryRole'&$expand=policy($expand=rules)";
    vec![
        directory(endpoint::ROLE_ASSIGNMENTS, "$expand=principal", 2),
        directory(endpoint::ROLE_ASSIGNMENT_INSTANCES, "$expand=principal", 2),
        directory(endpoint::ROLE_ELIGIBILITY_INSTANCES, "$expand=principal", 2),
        directory(endpoint::ROLE_POLICIES, rules, 3),
    ]
}

fn members(group: &str) -> Call {
    let endpoint = format!("{}{group}{}", endpoint::GROUPS, endpoint::TRANSITIVE_MEMBERS);
    directory(&endpoint, "$select=id,displayName,userPrincipalName,accountEnabled,userType&$top=999", 5)
}

fn applications() -> Vec<Call> {
    let own = "$select=id,appId,displayName,passwordCredentials,keyCredentials&$top=999";
    let used = "$select=id,appId,displayName,appOwnerOrganizationId,servicePrincipalType,accountEnabled&$top=999";
    vec![
        directory(endpoint::APPLICATIONS, own, 2),
        directory(endpoint::SERVICE_PRINCIPALS, used, 2),
        directory(endpoint::PERMISSION_GRANTS, "$filter=consentType eq 'AllPrincipals'&$top=999", 2),
        directory(endpoint::GRAPH_ROLE_ASSIGNMENTS, "$top=999", 1),
        directory(endpoint::EXCHANGE_ROLE_ASSIGNMENTS, "$top=999", 1),
        directory(endpoint::SHAREPOINT_ROLE_ASSIGNMENTS, "$top=999", 1),
    ]
}

/// Returns the calls of logs: the log of a busy tenant cannot be read as a whole, so filters name what is wanted.
fn logs(facts: &Facts, span: &Span) -> Vec<Call> {
    let log = |endpoint: &str, filter: String| {
        let call = Call::new(endpoint, format!("$filter={filter}&$top=999"), Service::Logs, 1);
        Call { most_pages: LOG_PAGES, ..call }
    };
    let any = |property: &str, values: &[&str]| {
        let equal: Vec<_> = values.iter().map(|value| format!("{property} eq '{value}'")).collect();
        format!("({})", equal.join(" or "))
    };
    let signed_in = span.filter("createdDateTime");
    let mut calls = vec![Call::new(endpoint::REGISTRATIONS, "", Service::Logs, 1)];
    for administrators in facts.administrators.chunks(ADMINISTRATORS) {
        let ids: Vec<_> = administrators.iter().map(String::as_str).collect();
        calls.push(log(endpoint::SIGN_INS, format!("{signed_in} and {}", any("userId", &ids))));
    }
    calls.push(log(endpoint::SIGN_INS, format!("{signed_in} and {}", any("clientAppUsed", &LEGACY_CLIENTS))));
    let audited = span.filter("activityDateTime");
    calls.push(log(endpoint::DIRECTORY_AUDITS, format!("{audited} and category eq 'RoleManagement'")));
    calls
}

fn name(question: &str) -> Call {
    Call::new(endpoint::DNS, question, Service::Names, 1)
}
