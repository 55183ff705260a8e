//! Exports of a tenant's directory: lists of Graph, saved page by page as JSON.
//!
//! | list | request | read for |
//! |---|---|---|
//! | users | `GET /users?$select=id,userPrincipalName,displayName,mail,accountEnabled,assignedLicenses,lastPasswordChangeDateTime` | usage, billable users, age of passwords |
//! | subscriptions | `GET /subscribedSkus` | which tenant the exports are of |
//! | roles | `GET /directoryRoles?$expand=members` | administrators |
//! | members | `GET /directoryRoles(roleTemplateId='62e90394-69f5-4237-9190-012177145e10')/members` | administrators, where there are many |
//! | registrations | `GET /reports/authenticationMethods/userRegistrationDetails` | second factors |
//! | sign-ins | `GET /auditLogs/signIns`, best of the beta version | failed sign-ins, enforcement |
//!
//! Each function says which of them it needs, and what it does without the others.

mod admins;
mod list;
mod rows;
mod sign_ins;
mod usage;

use std::collections::BTreeSet;

use model::ProviderTenantId;

pub use usage::{LicensesUnknown, TRIAL_DAYS, Terms, Usage};

use crate::graph::{Extent, Listing, RowKey, read_page};
use crate::read::{Format, Input, Outline, Part, Unreadable};
use crate::run::{Issue, IssueKind};
use list::{List, State};
use rows::{Member, Registration, Role, Subscription, User};
use sign_ins::SignIns;

/// The role that counts as top-privilege, by the identifier that it has in every tenant.
const TOP_ROLE: &str = "62e90394-69f5-4237-9190-012177145e10";

/// Most members of a role that the interface lists within the role. With as many, there may be more.
const MOST_EXPANDED: usize = 20;

/// What the exports of one tenant's directory hold.
///
/// All but the subscriptions are silent about their tenant, so only exports of one tenant may be put together.
#[derive(Default)]
pub struct Directory {
    users: List<User>,
    subscriptions: List<Subscription>,
    /// Of the top role.
    members: List<Member>,
    registrations: List<Registration>,
    sign_ins: SignIns,
}

impl Directory {
    /// The tenant, where the exports name one. Several are an error of whoever gave them together.
    pub(crate) fn tenants(&self) -> BTreeSet<ProviderTenantId> {
        self.subscriptions.rows().filter_map(|(_, subscription)| subscription.tenant()).collect()
    }

    /// The tenant that the exports are of: as the subscriptions say.
    pub fn tenant(&self) -> Option<ProviderTenantId> {
        self.tenants().into_iter().next()
    }

    /// The exports of both, which are of one tenant.
    pub(crate) fn join(&mut self, other: Self) {
        self.users.join(other.users);
        self.subscriptions.join(other.subscriptions);
        self.members.join(other.members);
        self.registrations.join(other.registrations);
        self.sign_ins.join(other.sign_ins);
    }

    /// What is missing and what could not be read.
    pub(crate) fn issues(&self) -> Vec<Issue> {
        self.lists().into_iter().flat_map(|(name, without, state)| list_issues(name, without, state)).collect()
    }

    /// Each list with its name, what is not known without it, and how much of it there is.
    fn lists(&self) -> [(&'static str, Option<&'static str>, State); 5] {
        [
            ("users", Some("the licensed users and the age of passwords"), self.users.state()),
            // Whoever imports the exports may name the tenant as well.
            ("subscriptions", None, self.subscriptions.state()),
            ("members of the top role", Some("the administrators"), self.members.state()),
            ("registered methods", Some("the administrators' second factors"), self.registrations.state()),
            ("sign-ins", Some("failed sign-ins and what enforces second factors"), self.sign_ins.state()),
        ]
    }
}

fn list_issues(name: &str, without: Option<&str>, state: State) -> Vec<Issue> {
    let mut issues = Vec::new();
    if let Some(without) = without.filter(|_| !state.is_known()) {
        let message = format!("no file lists the {name}, so {without} are not known");
        issues.push(Issue::of_file(IssueKind::CounterpartMissing, message));
    }
    if state.is_partial() {
        let message = format!("the list of {name} is not whole: a page of it is not among the files");
        issues.push(Issue::of_file(IssueKind::PageMissing, message));
    }
    if state.unreadable > 0 {
        let message = format!("rows of the list of {name} that are none were left out: {}", state.unreadable);
        issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
    }
    issues
}

/// The file format of a list.
pub(crate) struct ListFormat {
    name: &'static str,
    listing: Listing,
    read: fn(Input<'_>) -> Result<Directory, Unreadable>,
}

impl Format for ListFormat {
    fn name(&self) -> &'static str {
        self.name
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        self.listing.recognizes(outline)
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        Ok(vec![(self.read)(input)?.into()])
    }
}

/// `GET /users`
pub(crate) static USERS: ListFormat = ListFormat {
    name: "Graph's users (JSON)",
    listing: Listing { name: "users", keys: &["userPrincipalName", "assignedLicenses"] },
    read: |input| Ok(Directory { users: List::read(input)?, ..Directory::default() }),
};

/// `GET /subscribedSkus`
pub(crate) static SUBSCRIPTIONS: ListFormat = ListFormat {
    name: "Graph's subscribedSkus (JSON)",
    listing: Listing { name: "subscribedSkus", keys: &["skuPartNumber", "consumedUnits"] },
    read: |input| Ok(Directory { subscriptions: List::read(input)?, ..Directory::default() }),
};

/// `GET /directoryRoles?$expand=members`
pub(crate) static ROLES: ListFormat = ListFormat {
    name: "Graph's directoryRoles with members (JSON)",
    listing: Listing { name: "directoryRoles", keys: &["roleTemplateId", "members"] },
    read: |input| Ok(Directory { members: top_members(input)?, ..Directory::default() }),
};

/// `GET /directoryRoles/{id}/members`. The page does not name the role, so only that of the top role may be saved.
pub(crate) static MEMBERS: ListFormat = ListFormat {
    name: "Graph's members of the Global Administrator role (JSON)",
    listing: Listing { name: "directoryObjects", keys: &["@odata.type", "businessPhones"] },
    read: |input| Ok(Directory { members: List::read(input)?, ..Directory::default() }),
};

/// `GET /reports/authenticationMethods/userRegistrationDetails`
pub(crate) static REGISTRATIONS: ListFormat = ListFormat {
    name: "Graph's userRegistrationDetails (JSON)",
    listing: Listing {
        name: "reports/authenticationMethods/userRegistrationDetails",
        keys: &["userPrincipalName", "methodsRegistered"],
    },
    read: |input| Ok(Directory { registrations: List::read(input)?, ..Directory::default() }),
};

/// `GET /auditLogs/signIns`
pub(crate) static SIGN_INS: ListFormat = ListFormat {
    name: "Graph's signIns (JSON)",
    listing: Listing { name: "auditLogs/signIns", keys: &["userId", "createdDateTime", "appDisplayName"] },
    read: |input| Ok(Directory { sign_ins: SignIns::read(input)?, ..Directory::default() }),
};

/// The members of the top role, of a list of roles.
fn top_members(input: Input<'_>) -> Result<List<Member>, Unreadable> {
    let mut members = List::default();
    read_page(input, |role: Result<Role, RowKey>| match role {
        Ok(role) if role.role_template_id.eq_ignore_ascii_case(TOP_ROLE) => members.join(expanded(role)),
        _ => {}
    })?;
    Ok(members)
}

/// The members that are listed within a role.
fn expanded(role: Role) -> List<Member> {
    let Some(members) = role.members else { return List::default() };
    let goes_on = role.more_members.is_some() || members.len() >= MOST_EXPANDED;
    List::of(members, Extent::of_page(goes_on, None))
}
