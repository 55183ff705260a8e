//! The audit trail, for Admins.

use axum::response::Response;
use serde::Deserialize;
use store::{AuditAction, AuditEntry};

use super::MOST;
use crate::failure::Failure;
use crate::input::Asked;
use crate::respond;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view::audit::{self, Entry, Page};
use crate::view::csv;
use crate::view::words::UNKNOWN;

/// Entries on a page.
const PAGE: usize = 100;

#[derive(Deserialize)]
pub(crate) struct Place {
    before: Option<String>,
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(Place { before }): Asked<Place>,
) -> Result<Response, Failure> {
    let (entries, older) = viewer.organization.audit_trail(before.as_deref(), PAGE).await?;
    let entries: Vec<_> = entries.into_iter().map(entry).collect();
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

fn words(action: AuditAction) -> &'static str {
    match action {
        AuditAction::TenantAdded => "Added a tenant",
        AuditAction::TenantRenamed => "Renamed a tenant",
        AuditAction::TenantPaused => "Paused a tenant",
        AuditAction::TenantResumed => "Resumed a tenant",
        AuditAction::TenantRemoved => "Removed a tenant",
        AuditAction::ReportAdded => "Imported a report",
        AuditAction::ReportEdited => "Edited a report",
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
