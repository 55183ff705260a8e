//! Emergency access, and objects that no longer exist.

use std::collections::BTreeSet;

use model::counted;

use super::policy::{Policy, State, Users, elements, lists};
use super::rules::known_policies;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{Judged, not_assessed, open, secure, secure_if};

/// Emergency access is excluded from all policies that could lock everybody out.
///
/// Only declared accounts count: an exclusion that nobody declared may as well be a gap.
pub(in crate::controls) fn emergency_access(tenant: &Tenant) -> Judged {
    let policies = known_policies(tenant)?;
    let binding: Vec<_> = policies.into_iter().filter(can_lock_out).collect();
    if binding.is_empty() {
        return not_assessed("No policy in effect is for all users, so none could lock everybody out.");
    }
    let excluded_everywhere = |id: &&String| binding.iter().all(|policy| excludes(policy, id));
    let declared = &tenant.header.emergency_access;
    if declared.iter().any(|id| excluded_everywhere(&id)) {
        return secure(format!(
            "Declared emergency access is excluded from all of {}.",
            policies_for_all(binding.len())
        ));
    }
    if !declared.is_empty() {
        return open("The declared emergency access is not excluded from every policy for all users.");
    }
    let first: Vec<String> = binding[0].users().map(excluded_users).unwrap_or_default();
    if first.iter().any(|id| excluded_everywhere(&id)) {
        return not_assessed(
            "Accounts are excluded from all policies for all users, but none is declared as emergency access.",
        );
    }
    open("No account is excluded from all policies for all users, so a mistake in one can lock everybody out.")
}

fn policies_for_all(number: usize) -> String {
    format!("{} for all users", counted(number, "policy"))
}

fn can_lock_out(policy: &&Policy) -> bool {
    let for_all = policy.users().is_some_and(|users| lists(users.include_users.as_ref(), "All"));
    policy.state() == State::Enabled && policy.grant_controls.is_some() && for_all
}

fn excludes(policy: &Policy, id: &str) -> bool {
    let of = |users: &Users| lists(users.exclude_users.as_ref(), id) || lists(users.exclude_groups.as_ref(), id);
    policy.users().is_some_and(of)
}

fn excluded_users(users: &Users) -> Vec<String> {
    elements(users.exclude_users.as_ref()).chain(elements(users.exclude_groups.as_ref())).map(str::to_owned).collect()
}

/// Policies name only users and groups that exist.
pub(in crate::controls) fn dangling_references(tenant: &Tenant) -> Judged {
    let policies = known_policies(tenant)?;
    let named: BTreeSet<String> = policies.iter().filter_map(|policy| policy.users()).flat_map(named_objects).collect();
    if named.is_empty() {
        return secure("Policies name no single user or group.");
    }
    tenant.whole(Source::ObjectsById)?;
    tenant.readable(Source::ObjectsById, tenant.lists.existing_objects.unreadable())?;
    let missing = named.iter().filter(|id| tenant.lists.existing_objects.get(id).is_none()).count();
    let number = counted(named.len(), "user or group");
    secure_if(
        missing == 0,
        format!("Everything that policies name exists ({} in all).", named.len()),
        format!("Of {number} that policies name, {missing} no longer exist."),
    )
}

/// Returns the identifiers of single users and groups that a policy includes or excludes.
fn named_objects(users: &Users) -> Vec<String> {
    let lists = [&users.include_users, &users.exclude_users, &users.include_groups, &users.exclude_groups];
    let ids = lists.into_iter().flat_map(|list| elements(list.as_ref()));
    ids.filter(|id| id.len() == 36).map(str::to_ascii_lowercase).collect()
}
