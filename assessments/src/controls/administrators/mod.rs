//! Controls about administrators and their roles.

mod holders;
mod people;
mod rows;
mod rules;

pub(super) use holders::PRIVILEGED_ROLES;
pub(super) use people::{
    cloud_only, failed_sign_ins, few_global_administrators, finer_roles, no_applications, password_age, strong_methods,
};
pub(super) use rows::{RoleAssignment, RolePolicy};
pub(super) use rules::{activation_approval, alerts, no_standing_privilege};
