//! A snapshot: a tenant's configuration as its interfaces returned it, in one file that can be judged at any later time.
//!
//! The file is JSON Lines, in UTF-8, and may be compressed with gzip (several members in a row are one file):
//!
//! 1. a [`Header`];
//! 2. a [`Response`] per line, in any order;
//! 3. an [`End`], which says how many responses there are: a file without it was cut off and is not read.
//!
//! Whatever writes the file appends to it, so facts that are known last are in the last line.

use serde::{Deserialize, Serialize};

use super::{ProviderTenantId, Timestamp};

/// Version of the format that this release writes. Fields and endpoints are added without a new version.
pub const VERSION: u32 = 1;

/// The first line: which tenant the snapshot is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    /// Version of the format.
    pub snapshot: u32,
    /// The tenant.
    pub provider_tenant_id: ProviderTenantId,
    /// When the snapshot was requested; null if nobody asked for it.
    pub requested_at: Option<Timestamp>,
    /// When collecting began.
    pub started_at: Timestamp,
    /// Object ids of the users and groups that the tenant's manager declares to be emergency access: policies may
    /// exclude these and no others.
    #[serde(default)]
    pub emergency_access: Vec<String>,
}

/// A line in between: one response, or the reason why there is none.
///
/// A page of a collection is a response of its own, with the endpoint and query of the first page: links to pages are
/// not kept. Parts of a batch are responses of their own, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response<B> {
    /// The path of the request without its host, decoded, such as [`endpoint::USERS`].
    pub endpoint: String,
    /// The query of the request, decoded and without its question mark; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// When the response arrived, by the clock of the interface if it says.
    pub at: Timestamp,
    /// Status of the response; null if there was none.
    pub status: Option<u16>,
    /// Whether the response is a page and links to a next one. Of a whole collection, all pages but one do.
    #[serde(skip_serializing_if = "is_false")]
    pub more: bool,
    /// The reason why the body is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<RequestFailure>,
    /// The body as it came, always the last member. A body of JSON is that JSON, without links to pages; any other
    /// text, such as a usage report, is the list of its lines, so that no line of this file holds one long text.
    pub body: B,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// The reason why a body is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RequestFailure {
    /// No connection, or one that broke off.
    Unreachable,
    /// No response within the time that a request is given.
    TimedOut,
    /// The response is larger than is read.
    TooLarge,
    /// The body is not what its type says, or is cut off.
    Malformed,
    /// A page links to another host, which is never followed.
    OtherHost,
    /// Pages repeat, or never end.
    EndlessPages,
    /// The time for the whole snapshot ended before the request was made.
    OutOfTime,
    /// Any other reason, of a later release.
    #[serde(other)]
    Other,
}

/// The last line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// The rest of the line.
    pub end: Completion,
}

/// Facts about a whole snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// When collecting ended.
    pub completed_at: Timestamp,
    /// Days of activity that the logs in the snapshot really cover.
    pub activity_lookback_days: u32,
    /// Number of responses.
    pub responses: usize,
}

/// Client applications by which old protocols sign in, in the words of the sign-in log. A part of the log counts as all
/// sign-ins by old protocols if its filters ask for each of these.
pub const LEGACY_CLIENTS: [&str; 13] = [
    "Authenticated SMTP",
    "Autodiscover",
    "Exchange ActiveSync",
    "Exchange Online PowerShell",
    "Exchange Web Services",
    "IMAP4",
    "MAPI Over HTTP",
    "Offline Address Book",
    "Other clients",
    "Outlook Anywhere (RPC over HTTP)",
    "POP3",
    "Reporting Web Services",
    "Universal Outlook",
];

/// Names of endpoints. A snapshot may have responses of others, which are ignored.
pub mod endpoint {
    /// The tenant itself.
    pub const ORGANIZATION: &str = "/v1.0/organization";
    /// Licences and their service plans.
    pub const SUBSCRIBED_SKUS: &str = "/v1.0/subscribedSkus";
    /// Domains.
    pub const DOMAINS: &str = "/v1.0/domains";
    /// What users and guests may do by default.
    pub const AUTHORIZATION_POLICY: &str = "/v1.0/policies/authorizationPolicy";
    /// Methods to sign in with.
    pub const AUTHENTICATION_METHODS_POLICY: &str = "/v1.0/policies/authenticationMethodsPolicy";
    /// Security defaults.
    pub const SECURITY_DEFAULTS: &str = "/v1.0/policies/identitySecurityDefaultsEnforcementPolicy";
    /// Requests for the consent of an administrator.
    pub const ADMIN_CONSENT_REQUEST_POLICY: &str = "/v1.0/policies/adminConsentRequestPolicy";
    /// Restrictions of the secrets of applications.
    pub const DEFAULT_APP_MANAGEMENT_POLICY: &str = "/v1.0/policies/defaultAppManagementPolicy";
    /// Defaults of access across tenants.
    pub const CROSS_TENANT_ACCESS_DEFAULT: &str = "/v1.0/policies/crossTenantAccessPolicy/default";
    /// Joining and registering devices.
    pub const DEVICE_REGISTRATION_POLICY: &str = "/v1.0/policies/deviceRegistrationPolicy";
    /// Settings of the directory, as far as this endpoint returns them.
    pub const GROUP_SETTINGS: &str = "/v1.0/groupSettings";
    /// Sharing of files.
    pub const SHAREPOINT_SETTINGS: &str = "/v1.0/admin/sharepoint/settings";
    /// Synchronization with an on-premises directory.
    pub const ON_PREMISES_SYNCHRONIZATION: &str = "/v1.0/directory/onPremisesSynchronization";
    /// Whether usage reports conceal names.
    pub const REPORT_SETTINGS: &str = "/v1.0/admin/reportSettings";
    /// Conditional access policies.
    pub const CONDITIONAL_ACCESS_POLICIES: &str = "/v1.0/identity/conditionalAccess/policies";
    /// Named locations of conditional access.
    pub const NAMED_LOCATIONS: &str = "/v1.0/identity/conditionalAccess/namedLocations";
    /// Which of the users and groups exist that conditional access policies name, all of them asked for. The only
    /// request with a body.
    pub const OBJECTS_BY_ID: &str = "/v1.0/directoryObjects/getByIds";
    /// Assignments of roles, with `$expand=principal`.
    pub const ROLE_ASSIGNMENTS: &str = "/v1.0/roleManagement/directory/roleAssignments";
    /// Assignments of roles with their times, with `$expand=principal`.
    pub const ROLE_ASSIGNMENT_INSTANCES: &str = "/v1.0/roleManagement/directory/roleAssignmentScheduleInstances";
    /// Eligibility for roles, with `$expand=principal`.
    pub const ROLE_ELIGIBILITY_INSTANCES: &str = "/v1.0/roleManagement/directory/roleEligibilityScheduleInstances";
    /// Rules about activating roles, with `$expand=policy($expand=rules)`.
    pub const ROLE_POLICIES: &str = "/v1.0/policies/roleManagementPolicyAssignments";
    /// Beginning of the name of a group's own endpoint.
    pub const GROUPS: &str = "/v1.0/groups/";
    /// End of the endpoint of the members of a group that holds a role.
    pub const TRANSITIVE_MEMBERS: &str = "/transitiveMembers";
    /// Users.
    pub const USERS: &str = "/v1.0/users";
    /// Registered methods of users.
    pub const REGISTRATIONS: &str = "/v1.0/reports/authenticationMethods/userRegistrationDetails";
    /// Sign-ins; the query's filter says which of them.
    pub const SIGN_INS: &str = "/v1.0/auditLogs/signIns";
    /// The directory's audit log; the query's filter says which part of it.
    pub const DIRECTORY_AUDITS: &str = "/v1.0/auditLogs/directoryAudits";
    /// Users at risk.
    pub const RISKY_USERS: &str = "/v1.0/identityProtection/riskyUsers";
    /// Applications that the tenant owns.
    pub const APPLICATIONS: &str = "/v1.0/applications";
    /// Applications that are used in the tenant.
    pub const SERVICE_PRINCIPALS: &str = "/v1.0/servicePrincipals";
    /// Consents to act for users.
    pub const PERMISSION_GRANTS: &str = "/v1.0/oauth2PermissionGrants";
    /// Applications with permissions of their own on Microsoft Graph.
    pub const GRAPH_ROLE_ASSIGNMENTS: &str =
        "/v1.0/servicePrincipals(appId='00000003-0000-0000-c000-000000000000')/appRoleAssignedTo";
    /// Applications with permissions of their own on Exchange Online.
    pub const EXCHANGE_ROLE_ASSIGNMENTS: &str =
        "/v1.0/servicePrincipals(appId='00000002-0000-0ff1-ce00-000000000000')/appRoleAssignedTo";
    /// Applications with permissions of their own on SharePoint Online.
    pub const SHAREPOINT_ROLE_ASSIGNMENTS: &str =
        "/v1.0/servicePrincipals(appId='00000003-0000-0ff1-ce00-000000000000')/appRoleAssignedTo";
    /// The latest Secure Score.
    pub const SECURE_SCORES: &str = "/v1.0/security/secureScores";
    /// Beginning of the usage report of mail apps, which continues with its period.
    pub const MAIL_APPS_REPORT: &str = "/v1.0/reports/getEmailAppUsageUserDetail(";
    /// Beginning of the usage report of the last activity of each user, which continues with its period.
    pub const ACTIVE_USERS_REPORT: &str = "/v1.0/reports/getOffice365ActiveUserDetail(";
    /// A response of DNS over HTTPS as JSON. The query is `name=DOMAIN&type=TYPE`. A response without records has status
    /// 200 as well, and its `Status` says why.
    pub const DNS: &str = "dns";
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn json_of(line: &impl Serialize) -> String {
        serde_json::to_string(line).unwrap()
    }

    #[test]
    fn lines_are_written_as_documented() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let header = Header {
            snapshot: VERSION,
            provider_tenant_id: "11111111-2222-3333-4444-555555555555".parse().unwrap(),
            requested_at: None,
            started_at: time("2026-05-01T09:00:00Z"),
            emergency_access: vec![],
        };
        let page = Response {
            endpoint: endpoint::USERS.to_owned(),
            query: "$top=999".to_owned(),
            at: time("2026-05-01T09:00:01Z"),
            status: Some(200),
            more: true,
            failure: None,
            body: json!({ "value": [] }),
        };
        let failed = Response {
            query: String::new(),
            status: None,
            more: false,
            failure: Some(RequestFailure::TimedOut),
            body: json!(null),
            ..page.clone()
        };
        let completion =
            Completion { completed_at: time("2026-05-01T09:01:00Z"), activity_lookback_days: 30, responses: 2 };
        assert_eq!(
            [json_of(&header), json_of(&page), json_of(&failed), json_of(&End { end: completion })],
            [
                r#"{"snapshot":1,"providerTenantId":"11111111-2222-3333-4444-555555555555","requestedAt":null,"startedAt":"2026-05-01T09:00:00.000Z","emergencyAccess":[]}"#,
                r#"{"endpoint":"/v1.0/users","query":"$top=999","at":"2026-05-01T09:00:01.000Z","status":200,"more":true,"body":{"value":[]}}"#,
                r#"{"endpoint":"/v1.0/users","at":"2026-05-01T09:00:01.000Z","status":null,"failure":"TIMED_OUT","body":null}"#,
                r#"{"end":{"completedAt":"2026-05-01T09:01:00.000Z","activityLookbackDays":30,"responses":2}}"#,
            ]
        );
        assert_eq!(serde_json::from_str::<RequestFailure>("\"NEW\"").unwrap(), RequestFailure::Other);
    }
}
