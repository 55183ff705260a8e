//! The audit trail: all of it for Admins, their own changes for Full Members.

use std::collections::HashMap;

use axum::response::Response;
use chrono::NaiveDate;
use futures_util::TryStreamExt;
use model::{Role, Wire};
use store::{AuditAction, AuditEntry, ListedReport, Organization, Selection, StoreError};
use web::failure::Failure;
use web::input::Asked;
use web::session::Viewer;
use web::{Dashboard, respond};

use super::MOST;
use crate::view::audit::{self, Choices, Entry, Filter, Page};
use crate::view::words::UNKNOWN;
use crate::view::{csv, link, when};

/// Entries on a page.
const PAGE: usize = 100;
/// Entries that are read for a page of a filtered trail; older ones are behind a link.
const MOST_READ: usize = 2_000;

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(filter): Asked<Filter>,
) -> Result<Response, Failure> {
    let trail = Trail::read(&viewer, &filter, PAGE, MOST_READ).await?;
    let choices = trail.choices(&viewer).await?;
    let shell = viewer.shell(&dashboard).await?;
    let older = trail.older.as_deref();
    Ok(respond::page(audit::page(&Page {
        shell: &shell,
        entries: &trail.entries,
        older,
        filter: &filter,
        choices: &choices,
    })))
}

pub(crate) async fn download(viewer: Viewer, Asked(filter): Asked<Filter>) -> Result<Response, Failure> {
    let trail = Trail::read(&viewer, &filter, MOST, MOST).await?;
    Ok(respond::csv("audit.csv", csv::audit(&trail.entries)))
}

/// A part of the trail, newest first.
struct Trail {
    entries: Vec<Entry>,
    /// Position of older entries.
    older: Option<String>,
    named: Named,
}

impl Trail {
    /// Returns up to `most` entries that a filter finds among those that are read.
    async fn read(viewer: &Viewer, filter: &Filter, most: usize, most_read: usize) -> Result<Self, Failure> {
        let named = Named::of(&viewer.organization).await?;
        let from = filter.from.trim().parse::<NaiveDate>().ok();
        // A position is a time; a day later is behind the last entry of the last day.
        let until = filter.until.trim().parse::<NaiveDate>().ok().and_then(|day| day.succ_opt());
        let mut older = filter.before.clone().or_else(|| until.map(|day| day.to_string()));
        let (mut entries, mut read) = (Vec::new(), 0);
        while entries.len() < most && read < most_read {
            let (page, next) = viewer.organization.audit_trail(older.as_deref(), PAGE.max(most), viewer.now).await?;
            read += page.len();
            let is_over = |entry: &AuditEntry| from.is_some_and(|from| entry.at.date() < from);
            let ends = page.iter().any(is_over);
            let found = page.into_iter().filter(|entry| !is_over(entry) && is_shown(viewer, filter, &named, entry));
            entries.extend(found.map(|of| named.in_entry(entry(of))));
            older = next.filter(|_| !ends);
            if older.is_none() {
                break;
            }
        }
        Ok(Self { entries, older, named })
    }

    /// Returns the values to filter by.
    async fn choices(&self, viewer: &Viewer) -> Result<Choices, Failure> {
        let members = viewer.organization.members().await?;
        let people = members.into_iter().map(|member| (member.member_id.to_string(), member.name)).collect();
        let kinds = ACTIONS.map(|action| (Wire(action).to_string(), words(action))).to_vec();
        Ok(Choices { people, tenants: self.named.tenants.clone(), kinds })
    }
}

/// Returns whether a person may see an entry and asks for it.
fn is_shown(viewer: &Viewer, filter: &Filter, named: &Named, entry: &AuditEntry) -> bool {
    let is_own = entry.author_id == viewer.member.member_id.as_str();
    (viewer.member.role == Role::Admin || is_own)
        && (filter.person.is_empty() || filter.person == entry.author_id)
        && (filter.kind.is_empty() || filter.kind == Wire(entry.action).to_string())
        && (filter.tenant.is_empty() || named.is_of(&filter.tenant, entry))
}

fn entry(entry: AuditEntry) -> Entry {
    Entry {
        at: entry.at,
        by: entry.author_name,
        by_id: entry.author_id,
        action: words(entry.action).to_owned(),
        subject: entry.subject.clone(),
        subject_id: entry.subject,
        address: None,
        changes: entry.changes.into_iter().map(|change| (change.field, change.before, change.after)).collect(),
    }
}

/// The current names of identifiers. Removed things have none.
struct Named {
    /// Name and address of the page, by identifier.
    names: HashMap<String, (String, Option<String>)>,
    /// The tenant of each report, by their identifiers.
    of_reports: HashMap<String, String>,
    /// The tenants by identifier and name.
    tenants: Vec<(String, String)>,
}

impl Named {
    async fn of(organization: &Organization) -> Result<Self, StoreError> {
        let mut names = HashMap::from([(organization.id().to_string(), (organization.name().await?, None))]);
        for key in organization.keys().await? {
            let name = key.description.unwrap_or_else(|| "No description".to_owned());
            names.insert(key.key_id.to_string(), (name, Some("/settings/api-keys".to_owned())));
        }
        let listed: Vec<_> = organization.tenants().try_concat().await?;
        let mut tenants = Vec::new();
        for tenant in listed {
            let address = link::tenant(&tenant.service_tenant_id);
            tenants.push((tenant.service_tenant_id.to_string(), tenant.name.clone()));
            names.insert(tenant.service_tenant_id.to_string(), (tenant.name, Some(address)));
        }
        for member in organization.members().await? {
            names.insert(member.member_id.to_string(), (member.name, None));
        }
        let mut of_reports = HashMap::new();
        for ListedReport { tenant_name, summary } in organization.select(Selection::history(MOST)).listed().await? {
            let name = format!("{tenant_name}, {}", when::plain_date(summary.figures.completed_at));
            let address = link::report(&summary.service_tenant_id, &summary.report_id);
            of_reports.insert(summary.report_id.to_string(), summary.service_tenant_id.to_string());
            names.insert(summary.report_id.to_string(), (name, Some(address)));
        }
        Ok(Self { names, of_reports, tenants })
    }

    /// Returns whether an entry is about a tenant or one of its reports, deleted ones included.
    fn is_of(&self, tenant: &str, entry: &AuditEntry) -> bool {
        let values = entry.changes.iter().filter(|change| change.field == "tenant");
        let mut values = values.flat_map(|change| [&change.before, &change.after]).flatten();
        entry.subject == tenant
            || self.of_reports.get(&entry.subject).is_some_and(|of| of == tenant)
            || values.any(|value| value == tenant)
    }

    /// Adds names to the identifiers of an entry.
    fn in_entry(&self, mut entry: Entry) -> Entry {
        if let Some((name, address)) = self.names.get(&entry.subject) {
            (entry.subject, entry.address) = (name.clone(), address.clone());
        }
        for value in entry.changes.iter_mut().flat_map(|(_, before, after)| [before, after]).flatten() {
            if let Some((name, _)) = self.names.get(value) {
                value.clone_from(name);
            }
        }
        entry
    }
}

/// The kinds of changes, in the order in which a filter offers them.
const ACTIONS: [AuditAction; 56] = [
    AuditAction::ReportAdded,
    AuditAction::ReportEdited,
    AuditAction::ReportReplaced,
    AuditAction::ReportDeleted,
    AuditAction::RiskAccepted,
    AuditAction::RiskAcceptanceEnded,
    AuditAction::RiskExpiring,
    AuditAction::KeptEditEnded,
    AuditAction::TaskSet,
    AuditAction::TaskRemoved,
    AuditAction::TextSet,
    AuditAction::TextRemoved,
    AuditAction::ImportFailed,
    AuditAction::AssessmentFailed,
    AuditAction::TenantAdded,
    AuditAction::TenantRenamed,
    AuditAction::TenantPaused,
    AuditAction::TenantResumed,
    AuditAction::LeadingToolChosen,
    AuditAction::TenantLabelled,
    AuditAction::EmergencyAccessDeclared,
    AuditAction::ScheduleChanged,
    AuditAction::TenantStale,
    AuditAction::TenantConnected,
    AuditAction::TenantDisconnected,
    AuditAction::TenantRemoved,
    AuditAction::ApiKeyCreated,
    AuditAction::ApiKeyDeleted,
    AuditAction::BrandChanged,
    AuditAction::UsageRecorded,
    AuditAction::BillableUsersRecorded,
    AuditAction::MemberInvited,
    AuditAction::InvitationRevoked,
    AuditAction::MemberJoined,
    AuditAction::MemberRoleChanged,
    AuditAction::MemberRemoved,
    AuditAction::MemberSignedIn,
    AuditAction::MemberSignedOut,
    AuditAction::MemberSignedOutEverywhere,
    AuditAction::ConfirmationAsked,
    AuditAction::AddressConfirmed,
    AuditAction::AddressChanged,
    AuditAction::AccessRefused,
    AuditAction::DataDownloaded,
    AuditAction::DocumentsRequested,
    AuditAction::OrganizationExported,
    AuditAction::TargetAdded,
    AuditAction::TargetChanged,
    AuditAction::TargetPaused,
    AuditAction::TargetResumed,
    AuditAction::TargetDisabled,
    AuditAction::TargetSecretRotated,
    AuditAction::TargetTested,
    AuditAction::TargetRemoved,
    AuditAction::EventsSentAgain,
    AuditAction::Unknown,
];

fn words(action: AuditAction) -> &'static str {
    match action {
        AuditAction::TenantAdded => "Added a tenant",
        AuditAction::TenantRenamed => "Renamed a tenant",
        AuditAction::TenantPaused => "Paused a tenant",
        AuditAction::TenantResumed => "Resumed a tenant",
        AuditAction::LeadingToolChosen => "Chose the leading tool of a tenant",
        AuditAction::TenantLabelled => "Changed the labels of a tenant",
        AuditAction::EmergencyAccessDeclared => "Declared the emergency access of a tenant",
        AuditAction::ScheduleChanged => "Changed when reports are due",
        AuditAction::TenantStale => "Found a stale tenant",
        AuditAction::TenantConnected => "Connected a tenant",
        AuditAction::TenantDisconnected => "Disconnected a tenant",
        AuditAction::TenantRemoved => "Removed a tenant",
        AuditAction::TenantErased => "Erased a tenant",
        AuditAction::DataRepaired => "Repaired damaged data",
        AuditAction::ReportRequested => "Requested a report",
        AuditAction::AssessmentFailed => "Failed to make a requested report",
        AuditAction::ImportFailed => "Failed to import files",
        AuditAction::ReportAdded => "Imported a report",
        AuditAction::ReportEdited => "Edited a report",
        AuditAction::ReportReplaced => "Replaced a report by another copy of its run",
        AuditAction::ReportDeleted => "Deleted a report",
        AuditAction::RiskAccepted => "Accepted a risk",
        AuditAction::RiskAcceptanceEnded => "Ended an accepted risk",
        AuditAction::RiskExpiring => "Told that an accepted risk ends soon",
        AuditAction::KeptEditEnded => "Stopped keeping an edit",
        AuditAction::TaskSet => "Set a task",
        AuditAction::TaskRemoved => "Removed a task",
        AuditAction::TextSet => "Set a text for all tenants",
        AuditAction::TextRemoved => "Removed a text for all tenants",
        AuditAction::ApiKeyCreated => "Created an API key",
        AuditAction::ApiKeyDeleted => "Deleted an API key",
        AuditAction::BrandChanged => "Changed the brand",
        AuditAction::UsageRecorded => "Recorded usage",
        AuditAction::BillableUsersRecorded => "Recorded billable users",
        AuditAction::MemberInvited => "Invited a member",
        AuditAction::InvitationRevoked => "Revoked an invitation",
        AuditAction::MemberJoined => "Joined the organization",
        AuditAction::MemberRoleChanged => "Changed a member's role",
        AuditAction::MemberRemoved => "Removed a member",
        AuditAction::MemberSignedIn => "Signed in",
        AuditAction::MemberSignedOut => "Signed out",
        AuditAction::MemberSignedOutEverywhere => "Signed out everywhere",
        AuditAction::ConfirmationAsked => "Asked to confirm the own mail address",
        AuditAction::AddressConfirmed => "Confirmed the own mail address",
        AuditAction::AddressChanged => "Signed in with another mail address",
        AuditAction::AccessRefused => "Was refused a page",
        AuditAction::DataDownloaded => "Downloaded a file",
        AuditAction::DocumentsRequested => "Requested the PDFs of many reports",
        AuditAction::OrganizationExported => "Exported the organization",
        AuditAction::TargetAdded => "Added a target of notifications",
        AuditAction::TargetChanged => "Changed a target of notifications",
        AuditAction::TargetPaused => "Paused a target of notifications",
        AuditAction::TargetResumed => "Resumed a target of notifications",
        AuditAction::TargetDisabled => "Switched off a target of notifications",
        AuditAction::TargetSecretRotated => "Replaced the secret of a target of notifications",
        AuditAction::TargetTested => "Sent a test to a target of notifications",
        AuditAction::TargetRemoved => "Removed a target of notifications",
        AuditAction::EventsSentAgain => "Sent events again",
        AuditAction::Unknown => UNKNOWN,
    }
}
