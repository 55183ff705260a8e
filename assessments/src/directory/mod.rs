//! Exports of a tenant's directory: lists of Microsoft Graph, saved page by page as JSON.
//!
//! | list | request | used for |
//! |---|---|---|
//! | users | `GET /users?$select=id,userPrincipalName,displayName,mail,accountEnabled,assignedLicenses,lastPasswordChangeDateTime` | usage, billable users, age of passwords |
//! | subscriptions | `GET /subscribedSkus` | the tenant of the exports |
//! | roles | `GET /directoryRoles?$expand=members` | administrators |
//! | members | `GET /directoryRoles(roleTemplateId='62e90394-69f5-4237-9190-012177145e10')/members` | administrators, if there are many |
//! | assignments, eligibilities | `GET /roleManagement/directory/roleAssignmentScheduleInstances?$expand=principal`, `.../roleEligibilityScheduleInstances?$expand=principal` | administrators |
//! | groups | `GET /groups/{id}?$expand=transitiveMembers` | administrators through a group |
//! | policies | `GET /identity/conditionalAccess/policies` | enforcement |
//! | account requirements | `GET /users/{id}/authentication/requirements` of the beta version, or `Get-MsolUser` | enforcement |
//! | registrations | `GET /reports/authenticationMethods/userRegistrationDetails` | second factors |
//! | sign-ins | `GET /auditLogs/signIns`, preferably of the beta version | failed sign-ins, enforcement |
//!
//! Each function documents which of them it needs, and what happens without the others.

mod admins;
mod collected;
mod diagnostics;
mod exports;
mod holders;
mod list;
mod policies;
mod rows;
mod sign_in_row;
mod sign_ins;
mod top_role;
mod usage;

pub(crate) use collected::DirectoryList;
pub(crate) use diagnostics::read_diagnostics;
pub use exports::Directory;
pub(crate) use exports::{
    read_account_requirements, read_account_settings, read_application_sign_ins, read_assignments, read_eligibilities,
    read_groups, read_members, read_policies, read_registrations, read_roles, read_sign_in_table, read_sign_ins,
    read_subscriptions, read_users,
};
pub(crate) use top_role::TOP_ROLE;
pub use usage::{LicensesUnknown, TRIAL_DAYS, Terms, Usage};
