//! Controls about applications and settings of the directory.

mod credentials;
mod directory;
mod permissions;
mod rows;

pub(super) use credentials::{application_secrets, secret_policy};
pub(super) use directory::{
    consent_requests, creating_groups, creating_security_groups, creating_tenants, joining_devices, local_passwords,
    registering_applications, self_service_sign_up, synchronization, user_consent,
};
pub(super) use permissions::{application_permissions, delegated_permissions};
pub(super) use rows::{AppRoleAssignment, Application, PermissionGrant, ServicePrincipal};
