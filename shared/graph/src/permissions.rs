//! The permissions on Microsoft Graph, all of which only read.

/// An application permission of Microsoft Graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission {
    /// Its name.
    pub name: &'static str,
    /// Its purpose, as words that follow 'reads'.
    pub reads: &'static str,
}

const fn reads(name: &'static str, reads: &'static str) -> Permission {
    Permission { name, reads }
}

/// All permissions that a whole report needs, ordered by name. Without one of them, what it reads is not assessed.
#[rustfmt::skip]
pub const PERMISSIONS: [Permission; 17] = [
    reads("Application.Read.All", "applications, and their permissions on Graph, Exchange Online and SharePoint Online"),
    reads("AuditLog.Read.All", "registered sign-in methods, sign-ins of administrators and by old protocols, and changes of roles"),
    reads("Directory.Read.All", "settings of groups, consents that users gave, and the names of users and groups in policies"),
    reads("Domain.Read.All", "the domains of the tenant"),
    reads("GroupMember.Read.All", "members of groups that hold a role"),
    reads("IdentityRiskyUser.Read.All", "users at risk"),
    reads("OnPremDirectorySynchronization.Read.All", "settings of the synchronization with a directory on premises"),
    reads("Organization.Read.All", "the tenant's name and its licences"),
    reads("Policy.Read.All", "conditional access, and the policies for authorization, sign-in methods, consent and access across tenants"),
    reads("Policy.Read.DeviceConfiguration", "the policy for the registration of devices"),
    reads("ReportSettings.Read.All", "whether usage reports conceal names"),
    reads("Reports.Read.All", "which mail apps and services are used"),
    reads("RoleManagement.Read.Directory", "who holds a role, or can activate it"),
    reads("RoleManagementPolicy.Read.Directory", "the rules for activating a role"),
    reads("SecurityEvents.Read.All", "Microsoft's Secure Score"),
    reads("SharePointTenantSettings.Read.All", "the settings for sharing of SharePoint and OneDrive"),
    reads("User.Read.All", "users with their licences"),
];
