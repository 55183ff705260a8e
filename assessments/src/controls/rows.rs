//! Where each row and object of a response goes.

use model::snapshot::LEGACY_CLIENTS;
use serde_json::Value;

use super::received::Problem;
use super::sign_ins::Part;
use super::source::Source;
use super::tenant::Collected;
use crate::activity::{self, Measure, read_mail_apps};
use crate::directory::{Directory, DirectoryList};
use crate::file::{Input, Shape, decode};

/// Measures that sign-ins by old protocols show.
const LEGACY: &[Measure] = &[Measure::LegacyProtocol, Measure::SmtpAuth];

/// Measures that changes of roles show.
const ROLES: &[Measure] = &[Measure::RoleChange];

impl Collected {
    /// Adds a row of a page.
    pub(super) fn take_row(&mut self, source: Source, list: Option<DirectoryList>, group: &str, row: &str) {
        if let Some(list) = list {
            self.directory.take(list, row);
        }
        let lists = &mut self.lists;
        match source {
            Source::Applications => lists.applications.take(row),
            Source::ConditionalAccessPolicies => lists.policies.take(row),
            Source::Domains => lists.domains.take(row),
            Source::ExchangeRoleAssignments | Source::GraphRoleAssignments | Source::SharePointRoleAssignments => {
                lists.app_roles.entry(source).or_default().take(row);
            }
            Source::GroupMembers => lists.group_members.entry(group.to_owned()).or_default().take(row),
            Source::GroupSettings => lists.group_settings.take(row),
            Source::NamedLocations => lists.locations.take(row),
            Source::ObjectsById => lists.existing_objects.take(row),
            Source::OnPremisesSynchronization => lists.synchronization.take(row),
            Source::Organization => lists.organization.take(row),
            Source::PermissionGrants => lists.grants.take(row),
            Source::Registrations => lists.registrations.take(row),
            Source::RiskyUsers => lists.risky_users.take(row),
            Source::RoleAssignmentInstances | Source::RoleAssignments | Source::RoleEligibilityInstances => {
                lists.roles.entry(source).or_default().take(row);
            }
            Source::RolePolicies => lists.role_policies.take(row),
            Source::ServicePrincipals => lists.service_principals.take(row),
            Source::SubscribedSkus => lists.subscriptions.take(row),
            Source::Users => lists.users.take(row),
            _ => {}
        }
    }

    /// Adds the object of a response.
    pub(super) fn take_document(&mut self, source: Source, query: &str, document: Value) -> Result<(), Problem> {
        if document.get("error").is_some() {
            return Err(Problem::Unexpected);
        }
        if source == Source::Dns {
            return self.lists.dns.take(query, &document);
        }
        match self.documents.get_mut(&source) {
            // Two objects that differ are none.
            Some(known) => drop(known.take_if(|known| *known != document)),
            None => drop(self.documents.insert(source, Some(document))),
        }
        Ok(())
    }

    /// Adds the lines of a usage report.
    pub(super) fn take_table(&mut self, source: Source, endpoint: &str, table: &str) -> Result<(), Problem> {
        let text = || Ok(decode(Box::new(table.as_bytes())));
        let unexpected = |_| Problem::Unexpected;
        let shape = Shape::of(decode(Box::new(table.as_bytes()))).map_err(unexpected)?;
        if !shape.is_table_with(&["Report Refresh Date", "User Principal Name"]) {
            return Err(Problem::Unexpected);
        }
        let input = Input::new(&shape, &text);
        match source {
            Source::ActiveUsersReport => self.lists.active_users.read(input, days_of(endpoint)).map_err(unexpected),
            _ => {
                self.directory.join(Directory::from(read_mail_apps(input).map_err(unexpected)?));
                Ok(())
            }
        }
    }

    /// Notes which parts of the sign-ins are missing beside others. Leaves out the sign-ins by old protocols unless all of
    /// these protocols were asked for: a sentence about some of them would read as one about all.
    pub(super) fn drop_partial_logs(&mut self) {
        let received = self.received.get(&Source::SignIns).into_iter().flatten();
        let broken = received.clone().filter(|(_, part)| !part.is_whole());
        broken
            .filter_map(|(query, _)| directory_list(Source::SignIns, query))
            .for_each(|it| self.directory.break_off(it));
        let whole = received.filter(|(_, part)| part.is_whole()).map(|(query, _)| Part::of(query));
        let asked: Vec<String> = whole
            .filter_map(|part| match part {
                Part::ByClients(clients) => Some(clients),
                _ => None,
            })
            .flatten()
            .collect();
        let is_asked = |client: &&str| asked.iter().any(|it| it.eq_ignore_ascii_case(client));
        if !LEGACY_CLIENTS.iter().all(is_asked) {
            self.directory.forget_log(activity::Source::LegacySignIns);
        }
    }
}

/// Returns the days of a usage report, such as 90 for `getOffice365ActiveUserDetail(period='D90')`.
fn days_of(endpoint: &str) -> Option<u32> {
    endpoint.split_once("(period='D")?.1.strip_suffix("')")?.parse().ok()
}

/// Returns the list of the directory to which the rows of a source belong, from a query.
pub(super) fn directory_list(source: Source, query: &str) -> Option<DirectoryList> {
    let sign_ins = |part| match part {
        Part::Whole => Some(DirectoryList::Log(activity::Source::SignIns, None)),
        Part::OfUsers(_) => Some(DirectoryList::Log(activity::Source::AdministratorSignIns, None)),
        Part::ByClients(_) => Some(DirectoryList::Log(activity::Source::LegacySignIns, Some(LEGACY))),
        Part::Other => None,
    };
    match source {
        Source::Users => Some(DirectoryList::Users),
        Source::SubscribedSkus => Some(DirectoryList::Subscriptions),
        Source::RoleAssignments | Source::RoleAssignmentInstances => Some(DirectoryList::Members),
        Source::RoleEligibilityInstances => Some(DirectoryList::Eligible),
        Source::ConditionalAccessPolicies => Some(DirectoryList::Policies),
        Source::Registrations => Some(DirectoryList::Registrations),
        Source::SignIns => sign_ins(Part::of(query)),
        Source::DirectoryAudits => audits(query),
        _ => None,
    }
}

/// Returns the part of the audit log that a query asks for: all of it within a time, or the changes of roles.
fn audits(query: &str) -> Option<DirectoryList> {
    let filter = query.split('&').find_map(|part| part.strip_prefix("$filter=")).unwrap_or_default();
    let mut clauses =
        filter.split(" and ").map(str::trim).filter(|it| !it.is_empty() && !it.starts_with("activityDateTime "));
    match (clauses.next(), clauses.next()) {
        (None, _) => Some(DirectoryList::Log(activity::Source::DirectoryAudit, None)),
        (Some("category eq 'RoleManagement'"), None) => {
            Some(DirectoryList::Log(activity::Source::DirectoryAudit, Some(ROLES)))
        }
        _ => None,
    }
}
