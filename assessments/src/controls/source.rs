//! The responses that controls read, and the permission that each of them needs.

use model::snapshot::endpoint;

/// A response, or a collection of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Source {
    ActiveUsersReport,
    AdminConsentRequestPolicy,
    Applications,
    AuthenticationMethodsPolicy,
    AuthorizationPolicy,
    ConditionalAccessPolicies,
    CrossTenantAccessDefault,
    DefaultAppManagementPolicy,
    DeviceRegistrationPolicy,
    DirectoryAudits,
    Dns,
    Domains,
    ExchangeRoleAssignments,
    GraphRoleAssignments,
    GroupMembers,
    GroupSettings,
    MailAppsReport,
    NamedLocations,
    ObjectsById,
    OnPremisesSynchronization,
    Organization,
    PermissionGrants,
    Registrations,
    ReportSettings,
    RiskyUsers,
    RoleAssignmentInstances,
    RoleAssignments,
    RoleEligibilityInstances,
    RolePolicies,
    SecurityDefaults,
    ServicePrincipals,
    SharePointRoleAssignments,
    SharePointSettings,
    SignIns,
    SubscribedSkus,
    Users,
}

/// The form of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One object.
    Document,
    /// A page of a list of rows.
    Rows,
    /// The lines of a table.
    Lines,
}

struct Described {
    source: Source,
    /// The endpoint, or its beginning if that continues with parameters.
    endpoint: &'static str,
    form: Form,
    /// What the responses tell, after "could not read".
    name: &'static str,
    /// The permission of an application that reads it.
    permission: &'static str,
}

const fn described(
    source: Source,
    endpoint: &'static str,
    form: Form,
    name: &'static str,
    permission: &'static str,
) -> Described {
    Described { source, endpoint, form, name, permission }
}

use Form::{Document, Lines, Rows};
use Source as S;

#[rustfmt::skip]
static SOURCES: [Described; 36] = [
    described(S::ActiveUsersReport, endpoint::ACTIVE_USERS_REPORT, Lines, "the report of active users", "Reports.Read.All"),
    described(S::AdminConsentRequestPolicy, endpoint::ADMIN_CONSENT_REQUEST_POLICY, Document, "the policy for consent requests", "Policy.Read.All"),
    described(S::Applications, endpoint::APPLICATIONS, Rows, "the applications", "Application.Read.All"),
    described(S::AuthenticationMethodsPolicy, endpoint::AUTHENTICATION_METHODS_POLICY, Document, "the authentication methods policy", "Policy.Read.All"),
    described(S::AuthorizationPolicy, endpoint::AUTHORIZATION_POLICY, Document, "the authorization policy", "Policy.Read.All"),
    described(S::ConditionalAccessPolicies, endpoint::CONDITIONAL_ACCESS_POLICIES, Rows, "the conditional access policies", "Policy.Read.All"),
    described(S::CrossTenantAccessDefault, endpoint::CROSS_TENANT_ACCESS_DEFAULT, Document, "the cross-tenant access defaults", "Policy.Read.All"),
    described(S::DefaultAppManagementPolicy, endpoint::DEFAULT_APP_MANAGEMENT_POLICY, Document, "the app management policy", "Policy.Read.All"),
    described(S::DeviceRegistrationPolicy, endpoint::DEVICE_REGISTRATION_POLICY, Document, "the device registration policy", "Policy.Read.DeviceConfiguration"),
    described(S::DirectoryAudits, endpoint::DIRECTORY_AUDITS, Rows, "the audit log", "AuditLog.Read.All"),
    described(S::Dns, endpoint::DNS, Document, "the answers of DNS", "none"),
    described(S::Domains, endpoint::DOMAINS, Rows, "the domains", "Domain.Read.All"),
    described(S::ExchangeRoleAssignments, endpoint::EXCHANGE_ROLE_ASSIGNMENTS, Rows, "the application permissions on Exchange Online", "Application.Read.All"),
    described(S::GraphRoleAssignments, endpoint::GRAPH_ROLE_ASSIGNMENTS, Rows, "the application permissions on Microsoft Graph", "Application.Read.All"),
    described(S::GroupMembers, endpoint::GROUPS, Rows, "the members of groups with roles", "GroupMember.Read.All"),
    described(S::GroupSettings, endpoint::GROUP_SETTINGS, Rows, "the directory settings", "Directory.Read.All"),
    described(S::MailAppsReport, endpoint::MAIL_APPS_REPORT, Lines, "the report of mail apps", "Reports.Read.All"),
    described(S::NamedLocations, endpoint::NAMED_LOCATIONS, Rows, "the named locations", "Policy.Read.All"),
    described(S::ObjectsById, endpoint::OBJECTS_BY_ID, Rows, "the objects that policies name", "Directory.Read.All"),
    described(S::OnPremisesSynchronization, endpoint::ON_PREMISES_SYNCHRONIZATION, Rows, "the synchronization settings", "OnPremDirectorySynchronization.Read.All"),
    described(S::Organization, endpoint::ORGANIZATION, Rows, "the tenant", "Organization.Read.All"),
    described(S::PermissionGrants, endpoint::PERMISSION_GRANTS, Rows, "the delegated permissions", "Directory.Read.All"),
    described(S::Registrations, endpoint::REGISTRATIONS, Rows, "the registered methods", "AuditLog.Read.All"),
    described(S::ReportSettings, endpoint::REPORT_SETTINGS, Document, "the settings of usage reports", "ReportSettings.Read.All"),
    described(S::RiskyUsers, endpoint::RISKY_USERS, Rows, "the users at risk", "IdentityRiskyUser.Read.All"),
    described(S::RoleAssignmentInstances, endpoint::ROLE_ASSIGNMENT_INSTANCES, Rows, "the active role assignments", "RoleManagement.Read.Directory"),
    described(S::RoleAssignments, endpoint::ROLE_ASSIGNMENTS, Rows, "the role assignments", "RoleManagement.Read.Directory"),
    described(S::RoleEligibilityInstances, endpoint::ROLE_ELIGIBILITY_INSTANCES, Rows, "the eligible role assignments", "RoleManagement.Read.Directory"),
    described(S::RolePolicies, endpoint::ROLE_POLICIES, Rows, "the rules of roles", "RoleManagementPolicy.Read.Directory"),
    described(S::SecurityDefaults, endpoint::SECURITY_DEFAULTS, Document, "the security defaults", "Policy.Read.All"),
    described(S::ServicePrincipals, endpoint::SERVICE_PRINCIPALS, Rows, "the applications in use", "Application.Read.All"),
    described(S::SharePointRoleAssignments, endpoint::SHAREPOINT_ROLE_ASSIGNMENTS, Rows, "the application permissions on SharePoint", "Application.Read.All"),
    described(S::SharePointSettings, endpoint::SHAREPOINT_SETTINGS, Document, "the SharePoint settings", "SharePointTenantSettings.Read.All"),
    described(S::SignIns, endpoint::SIGN_INS, Rows, "the sign-in log", "AuditLog.Read.All"),
    described(S::SubscribedSkus, endpoint::SUBSCRIBED_SKUS, Rows, "the licences", "Organization.Read.All"),
    described(S::Users, endpoint::USERS, Rows, "the users", "User.Read.All"),
];

impl Source {
    /// Returns the source of an endpoint. Returns `None` if no control reads it.
    pub(super) fn of(endpoint: &str) -> Option<Self> {
        if let Some(rest) = endpoint.strip_prefix(endpoint::GROUPS) {
            return rest.ends_with(endpoint::TRANSITIVE_MEMBERS).then_some(Self::GroupMembers);
        }
        let fits = |it: &&Described| match it.endpoint.ends_with('(') {
            true => endpoint.starts_with(it.endpoint),
            false => endpoint == it.endpoint,
        };
        SOURCES.iter().find(fits).map(|it| it.source)
    }

    fn described(self) -> &'static Described {
        SOURCES.iter().find(|it| it.source == self).expect("every source is described")
    }

    /// Returns the form of its bodies.
    pub(super) fn form(self) -> Form {
        self.described().form
    }

    /// Returns what the responses tell.
    pub(super) fn name(self) -> &'static str {
        self.described().name
    }

    /// Returns the permission that an application needs.
    pub(super) fn permission(self) -> &'static str {
        self.described().permission
    }

    /// Returns whether the responses to a query are read: those of whole lists, and of parts of logs.
    pub(super) fn reads(self, query: &str) -> bool {
        self.accepts(query) || matches!(self, Self::SignIns | Self::DirectoryAudits)
    }

    /// Returns whether a collection of this query is the whole list that controls expect. Most lists are expected
    /// without a filter.
    pub(super) fn accepts(self, query: &str) -> bool {
        let filtered = matches!(
            self,
            Self::GroupMembers | Self::Dns | Self::PermissionGrants | Self::RiskyUsers | Self::RolePolicies
        );
        filtered || !query.contains("$filter")
    }
}
