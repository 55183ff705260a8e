//! Who holds the privileged roles: assigned or eligible, directly or through a group.

use std::collections::{BTreeMap, BTreeSet};

use model::NotAssessedReason;
use serde_json::Value;

use super::rows::RoleAssignment;
use crate::controls::licences::Licence;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{NotAssessed, not_assessed};
use crate::directory::TOP_ROLE;

/// The roles that can take over a tenant, by their templates, which are the same in every tenant.
pub(in crate::controls) const PRIVILEGED_ROLES: [(&str, &str); 8] = [
    ("62e90394-69f5-4237-9190-012177145e10", "Global Administrator"),
    ("e8611ab8-c189-46e8-94e1-60213ab1f814", "Privileged Role Administrator"),
    ("fe930be7-5e62-47db-91af-98c3a49a38b1", "User Administrator"),
    ("29232cdf-9323-42fd-ade2-1d097af3e4de", "Exchange Administrator"),
    ("f28a1f50-f6e7-4571-818b-6a12f2af6b6c", "SharePoint Administrator"),
    ("9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3", "Application Administrator"),
    ("158c047a-c907-4556-b7ef-446551a6b5f7", "Cloud Application Administrator"),
    ("8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2", "Hybrid Identity Administrator"),
];

/// The holders of privileged roles.
#[derive(Default)]
pub(super) struct Holders {
    /// Roles by person, both by identifiers in lower case.
    pub(super) people: BTreeMap<String, BTreeSet<String>>,
    /// Applications that hold the top role.
    pub(super) top_applications: BTreeSet<String>,
    /// The reason why not all holders are known.
    pub(super) incomplete: Option<NotAssessed>,
}

/// The kind of holder of a role.
enum Kind {
    Person,
    Group,
    Application,
}

impl Holders {
    /// Returns the holders in a tenant, as far as they are known.
    ///
    /// # Errors
    /// Returns the reason if no assignment is known.
    pub(super) fn of(tenant: &Tenant) -> Result<Self, NotAssessed> {
        let mut holders = Self::default();
        let assigned = [Source::RoleAssignments, Source::RoleAssignmentInstances];
        if !assigned.iter().any(|source| holders.add_all(tenant, *source).is_ok()) {
            drop(assignments(tenant, Source::RoleAssignments)?);
        }
        // Without the licence there are no such assignments, if the interface says so as well.
        for source in [Source::RoleAssignmentInstances, Source::RoleEligibilityInstances] {
            if let Err(reason) = holders.add_all(tenant, source)
                && !(tenant.lacks(Licence::P2) && tenant.is_unlicensed(source))
            {
                holders.incomplete = Some(reason);
            }
        }
        Ok(holders)
    }

    fn add_all(&mut self, tenant: &Tenant, source: Source) -> Result<(), NotAssessed> {
        for assignment in assignments(tenant, source)? {
            let role = assignment.role_definition_id.to_ascii_lowercase();
            if PRIVILEGED_ROLES.iter().any(|(id, _)| *id == role) {
                self.add(tenant, &assignment.principal_id.to_ascii_lowercase(), assignment.kind(tenant), &role);
            }
        }
        Ok(())
    }

    fn add(&mut self, tenant: &Tenant, id: &str, kind: Option<Kind>, role: &str) {
        match kind {
            Some(Kind::Person) => drop(self.people.entry(id.to_owned()).or_default().insert(role.to_owned())),
            Some(Kind::Application) if role == TOP_ROLE => drop(self.top_applications.insert(id.to_owned())),
            Some(Kind::Application) => {}
            Some(Kind::Group) => self.add_group(tenant, id, role),
            None => {
                let reason = "The kind of a holder of a role is not known: it was deleted, or cannot be read.";
                self.incomplete = Some(NotAssessed::new(NotAssessedReason::Error, reason));
            }
        }
    }

    fn add_group(&mut self, tenant: &Tenant, group: &str, role: &str) {
        let members = tenant.lists.group_members.get(group).filter(|members| members.unreadable() == 0);
        let Some(members) = members.filter(|_| tenant.has_group(group)) else {
            let reason = "Could not read the members of a group that holds a role.";
            self.incomplete = Some(NotAssessed::new(NotAssessedReason::Error, reason));
            return;
        };
        for (id, member) in members.by_id() {
            match member.get("@odata.type").and_then(Value::as_str).and_then(kind_of) {
                // The list has the members of groups within it as well.
                Some(Kind::Group) => {}
                kind => self.add(tenant, id, kind.or_else(|| known_kind(tenant, id)), role),
            }
        }
    }

    /// Returns the people who hold a role.
    pub(super) fn of_role(&self, role: &str) -> impl Iterator<Item = &str> {
        self.people.iter().filter(move |(_, roles)| roles.contains(role)).map(|(id, _)| id.as_str())
    }

    /// Returns an error unless all holders are known.
    pub(super) fn all_known(&self) -> Result<(), NotAssessed> {
        self.incomplete.clone().map_or(Ok(()), Err)
    }
}

/// Returns the people who hold the top role, all of them known.
pub(super) fn top_administrators(tenant: &Tenant) -> Result<Vec<String>, NotAssessed> {
    let holders = Holders::of(tenant)?;
    holders.all_known()?;
    let people: Vec<String> = holders.of_role(TOP_ROLE).map(str::to_owned).collect();
    if people.is_empty() { not_assessed("No global administrator is a person.") } else { Ok(people) }
}

/// Returns the rows of a list of assignments.
pub(super) fn assignments(
    tenant: &Tenant,
    source: Source,
) -> Result<impl Iterator<Item = &RoleAssignment> + Clone, NotAssessed> {
    tenant.whole(source)?;
    let list = tenant.lists.roles.get(&source);
    tenant.readable(source, list.map_or(0, |list| list.unreadable()))?;
    Ok(list.into_iter().flat_map(|list| list.rows()))
}

impl RoleAssignment {
    /// Returns what holds the role, if the row or another list says so.
    fn kind(&self, tenant: &Tenant) -> Option<Kind> {
        let stated = self.principal.as_ref().and_then(|principal| principal.kind.as_deref()).and_then(kind_of);
        stated.or_else(|| known_kind(tenant, &self.principal_id.to_ascii_lowercase()))
    }

    /// Whether an application holds the role.
    pub(super) fn is_of_application(&self, tenant: &Tenant) -> bool {
        matches!(self.kind(tenant), Some(Kind::Application))
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    match name {
        "#microsoft.graph.user" => Some(Kind::Person),
        "#microsoft.graph.group" => Some(Kind::Group),
        "#microsoft.graph.servicePrincipal" => Some(Kind::Application),
        _ => None,
    }
}

fn known_kind(tenant: &Tenant, id: &str) -> Option<Kind> {
    if tenant.lists.users.get(id).is_some() {
        Some(Kind::Person)
    } else if tenant.lists.service_principals.get(id).is_some() {
        Some(Kind::Application)
    } else {
        tenant.has_group(id).then_some(Kind::Group)
    }
}
