//! The audit trail, for Admins.

use std::collections::HashMap;

use axum::response::Response;
use futures_util::TryStreamExt;
use serde::Deserialize;
use store::{AuditAction, AuditEntry, ListedReport, Organization, Selection, StoreError};

use super::MOST;
use crate::failure::Failure;
use crate::input::Asked;
use crate::respond;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view::audit::{self, Entry, Page};
use crate::view::words::UNKNOWN;
use crate::view::{csv, link, when};

/// Entries on a page.
const PAGE: usize = 100;

#[derive(Deserialize)]
pub(crate) struct Older {
    before: Option<String>,
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(Older { before }): Asked<Older>,
) -> Result<Response, Failure> {
    let (entries, older) = viewer.organization.audit_trail(before.as_deref(), PAGE).await?;
    let named = Named::of(&viewer.organization, &entries).await?;
    let entries: Vec<_> = entries.into_iter().map(|of| named.in_entry(entry(of))).collect();
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(audit::page(&Page { shell: &shell, entries: &entries, older: older.as_deref() })))
}

pub(crate) async fn download(viewer: Viewer) -> Result<Response, Failure> {
    let (entries, _) = viewer.organization.audit_trail(None, MOST).await?;
    let entries: Vec<_> = entries.into_iter().map(entry).collect();
    Ok(respond::csv("audit.csv", csv::audit(&entries)))
}

fn entry(entry: AuditEntry) -> Entry {
    Entry {
        at: entry.at,
        by: entry.author_name,
        action: words(entry.action).to_owned(),
        subject: entry.subject,
        address: None,
        changes: entry.changes.into_iter().map(|change| (change.field, change.before, change.after)).collect(),
    }
}

/// The current names of identifiers, with the addresses of their pages. Removed things have none.
struct Named(HashMap<String, (String, Option<String>)>);

impl Named {
    async fn of(organization: &Organization, entries: &[AuditEntry]) -> Result<Self, StoreError> {
        let mut named = HashMap::from([(organization.id().to_string(), (organization.name().await?, None))]);
        for key in organization.keys().await? {
            let name = key.description.unwrap_or_else(|| "No description".to_owned());
            named.insert(key.key_id.to_string(), (name, Some("/settings/api-keys".to_owned())));
        }
        let tenants: Vec<_> = organization.tenants().try_concat().await?;
        for tenant in tenants {
            let address = link::tenant(&tenant.service_tenant_id);
            named.insert(tenant.service_tenant_id.to_string(), (tenant.name, Some(address)));
        }
        for member in organization.members().await? {
            named.insert(member.member_id.to_string(), (member.name, None));
        }
        // Summaries are read only for entries about reports.
        let of_reports = [AuditAction::ReportAdded, AuditAction::ReportEdited];
        if entries.iter().any(|entry| of_reports.contains(&entry.action)) {
            for ListedReport { tenant_name, summary } in organization.select(Selection::history(MOST)).listed().await? {
                let name = format!("{tenant_name}, {}", when::plain_date(summary.figures.completed_at));
                let address = link::report(&summary.service_tenant_id, &summary.report_id);
                named.insert(summary.report_id.to_string(), (name, Some(address)));
            }
        }
        Ok(Self(named))
    }

    /// Replaces the identifiers of an entry by names.
    fn in_entry(&self, mut entry: Entry) -> Entry {
        if let Some((name, address)) = self.0.get(&entry.subject) {
            (entry.subject, entry.address) = (name.clone(), address.clone());
        }
        for value in entry.changes.iter_mut().flat_map(|(_, before, after)| [before, after]).flatten() {
            if let Some((name, _)) = self.0.get(value) {
                value.clone_from(name);
            }
        }
        entry
    }
}

fn words(action: AuditAction) -> &'static str {
    match action {
        AuditAction::TenantAdded => "Added a tenant",
        AuditAction::TenantRenamed => "Renamed a tenant",
        AuditAction::TenantPaused => "Paused a tenant",
        AuditAction::TenantResumed => "Resumed a tenant",
        AuditAction::TenantRemoved => "Removed a tenant",
        AuditAction::ReportRequested => "Requested a report",
        AuditAction::ReportAdded => "Imported a report",
        AuditAction::ReportEdited => "Edited a report",
        AuditAction::ReportReplaced => "Replaced a report by another copy of its run",
        AuditAction::ReportDeleted => "Deleted a report",
        AuditAction::KeptEditEnded => "Stopped keeping an edit",
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
        AuditAction::Unknown => UNKNOWN,
    }
}
