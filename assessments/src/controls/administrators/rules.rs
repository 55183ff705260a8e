//! Controls about how privileged roles are assigned and activated.

use std::collections::BTreeSet;

use super::holders::{PRIVILEGED_ROLES, assignments};
use super::rows::Rule;
use crate::controls::conditional_access::few;
use crate::controls::document::unreadable;
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, NotAssessed, not_assessed, open, secure, secure_if};
use crate::directory::TOP_ROLE;

/// Rules that say whom an alert reaches: about an assignment, an eligibility, and an activation.
const ALERTS: [&str; 3] = [
    "Notification_Admin_Admin_Assignment",
    "Notification_Admin_Admin_Eligibility",
    "Notification_Admin_EndUser_Assignment",
];

/// The rule about the approval of an activation.
const APPROVAL: &str = "Approval_EndUser_Assignment";

/// Nobody has a privileged role all the time, apart from emergency access.
pub(in crate::controls) fn no_standing_privilege(tenant: &Tenant) -> Judged {
    tenant.needs(Licence::P2)?;
    let emergency = &tenant.header.emergency_access;
    let is_emergency = |id: &str| emergency.iter().any(|declared| declared.eq_ignore_ascii_case(id));
    let mut standing = BTreeSet::new();
    let mut unknown = false;
    for assignment in assignments(tenant, Source::RoleAssignmentInstances)? {
        let role = PRIVILEGED_ROLES.iter().find(|(id, _)| assignment.role_definition_id.eq_ignore_ascii_case(id));
        let Some((_, role)) = role else { continue };
        if is_emergency(&assignment.principal_id) || assignment.is_of_application(tenant) {
            continue;
        }
        match (assignment.assignment_type.as_deref(), assignment.end_date_time) {
            (Some("Assigned"), None) => drop(standing.insert((*role).to_owned())),
            (Some("Assigned" | "Activated"), _) => {}
            _ => unknown = true,
        }
    }
    let roles: Vec<String> = standing.into_iter().collect();
    match (roles.is_empty(), unknown) {
        (false, _) => open(format!("Assigned without an end: {}.", few(&roles))),
        (true, true) => unreadable("assignmentType"),
        (true, false) => secure("No privileged role is assigned without an end, apart from emergency access."),
    }
}

/// Activating the top role needs somebody else's approval.
pub(in crate::controls) fn activation_approval(tenant: &Tenant) -> Judged {
    let rules = rules_of(tenant, TOP_ROLE)?;
    let rule = rules.iter().find(|rule| rule.id == APPROVAL).and_then(|rule| rule.setting.as_ref());
    let Some(required) = rule.and_then(|setting| setting.is_approval_required) else {
        return unreadable("isApprovalRequired");
    };
    secure_if(
        required,
        "Activating the Global Administrator role needs an approval.",
        "Activating the Global Administrator role needs no approval.",
    )
}

/// Somebody is alerted when a privileged role is assigned or activated.
pub(in crate::controls) fn alerts(tenant: &Tenant) -> Judged {
    let mut silent = BTreeSet::new();
    for (role, name) in PRIVILEGED_ROLES {
        let rules = rules_of(tenant, role)?;
        for alert in ALERTS {
            let rule = rules.iter().find(|rule| rule.id == alert);
            let Some(recipients) = rule.and_then(|rule| rule.notification_recipients.as_ref()) else {
                return unreadable("notificationRecipients");
            };
            if recipients.iter().all(|recipient| recipient.trim().is_empty()) {
                silent.insert(name.to_owned());
            }
        }
    }
    let silent: Vec<String> = silent.into_iter().collect();
    secure_if(
        silent.is_empty(),
        "Assignments and activations of all privileged roles alert somebody.",
        format!("Not every assignment and activation alerts somebody: {}.", few(&silent)),
    )
}

/// Returns the rules of a role.
fn rules_of<'a>(tenant: &'a Tenant, role: &str) -> Result<&'a [Rule], NotAssessed> {
    tenant.needs(Licence::P2)?;
    let mut policies = tenant.rows(Source::RolePolicies, &tenant.lists.role_policies)?;
    let policy = policies.find(|policy| policy.role_definition_id.eq_ignore_ascii_case(role));
    match policy.and_then(|policy| policy.policy.as_ref()?.rules.as_deref()) {
        Some(rules) => Ok(rules),
        None => not_assessed("The response does not contain the rules of a privileged role."),
    }
}
