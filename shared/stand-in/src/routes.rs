//! Endpoints of Graph: what each needs, how much it costs, and what it returns.

use graph::Service;
use model::snapshot::endpoint;
use serde_json::Value;

use super::content::{self, Rows};
use super::query::Query;
use super::tenant::{Plan, View};

/// An endpoint.
pub(super) struct Route {
    /// Its path, or the beginning of it if that ends with `(`. `{id}` is any segment.
    pub(super) path: &'static str,
    /// Its type in Microsoft's schema.
    pub(super) kind: &'static str,
    pub(super) permission: &'static str,
    pub(super) service: Service,
    /// Licence without which it is refused.
    pub(super) plan: Plan,
    pub(super) shape: Shape,
}

/// Returns the rows of a collection for a query and a path.
pub(super) type Collection = for<'a, 'q> fn(View<'a>, &'q Query, &'q str) -> Rows<'a>;

/// A function of the tenant that returns a body.
pub(super) enum Shape {
    /// An object.
    One(fn(View) -> Value),
    /// A collection, and the most rows of a page.
    Many(Collection, usize),
    /// A table, which is downloaded from another address.
    Table(fn(View) -> String),
}

use Plan::{Free, P1, P2};
use Service::{ConditionalAccess, Directory, Logs, Security, UsageReports};
use Shape::{Many, One, Table};

const fn route(
    path: &'static str,
    kind: &'static str,
    permission: &'static str,
    service: Service,
    plan: Plan,
    shape: Shape,
) -> Route {
    Route { path, kind, permission, service, plan, shape }
}

#[rustfmt::skip]
static ROUTES: [Route; 38] = [
    route(endpoint::ORGANIZATION, "organization", "Organization.Read.All", Directory, Free, Many(content::organization, 100)),
    route(endpoint::SUBSCRIBED_SKUS, "subscribedSku", "Organization.Read.All", Directory, Free, Many(content::skus, 100)),
    route(endpoint::DOMAINS, "domain", "Domain.Read.All", Directory, Free, Many(content::domains, 100)),
    route(endpoint::AUTHORIZATION_POLICY, "authorizationPolicy", "Policy.Read.All", Directory, Free, One(content::authorization_policy)),
    route(endpoint::AUTHENTICATION_METHODS_POLICY, "authenticationMethodsPolicy", "Policy.Read.All", Directory, Free, One(content::methods_policy)),
    route(endpoint::SECURITY_DEFAULTS, "identitySecurityDefaultsEnforcementPolicy", "Policy.Read.All", Directory, Free, One(content::security_defaults)),
    route(endpoint::ADMIN_CONSENT_REQUEST_POLICY, "adminConsentRequestPolicy", "Policy.Read.All", Directory, Free, One(content::consent_requests)),
    route(endpoint::DEFAULT_APP_MANAGEMENT_POLICY, "tenantAppManagementPolicy", "Policy.Read.All", Directory, Free, One(content::app_management)),
    route(endpoint::CROSS_TENANT_ACCESS_DEFAULT, "crossTenantAccessPolicyConfigurationDefault", "Policy.Read.All", Directory, Free, One(content::cross_tenant)),
    route(endpoint::DEVICE_REGISTRATION_POLICY, "deviceRegistrationPolicy", "Policy.Read.DeviceConfiguration", Directory, Free, One(content::devices)),
    route(endpoint::GROUP_SETTINGS, "groupSetting", "Directory.Read.All", Directory, Free, Many(content::group_settings, 100)),
    route(endpoint::SHAREPOINT_SETTINGS, "sharepointSettings", "SharePointTenantSettings.Read.All", Directory, Free, One(content::sharing)),
    route(endpoint::ON_PREMISES_SYNCHRONIZATION, "onPremisesDirectorySynchronization", "OnPremDirectorySynchronization.Read.All", Directory, Free, Many(content::synchronization, 100)),
    route(endpoint::REPORT_SETTINGS, "adminReportSettings", "ReportSettings.Read.All", Directory, Free, One(content::report_settings)),
    route(endpoint::CONDITIONAL_ACCESS_POLICIES, "conditionalAccessPolicy", "Policy.Read.All", ConditionalAccess, Free, Many(content::policies, 100)),
    route(endpoint::NAMED_LOCATIONS, "namedLocation", "Policy.Read.All", ConditionalAccess, Free, Many(content::locations, 100)),
    route(endpoint::OBJECTS_BY_ID, "directoryObject", "Directory.Read.All", Directory, Free, Many(content::no_rows, 1_000)),
    route(endpoint::ROLE_ASSIGNMENTS, "unifiedRoleAssignment", "RoleManagement.Read.Directory", Directory, Free, Many(content::assignments, 100)),
    route(endpoint::ROLE_ASSIGNMENT_INSTANCES, "unifiedRoleAssignmentScheduleInstance", "RoleManagement.Read.Directory", Directory, P2, Many(content::assignment_instances, 100)),
    route(endpoint::ROLE_ELIGIBILITY_INSTANCES, "unifiedRoleEligibilityScheduleInstance", "RoleManagement.Read.Directory", Directory, P2, Many(content::eligibility_instances, 100)),
    route(endpoint::ROLE_POLICIES, "unifiedRoleManagementPolicyAssignment", "RoleManagementPolicy.Read.Directory", Directory, P2, Many(content::role_policies, 100)),
    route("/v1.0/groups/{id}/transitiveMembers", "directoryObject", "GroupMember.Read.All", Directory, Free, Many(content::members, 999)),
    route(endpoint::USERS, "user", "User.Read.All", Directory, Free, Many(content::users, 999)),
    route(endpoint::REGISTRATIONS, "userRegistrationDetails", "AuditLog.Read.All", Logs, P1, Many(content::registrations, 1_000)),
    route(endpoint::SIGN_INS, "signIn", "AuditLog.Read.All", Logs, P1, Many(content::sign_ins, 1_000)),
    route(endpoint::DIRECTORY_AUDITS, "directoryAudit", "AuditLog.Read.All", Logs, Free, Many(content::audits, 1_000)),
    route(endpoint::RISKY_USERS, "riskyUser", "IdentityRiskyUser.Read.All", ConditionalAccess, P2, Many(content::risky_users, 500)),
    route(endpoint::APPLICATIONS, "application", "Application.Read.All", Directory, Free, Many(content::applications, 999)),
    route(endpoint::SERVICE_PRINCIPALS, "servicePrincipal", "Application.Read.All", Directory, Free, Many(content::service_principals, 999)),
    route(endpoint::PERMISSION_GRANTS, "oAuth2PermissionGrant", "Directory.Read.All", Directory, Free, Many(content::grants, 999)),
    route(endpoint::GRAPH_ROLE_ASSIGNMENTS, "appRoleAssignment", "Application.Read.All", Directory, Free, Many(content::app_roles, 999)),
    route(endpoint::EXCHANGE_ROLE_ASSIGNMENTS, "appRoleAssignment", "Application.Read.All", Directory, Free, Many(content::no_rows, 999)),
    route(endpoint::SHAREPOINT_ROLE_ASSIGNMENTS, "appRoleAssignment", "Application.Read.All", Directory, Free, Many(content::no_rows, 999)),
    route(endpoint::SECURE_SCORES, "secureScore", "SecurityEvents.Read.All", Security, Free, Many(content::scores, 1)),
    route(endpoint::MAIL_APPS_REPORT, "report", "Reports.Read.All", UsageReports, Free, Table(content::mail_apps)),
    route(endpoint::ACTIVE_USERS_REPORT, "report", "Reports.Read.All", UsageReports, Free, Table(content::active_users)),
    // Two names of endpoints that recordings use.
    route("/v1.0/authenticationMethodsPolicy", "authenticationMethodsPolicy", "Policy.Read.All", Directory, Free, One(content::methods_policy)),
    route("/v1.0/roleManagement/directory/roleDefinitions", "unifiedRoleDefinition", "RoleManagement.Read.Directory", Directory, Free, Many(content::no_rows, 100)),
];

impl Route {
    pub(super) fn all() -> impl Iterator<Item = &'static Self> {
        ROUTES.iter()
    }

    pub(super) fn of(path: &str) -> Option<&'static Self> {
        ROUTES.iter().find(|route| match route.path.split_once("{id}") {
            Some((before, after)) => {
                path.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).is_some_and(|id| !id.contains('/'))
            }
            None if route.path.ends_with('(') => path.starts_with(route.path),
            None => path == route.path,
        })
    }

    /// Returns the resource units that a request costs.
    pub(super) fn units(&self, query: &Query) -> u32 {
        let base = match self.path {
            endpoint::SUBSCRIBED_SKUS => 3,
            endpoint::USERS | endpoint::APPLICATIONS | endpoint::SERVICE_PRINCIPALS | endpoint::PERMISSION_GRANTS => 2,
            "/v1.0/groups/{id}/transitiveMembers" => 5,
            _ => 1,
        };
        let units = base + u32::from(query.get("$expand").is_some()) - u32::from(query.get("$select").is_some());
        if self.service == Service::Directory { units.max(1) } else { 1 }
    }
}
