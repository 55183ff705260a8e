//! Rows about roles.

use model::Timestamp;
use serde::Deserialize;

/// An assignment of a role or the eligibility for one, with `$expand=principal`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct RoleAssignment {
    pub(super) role_definition_id: String,
    pub(super) principal_id: String,
    pub(super) principal: Option<Principal>,
    /// `Assigned` or `Activated`; only in lists of assignments with their times.
    pub(super) assignment_type: Option<String>,
    /// Null for an assignment without an end.
    pub(super) end_date_time: Option<Timestamp>,
}

#[derive(PartialEq, Deserialize)]
pub(in crate::controls) struct Principal {
    #[serde(rename = "@odata.type")]
    pub(super) kind: Option<String>,
}

/// The rules of a role, of `GET /policies/roleManagementPolicyAssignments`.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct RolePolicy {
    pub(super) role_definition_id: String,
    pub(super) policy: Option<Rules>,
}

#[derive(PartialEq, Deserialize)]
pub(in crate::controls) struct Rules {
    pub(super) rules: Option<Vec<Rule>>,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Rule {
    pub(super) id: String,
    pub(super) setting: Option<Approval>,
    pub(super) notification_recipients: Option<Vec<String>>,
}

#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::controls) struct Approval {
    pub(super) is_approval_required: Option<bool>,
}
