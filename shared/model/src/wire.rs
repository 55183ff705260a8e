//! Names of enum values as text.

use std::fmt;

use serde::Serialize;

/// An enum value. `Display` writes its name on the wire, such as `IN_PROGRESS`.
#[derive(Debug, Clone, Copy)]
pub struct Wire<T>(pub T);

impl<T: Serialize> fmt::Display for Wire<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grade, Role, Status};

    #[test]
    fn a_name_is_the_one_in_json() {
        let shown = format!("{} {} {}", Wire(Status::InProgress), Wire(Role::FullMember), Wire(Grade::F));
        assert_eq!(shown, "IN_PROGRESS FULL_MEMBER F");
    }
}
