//! Roles, and who holds them.

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::people::{ADMINISTRATORS, person};
use super::{Rows, time};
use crate::query::Query;
use crate::tenant::{Tenant, View};

const GLOBAL_ADMINISTRATOR: &str = "62e90394-69f5-4237-9190-012177145e10";
const USER_ADMINISTRATOR: &str = "fe930be7-5e62-47db-91af-98c3a49a38b1";
/// The roles with the most privileges.
const PRIVILEGED: [&str; 8] = [
    GLOBAL_ADMINISTRATOR,
    USER_ADMINISTRATOR,
    "158c047a-c907-4556-b7ef-446551a6b5f7",
    "29232cdf-9323-42fd-ade2-1d097af3e4de",
    "8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2",
    "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3",
    "e8611ab8-c189-46e8-94e1-60213ab1f814",
    "f28a1f50-f6e7-4571-818b-6a12f2af6b6c",
];

struct Holder {
    id: String,
    role: &'static str,
    principal: Value,
}

/// Returns the holders of roles: users, and a group that may hold the highest role, too.
fn holders(tenant: &Tenant) -> Vec<Holder> {
    let users = (0..tenant.users.min(ADMINISTRATORS + 2)).map(|place| {
        let person = person(tenant, place);
        let role = if place < ADMINISTRATORS { GLOBAL_ADMINISTRATOR } else { USER_ADMINISTRATOR };
        let principal = json!({
            "@odata.type": "#microsoft.graph.user",
            "id": person.id,
            "displayName": person.name,
            "userPrincipalName": person.sign_in_name,
            "accountEnabled": person.is_enabled,
        });
        Holder { id: person.id, role, principal }
    });
    let id = tenant.object("group", 0);
    let principal = json!({ "@odata.type": "#microsoft.graph.group", "id": id, "displayName": "Role holders" });
    let role = if tenant.has("role group") { USER_ADMINISTRATOR } else { GLOBAL_ADMINISTRATOR };
    users.chain([Holder { id, role, principal }]).collect()
}

fn assignment(tenant: &Tenant, place: usize, holder: &Holder, expanded: bool) -> Value {
    let mut row = json!({
        "id": tenant.object("assignment", place),
        "principalId": holder.id,
        "roleDefinitionId": holder.role,
        "directoryScopeId": "/",
    });
    if expanded {
        row["principal"] = holder.principal.clone();
    }
    row
}

pub(crate) fn assignments<'a>(view: View<'a>, query: &Query, _: &str) -> Rows<'a> {
    let expanded = query.get("$expand") == Some("principal");
    let holders = holders(view.tenant);
    Rows::given(holders.iter().enumerate().map(|(place, it)| assignment(view.tenant, place, it, expanded)).collect())
}

pub(crate) fn assignment_instances<'a>(view: View<'a>, query: &Query, path: &str) -> Rows<'a> {
    let rows = assignments(view, query, path);
    Rows::new(rows.count, move |place| {
        let mut row = (rows.row)(place);
        let permanent = place == 0 || !view.tenant.has("temporary roles");
        row["appScopeId"] = Value::Null;
        row["assignmentType"] = "Assigned".into();
        row["memberType"] = "Direct".into();
        row["startDateTime"] = time(view.now - TimeDelta::days(200)).into();
        row["endDateTime"] = if permanent { Value::Null } else { time(view.now + TimeDelta::days(20)).into() };
        row["roleAssignmentOriginId"] = row["id"].clone();
        row["roleAssignmentScheduleId"] = row["id"].clone();
        row
    })
}

pub(crate) fn eligibility_instances<'a>(view: View<'a>, query: &Query, _: &str) -> Rows<'a> {
    let tenant = view.tenant;
    let expanded = query.get("$expand") == Some("principal");
    let place = ADMINISTRATORS;
    let mut rows = Vec::new();
    if tenant.users > place {
        let person = person(tenant, place);
        let principal = json!({ "@odata.type": "#microsoft.graph.user", "id": person.id, "displayName": person.name });
        let holder = Holder { id: person.id, role: GLOBAL_ADMINISTRATOR, principal };
        let mut row = assignment(tenant, 1_000, &holder, expanded);
        row["appScopeId"] = Value::Null;
        row["memberType"] = "Direct".into();
        row["startDateTime"] = time(view.now - TimeDelta::days(100)).into();
        row["endDateTime"] = Value::Null;
        row["roleEligibilityScheduleId"] = row["id"].clone();
        rows.push(row);
    }
    Rows::given(rows)
}

pub(crate) fn members<'a>(view: View<'a>, _: &Query, path: &str) -> Rows<'a> {
    let tenant = view.tenant;
    let known = path.contains(&tenant.object("group", 0)) && tenant.users > ADMINISTRATORS;
    let member = known.then(|| {
        let person = person(tenant, ADMINISTRATORS);
        json!({
            "@odata.type": "#microsoft.graph.user",
            "id": person.id,
            "displayName": person.name,
            "userPrincipalName": person.sign_in_name,
            "accountEnabled": person.is_enabled,
            "userType": "Member",
        })
    });
    Rows::given(member.into_iter().collect())
}

pub(crate) fn role_policies<'a>(view: View<'a>, query: &Query, _: &str) -> Rows<'a> {
    let expanded = query.get("$expand").is_some();
    Rows::new(PRIVILEGED.len(), move |place| {
        let tenant = view.tenant;
        let role = PRIVILEGED[place];
        let id = format!("DirectoryRole_{}_{}", tenant.id, tenant.object("role policy", place));
        let mut row = json!({
            "id": format!("{id}_{role}"),
            "policyId": id,
            "scopeId": "/",
            "scopeType": "DirectoryRole",
            "roleDefinitionId": role,
        });
        if expanded {
            row["policy"] = policy(tenant, &id);
        }
        row
    })
}

fn policy(tenant: &Tenant, id: &str) -> Value {
    let target = |caller: &str, level: &str| json!({ "caller": caller, "operations": ["all"], "level": level, "inheritableSettings": [], "enforcedSettings": [] });
    let recipients: &[&str] = if tenant.has("role alerts") { &["security@alerts.example"] } else { &[] };
    let alert = |id: &str, caller: &str, level: &str| {
        json!({
            "@odata.type": "#microsoft.graph.unifiedRoleManagementPolicyNotificationRule",
            "id": id,
            "notificationType": "Email",
            "recipientType": "Admin",
            "notificationLevel": "All",
            "isDefaultRecipientsEnabled": true,
            "notificationRecipients": recipients,
            "target": target(caller, level),
        })
    };
    let approval = json!({
        "@odata.type": "#microsoft.graph.unifiedRoleManagementPolicyApprovalRule",
        "id": "Approval_EndUser_Assignment",
        "target": target("EndUser", "Assignment"),
        "setting": {
            "isApprovalRequired": tenant.has("role approval"),
            "isApprovalRequiredForExtension": false,
            "isRequestorJustificationRequired": true,
            "approvalMode": "SingleStage",
            "approvalStages": [],
        },
    });
    json!({
        "id": id,
        "displayName": "DirectoryRole",
        "description": "DirectoryRole",
        "isOrganizationDefault": false,
        "scopeId": "/",
        "scopeType": "DirectoryRole",
        "lastModifiedDateTime": Value::Null,
        "lastModifiedBy": { "displayName": Value::Null, "id": Value::Null },
        "rules": [
            approval,
            alert("Notification_Admin_Admin_Eligibility", "Admin", "Eligibility"),
            alert("Notification_Admin_Admin_Assignment", "Admin", "Assignment"),
            alert("Notification_Admin_EndUser_Assignment", "EndUser", "Assignment"),
        ],
    })
}
