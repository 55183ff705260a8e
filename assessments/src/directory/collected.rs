//! A directory whose lists come row by row, from the responses of a snapshot instead of files.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use model::{MfaMethod, ProviderTenantId, Timestamp};
use serde::de::DeserializeOwned;

use super::exports::Directory;
use super::list::{ListItem, PagedList};
use super::rows::{Group, Member, RoleInstance};
use super::sign_in_row::SignIn;
use super::sign_ins;
use super::top_role::TOP_ROLE;
use crate::activity::{Measure, Source, Subject, Window, take_audit};
use crate::file::{Extent, RowKey};

/// A list that a report, usage or billable users are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DirectoryList {
    Users,
    Subscriptions,
    Members,
    Eligible,
    Policies,
    Registrations,
    /// A log, or the part of it that shows these measures.
    Log(Source, Option<&'static [Measure]>),
}

impl Directory {
    /// Creates the directory of a tenant that is known.
    pub(crate) fn of_tenant(tenant: ProviderTenantId) -> Self {
        Self { named_tenants: BTreeSet::from([tenant]), ..Self::default() }
    }

    /// Adds a row of a list.
    pub(crate) fn take(&mut self, list: DirectoryList, row: &str) {
        match list {
            DirectoryList::Users => take(&mut self.users, row),
            DirectoryList::Subscriptions => take(&mut self.subscriptions, row),
            DirectoryList::Policies => take(&mut self.policies, row),
            DirectoryList::Registrations => take(&mut self.registrations, row),
            DirectoryList::Members => take_holder(&mut self.members, row),
            DirectoryList::Eligible => take_holder(&mut self.eligible, row),
            DirectoryList::Log(source, measures) => self.take_entry(source, measures, row),
        }
    }

    fn take_entry(&mut self, source: Source, measures: Option<&[Measure]>, row: &str) {
        let log = self.activity.log(source);
        if source == Source::DirectoryAudit {
            take_audit(row, log, measures);
            return;
        }
        match serde_json::from_str::<SignIn>(row) {
            Ok(row) if row.is_by_application() => {}
            Ok(row) => sign_ins::take(&row, log, measures),
            Err(_) => log.note_unreadable(RowKey::of(row)),
        }
    }

    /// Notes a page of a list, and whether the list has a next page.
    pub(crate) fn add_page(&mut self, list: DirectoryList, more: bool) {
        let extent = Extent::of_page(more, None);
        match list {
            DirectoryList::Users => self.users.join(PagedList::of([], extent)),
            DirectoryList::Subscriptions => self.subscriptions.join(PagedList::of([], extent)),
            DirectoryList::Policies => self.policies.join(PagedList::of([], extent)),
            DirectoryList::Registrations => self.registrations.join(PagedList::of([], extent)),
            DirectoryList::Members => self.members.join(PagedList::of([], extent)),
            DirectoryList::Eligible => self.eligible.join(PagedList::of([], extent)),
            DirectoryList::Log(source, measures) => {
                let log = self.activity.log(source);
                log.extent.join(extent);
                measures.into_iter().flatten().for_each(|measure| log.events.observable(*measure));
            }
        }
    }

    /// Adds a group that holds a role, with its members as JSON.
    pub(crate) fn add_group_with_members(&mut self, id: &str, members: impl Iterator<Item = String>) {
        let members: Option<Vec<Member>> = members.map(|member| serde_json::from_str(&member).ok()).collect();
        if let Some(members) = members {
            self.groups.take(Group::of(id, members));
            self.groups.join(PagedList::of([], Extent::of_page(false, None)));
        }
    }

    /// Notes that the logs cover a number of days, whether or not anything happened in them.
    pub(crate) fn logs_cover(&mut self, end: Timestamp, days: u32) {
        let start = end.to_datetime().checked_sub_signed(TimeDelta::days(days.into()));
        let start = start.and_then(|start| start.try_into().ok()).unwrap_or(end);
        self.activity.logs_cover(start, end);
    }

    /// Notes that a query of a log has no response, or breaks off. A log without any response is not known at all.
    pub(crate) fn break_off(&mut self, list: DirectoryList) {
        let DirectoryList::Log(source, _) = list else { return };
        let log = self.activity.log(source);
        if log.extent.is_known() {
            log.extent.join(Extent::of_cut_off_page());
        }
    }

    /// Leaves out a log.
    pub(crate) fn forget_log(&mut self, source: Source) {
        self.activity.forget_log(source);
    }

    /// Returns the number of users of old mail apps. Returns `None` if no report contains it.
    pub(crate) fn mail_app_users(&self) -> Option<usize> {
        self.activity.users_of_report(Source::MailApps, Measure::MailApp)
    }

    /// Returns the number of malformed sign-ins.
    pub(crate) fn unreadable_sign_ins(&self) -> usize {
        self.state_of_sign_ins().unreadable
    }

    /// Returns the strongest registered method of a user, by the identifier in lower case.
    pub(crate) fn strongest_method(&self, user: &str) -> MfaMethod {
        self.registrations.row(user).map_or(MfaMethod::Unknown, |row| row.strongest())
    }

    /// Returns the number of failed sign-ins of a user in a window.
    pub(crate) fn failed_sign_ins(&self, user: &str, window: Window) -> u32 {
        let subject = Subject::of(user);
        let tallies = self.sign_ins_of(window, &BTreeSet::from([subject]));
        tallies.get(&subject).map_or(0, super::admins::failures)
    }
}

fn take<R: ListItem + DeserializeOwned>(list: &mut PagedList<R>, row: &str) {
    match serde_json::from_str(row) {
        Ok(row) => list.take(row),
        Err(_) => list.add_unreadable(RowKey::of(row)),
    }
}

fn take_holder(list: &mut PagedList<Member>, row: &str) {
    match serde_json::from_str::<RoleInstance>(row) {
        Ok(row) if row.role_definition_id.eq_ignore_ascii_case(TOP_ROLE) => list.take(row.holder()),
        Ok(_) => {}
        Err(_) => list.add_unreadable(RowKey::of(row)),
    }
}
