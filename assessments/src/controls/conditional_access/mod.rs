//! Conditional access: who is covered, what is required, who is excluded.

mod conditions;
mod coverage;
mod emergency;
mod grant;
mod locations;
mod policy;
mod rules;

pub(super) use emergency::{dangling_references, emergency_access};
pub(super) use locations::{NamedLocation, trusted_locations};
pub(super) use policy::Policy;
pub(super) use rules::*;
