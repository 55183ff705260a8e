//! The exports of one tenant's directory.

use std::collections::BTreeSet;

use model::{ProviderTenantId, Timestamp};
use serde::de::IgnoredAny;

use super::list::{ListState, PagedList};
use super::policies::{AccountRequirements, AccountSetting, Policy};
use super::rows::{Group, Member, Members, Registration, Role, RoleInstance, Subscription, User};
use super::sign_ins::{read_log, read_log_table};
use super::top_role::{MOST_EXPANDED, TOP_ROLE};
use crate::activity::{Activity, Log, Observed, Source, Subject, Window};
use crate::file::{Extent, Input, RowKey, Unreadable, read_page};
use crate::run::{Issue, IssueKind};

/// The exports of one tenant's directory.
///
/// Most exports do not name their tenant, so only exports of one tenant may be combined.
#[derive(Default)]
pub struct Directory {
    pub(super) users: PagedList<User>,
    /// Whether an empty list of users is accepted.
    pub(super) no_users_allowed: bool,
    pub(super) subscriptions: PagedList<Subscription>,
    /// Members of the top role.
    pub(super) members: PagedList<Member>,
    /// Principals that can activate the top role.
    pub(super) eligible: PagedList<Member>,
    pub(super) groups: PagedList<Group>,
    pub(super) policies: PagedList<Policy>,
    /// The multifactor settings of single accounts.
    pub(super) account_settings: PagedList<AccountSetting>,
    pub(super) registrations: PagedList<Registration>,
    /// The activity in the logs and usage reports.
    pub(super) activity: Activity,
    /// The tenants that logs and snapshots name.
    pub(super) named_tenants: BTreeSet<ProviderTenantId>,
}

impl Directory {
    /// Returns the tenants that the exports name. More than one is an error of the caller.
    pub(crate) fn tenants(&self) -> BTreeSet<ProviderTenantId> {
        let of_subscriptions = self.subscriptions.rows().filter_map(|(_, subscription)| subscription.tenant());
        of_subscriptions.chain(self.named_tenants.iter().cloned()).collect()
    }

    /// Returns the tenant of the exports, if one of them names it.
    pub fn tenant(&self) -> Option<ProviderTenantId> {
        self.tenants().into_iter().next()
    }

    /// Adds other exports of the same tenant.
    pub(crate) fn join(&mut self, other: Self) {
        self.users.join(other.users);
        self.subscriptions.join(other.subscriptions);
        self.members.join(other.members);
        self.eligible.join(other.eligible);
        self.groups.join(other.groups);
        self.policies.join(other.policies);
        self.account_settings.join(other.account_settings);
        self.registrations.join(other.registrations);
        self.activity.join(other.activity);
        self.named_tenants.extend(other.named_tenants);
    }

    /// Makes log entries after a moment malformed ones, and returns their number.
    pub(crate) fn remove_after(&mut self, moment: Timestamp) -> usize {
        self.activity.remove_after(moment)
    }

    /// Merges log entries that occur more than once, once all exports are joined.
    pub(crate) fn deduplicate(&mut self) {
        self.activity.deduplicate();
    }

    /// Returns what the logs and reports show of the use of controls in a window.
    pub(crate) fn observe(&self, window: Window) -> Observed {
        let administrators = self.lists_admins().then(|| self.member_subjects());
        self.activity.observe(window, administrators.as_ref())
    }

    pub(super) fn member_subjects(&self) -> BTreeSet<Subject> {
        self.holders().people.keys().map(|id| Subject::of(id)).collect()
    }

    /// Returns an issue for everything that is missing or malformed.
    pub(crate) fn issues(&self) -> Vec<Issue> {
        let lists = self.lists().into_iter().flat_map(|(name, without, state)| list_issues(name, without, state));
        let logs = self.activity.logs().flat_map(|(name, log)| log_issues(name, log));
        let reports =
            self.activity.unreadable().flat_map(|(name, rows)| page_issues(name, Extent::default(), false, rows));
        lists.chain(logs).chain(reports).chain(self.holder_issues()).collect()
    }

    /// Returns how much of the log of sign-ins the files contain.
    pub(super) fn state_of_sign_ins(&self) -> ListState {
        let log = self.activity.sign_ins();
        log.map_or_else(ListState::default, |log| ListState {
            extent: log.extent,
            rows: log.rows(),
            unreadable: log.unreadable(),
        })
    }

    /// Returns each list with its name, the data that is unknown without it, and how much of it the files contain.
    fn lists(&self) -> [(&'static str, Option<&'static str>, ListState); 8] {
        [
            ("users", Some("the licensed users and the age of passwords"), self.users.state()),
            // The tenant of an import can be given separately.
            ("subscriptions", None, self.subscriptions.state()),
            ("members of the top role", Some("the administrators"), self.members.state()),
            ("eligible administrators", None, self.eligible.state()),
            ("conditional access policies", None, self.policies.state()),
            ("multifactor settings of accounts", None, self.account_settings.state()),
            ("registered methods", Some("the administrators' second factors"), self.registrations.state()),
            ("sign-ins", Some("failed sign-ins and what enforces second factors"), self.state_of_sign_ins()),
        ]
    }
}

fn list_issues(name: &str, without: Option<&str>, state: ListState) -> Vec<Issue> {
    let missing = without.filter(|_| !state.is_known()).map(|without| {
        let message = format!("no file contains the list of {name}, so {without} are unknown");
        Issue::of_file(IssueKind::CounterpartMissing, message)
    });
    missing.into_iter().chain(page_issues(name, state.extent, state.is_partial(), state.unreadable)).collect()
}

fn log_issues(name: &str, log: &Log) -> Vec<Issue> {
    page_issues(name, log.extent, log.is_partial(), log.unreadable())
}

/// Returns the issues of the pages that the files contain.
fn page_issues(name: &str, extent: Extent, partial: bool, unreadable: usize) -> Vec<Issue> {
    let mut issues = Vec::new();
    if extent.cut_off() > 0 {
        let message = format!(
            "files with the list of {name} end before they are complete: {}. The rows before their ends were read: \
             export the list again",
            extent.cut_off()
        );
        issues.push(Issue::of_file(IssueKind::PageMissing, message));
    } else if partial {
        let message = format!("the list of {name} is incomplete: add its missing pages");
        issues.push(Issue::of_file(IssueKind::PageMissing, message));
    }
    if unreadable > 0 {
        let message = format!("skipped malformed rows in the list of {name}: {unreadable}");
        issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
    }
    issues
}

/// Reads a page of `GET /users`.
pub(crate) fn read_users(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { users: PagedList::read(input)?, ..Directory::default() })
}

/// Reads a page of `GET /subscribedSkus`.
pub(crate) fn read_subscriptions(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { subscriptions: PagedList::read(input)?, ..Directory::default() })
}

/// Reads a page of `GET /directoryRoles?$expand=members`.
pub(crate) fn read_roles(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { members: top_members(input)?, ..Directory::default() })
}

/// Reads a page of `GET /directoryRoles/{id}/members`. All of its members count as members of the top role.
pub(crate) fn read_members(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { members: PagedList::read(input)?, ..Directory::default() })
}

/// Reads a page of `GET /roleManagement/directory/roleAssignmentScheduleInstances`.
pub(crate) fn read_assignments(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { members: holders(input)?, ..Directory::default() })
}

/// Reads a page of `GET /roleManagement/directory/roleEligibilityScheduleInstances`.
pub(crate) fn read_eligibilities(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { eligible: holders(input)?, ..Directory::default() })
}

/// Reads a group of `GET /groups/{id}?$expand=transitiveMembers`, or a page of groups.
pub(crate) fn read_groups(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { groups: PagedList::read(input)?, ..Directory::default() })
}

/// Reads a page of `GET /identity/conditionalAccess/policies`.
pub(crate) fn read_policies(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { policies: PagedList::read(input)?, ..Directory::default() })
}

/// Reads the response of `GET /users/{id}/authentication/requirements`.
pub(crate) fn read_account_requirements(input: Input<'_>) -> Result<Directory, Unreadable> {
    let setting = input.json::<AccountRequirements>()?.setting();
    let account_settings = PagedList::of(setting, Extent::of_page(false, None));
    Ok(Directory { account_settings, ..Directory::default() })
}

/// Reads the accounts of `Get-MsolUser`, for their own multifactor settings.
pub(crate) fn read_account_settings(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { account_settings: PagedList::read(input)?, ..Directory::default() })
}

/// Reads a page of `GET /reports/authenticationMethods/userRegistrationDetails`.
pub(crate) fn read_registrations(input: Input<'_>) -> Result<Directory, Unreadable> {
    Ok(Directory { registrations: PagedList::read(input)?, ..Directory::default() })
}

/// Reads a page of `GET /auditLogs/signIns`.
pub(crate) fn read_sign_ins(input: Input<'_>) -> Result<Directory, Unreadable> {
    let mut directory = Directory::default();
    read_log(input, directory.activity.log(Source::SignIns))?;
    Ok(directory)
}

/// Reads the table of sign-ins that the admin centre exports.
pub(crate) fn read_sign_in_table(input: Input<'_>) -> Result<Directory, Unreadable> {
    let mut directory = Directory::default();
    read_log_table(input, directory.activity.log(Source::SignIns))?;
    Ok(directory)
}

/// Reads the table of sign-ins of applications and managed identities, which says nothing of users.
pub(crate) fn read_application_sign_ins(input: Input<'_>) -> Result<Directory, Unreadable> {
    input.log_table::<IgnoredAny>()?.try_for_each(|row| row.map(drop))?;
    Ok(Directory::default())
}

impl From<Activity> for Directory {
    fn from(activity: Activity) -> Self {
        Self { activity, ..Self::default() }
    }
}

/// Reads the holders of the top role from a list of assignments or eligibilities.
fn holders(input: Input<'_>) -> Result<PagedList<Member>, Unreadable> {
    let mut holders = PagedList::default();
    let extent = read_page(input, |row: Result<RoleInstance, RowKey>| match row {
        Ok(row) if row.role_definition_id.eq_ignore_ascii_case(TOP_ROLE) => holders.take(row.holder()),
        Ok(_) => {}
        Err(key) => holders.add_unreadable(key),
    })?;
    holders.join(PagedList::of([], extent));
    Ok(holders)
}

/// Reads the members of the top role from a list of roles.
fn top_members(input: Input<'_>) -> Result<PagedList<Member>, Unreadable> {
    let mut members = PagedList::default();
    read_page(input, |role: Result<Role, RowKey>| match role {
        Ok(role) if role.role_template_id.eq_ignore_ascii_case(TOP_ROLE) => members.join(expanded(role)),
        Ok(_) => {}
        // The role may be the top role.
        Err(key) => members.add_unreadable(key),
    })?;
    Ok(members)
}

/// Returns the members that are listed within a role. Without a list of members, the role says nothing about them.
fn expanded(role: Role) -> PagedList<Member> {
    let Some(Members(listed)) = role.members else { return PagedList::default() };
    let has_next = role.more_members.is_some() || listed.len() >= MOST_EXPANDED;
    let mut members = PagedList::of([], Extent::of_page(has_next, None));
    for (index, member) in listed.into_iter().enumerate() {
        match member {
            Some(member) => members.take(member),
            None => members.add_unreadable(RowKey::of(&format!("member {index}"))),
        }
    }
    members
}
