//! Rows about applications.

use model::Timestamp;
use serde::Deserialize;

/// An application that the tenant owns, of `GET /applications`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Application {
    pub(super) display_name: Option<String>,
    pub(super) password_credentials: Option<Vec<Credential>>,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Credential {
    pub(super) start_date_time: Option<Timestamp>,
    pub(super) end_date_time: Option<Timestamp>,
}

/// An application in use, of `GET /servicePrincipals`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct ServicePrincipal {
    pub(super) display_name: Option<String>,
    pub(super) app_owner_organization_id: Option<String>,
    pub(super) account_enabled: Option<bool>,
}

/// A permission that an application has itself, of `GET /servicePrincipals/{id}/appRoleAssignedTo`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct AppRoleAssignment {
    pub(super) app_role_id: String,
    pub(super) principal_id: String,
}

/// A consent to act for users, of `GET /oauth2PermissionGrants`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct PermissionGrant {
    pub(super) client_id: String,
    pub(super) consent_type: Option<String>,
    pub(super) scope: Option<String>,
}
