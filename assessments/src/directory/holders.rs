//! Who holds the top-privilege role: assigned or eligible, directly or through a group.

use std::collections::BTreeMap;

use super::exports::Directory;
use super::list::ListItem;
use super::rows::Member;
use crate::run::{Issue, IssueKind};

/// Holders of the role, by what they are.
#[derive(Default)]
pub(super) struct Holders<'a> {
    /// People, by their identifiers in lower case.
    pub(super) people: BTreeMap<String, &'a Member>,
    /// Number of applications, which are not administrators in the sense of a report.
    pub(super) applications: usize,
    /// Number of groups whose members no file contains, or not all of them.
    pub(super) unknown_groups: usize,
    /// Number of holders of unknown kind.
    pub(super) unknown: usize,
}

impl Directory {
    /// Returns all holders of the role.
    pub(super) fn holders(&self) -> Holders<'_> {
        let mut holders = Holders::default();
        let assigned = self.members.rows();
        for (id, member) in assigned.chain(self.eligible.rows()) {
            if member.is_group() {
                self.add_group(id, &mut holders);
            } else {
                self.add(id, member, &mut holders);
            }
        }
        holders
    }

    fn add<'a>(&'a self, id: &str, member: &'a Member, holders: &mut Holders<'a>) {
        if member.is_user() || (!member.has_kind() && self.users.row(id).is_some()) {
            holders.people.insert(id.to_owned(), member);
        } else if member.has_kind() {
            holders.applications += usize::from(!member.is_group());
        } else {
            holders.unknown += 1;
        }
    }

    fn add_group<'a>(&'a self, id: &str, holders: &mut Holders<'a>) {
        let Some(group) = self.groups.row(id).filter(|group| group.is_whole()) else {
            holders.unknown_groups += 1;
            return;
        };
        for member in group.members() {
            self.add(&member.id().to_ascii_lowercase(), member, holders);
        }
    }

    /// Returns an issue for each kind of holder that a report does not list.
    pub(super) fn holder_issues(&self) -> Vec<Issue> {
        let holders = self.holders();
        let mut issues = Vec::new();
        let mut report = |number: usize, kind, message: &str| {
            if number > 0 {
                issues.push(Issue::of_file(kind, format!("{message}: {number}")));
            }
        };
        report(
            holders.applications,
            IssueKind::HoldersNotListed,
            "applications hold the Global Administrator role; they are not listed as administrators",
        );
        report(
            holders.unknown_groups,
            IssueKind::CounterpartMissing,
            "groups hold the Global Administrator role, and no file contains all their members: export each group with \
             its transitiveMembers",
        );
        report(
            holders.unknown,
            IssueKind::HoldersNotListed,
            "holders of the Global Administrator role could be people or not, and are not listed: export the role with \
             $expand=principal, or add the list of users",
        );
        issues
    }
}
