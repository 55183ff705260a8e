//! A report: shown, as a file, and beside another.

use std::collections::BTreeMap;

use axum::response::Response;
use futures_util::future::{try_join, try_join3};
use model::{ControlId, ReportBody, ReportHead, ReportId, ServiceTenantId};
use operations::edits::digest;
use serde::Deserialize;
use store::{EditMark, EditedPart, PastReport, ReportSummary, StoredReport, Task};
use web::failure::Failure;
use web::input::{Asked, Named};
use web::session::Viewer;
use web::{Dashboard, respond};

use super::tenants;
use crate::view::edits::Edit;
use crate::view::filter::Filter;
use crate::view::report::Administrator;
use crate::view::{self, csv};

#[derive(Deserialize)]
pub(crate) struct With {
    with: Option<ReportId>,
}

/// A report that was found in the viewer's organization.
pub(super) struct Found {
    pub(super) head: ReportHead,
    pub(super) body: ReportBody,
    pub(super) tool: String,
    pub(super) revisions: BTreeMap<ControlId, u32>,
    edits: Vec<EditMark>,
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Named<(ServiceTenantId, ReportId)>,
    Asked(filter): Asked<Filter>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report);
    let record = tenants::find(&viewer.organization, &tenant);
    let (found, record, shell) = try_join3(found, record, viewer.shell(&dashboard)).await?;
    let Found { head, body, tool, edits, .. } = found;
    let reports = tenants::reports(&viewer.organization, &record).await?;
    let tasks = tasks_of(&viewer, &reports, (&report, &tool)).await?;
    let mut history = view::tenant::series(&reports);
    history.retain(|series| series.tool == tool);
    let (of_checks, of_administrators) = marks(edits);
    let administrators: Vec<_> = body
        .global_admins
        .admins
        .iter()
        .map(|admin| Administrator {
            admin,
            digest: digest(&admin.user_principal_name),
            edit: of_administrators.get(&admin.user_principal_name).cloned(),
        })
        .collect();
    let page = view::report::Page {
        shell: &shell,
        head: &head,
        body: &body,
        tool: &tool,
        history: &history,
        edits: &of_checks,
        administrators: &administrators,
        tasks: tasks.as_ref(),
        filter: &filter,
        now: viewer.now,
        has_pdf: dashboard.documents.are_offered(),
    };
    Ok(respond::page(view::report::page(&page)))
}

pub(crate) async fn download(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Named<(ServiceTenantId, ReportId)>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report);
    let record = tenants::find(&viewer.organization, &tenant);
    let (found, record) = try_join(found, record).await?;
    let reports = tenants::reports(&viewer.organization, &record).await?;
    let tasks = tasks_of(&viewer, &reports, (&report, &found.tool)).await?;
    Ok(respond::csv("checks.csv", csv::checks(&found.body.checks, &tasks.unwrap_or_default())))
}

pub(crate) async fn compare(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Named<(ServiceTenantId, ReportId)>,
    Asked(With { with }): Asked<With>,
) -> Result<Response, Failure> {
    let Found { head, body, tool, .. } = find(&dashboard, &viewer, &tenant, &report).await?;
    let other = match &with {
        Some(with) => Some(find(&dashboard, &viewer, &tenant, with).await?).filter(|other| other.tool == tool),
        None => None,
    };
    let record = tenants::find(&viewer.organization, &tenant).await?;
    let others = tenants::reports(&viewer.organization, &record).await?;
    let others: Vec<_> = others.into_iter().filter(|other| other.tool == tool && other.report_id != report).collect();
    let shell = viewer.shell(&dashboard).await?;
    let page = view::comparison::Page {
        shell: &shell,
        head: &head,
        body: &body,
        tool: &tool,
        others: &others,
        with: other.as_ref().map(|other| (&other.head.id, &other.body)),
    };
    Ok(respond::page(view::comparison::page(&page)))
}

/// Returns the report, if it is of that tenant of the viewer's organization.
pub(super) async fn find(
    dashboard: &Dashboard,
    viewer: &Viewer,
    tenant: &ServiceTenantId,
    report: &ReportId,
) -> Result<Found, Failure> {
    Found::of(dashboard, viewer.report(tenant, report).await?)
}

impl Found {
    /// Opens a report.
    pub(super) fn of(dashboard: &Dashboard, stored: StoredReport) -> Result<Self, Failure> {
        let head = api::reports::head(&dashboard.address, &stored);
        let edits = stored.edits.clone();
        let PastReport { body, tool, revisions, .. } = stored.open()?;
        Ok(Self { head, body, tool, revisions, edits })
    }

    /// Returns the mark of the edits of a check.
    pub(super) fn mark(&self, control: &ControlId) -> Option<&EditMark> {
        let part = EditedPart::Check(control.clone());
        self.edits.iter().find(|mark| mark.part == part)
    }
}

/// Returns the tasks of the controls in a report, or `None` if it is not the newest of its tool: they are about what is so
/// now. `reports` are those of its tenant, newest first.
async fn tasks_of(
    viewer: &Viewer,
    reports: &[ReportSummary],
    (report, tool): (&ReportId, &str),
) -> Result<Option<BTreeMap<ControlId, Task>>, Failure> {
    let newest = reports.iter().find(|listed| listed.tool == tool);
    let Some(newest) = newest.filter(|newest| newest.report_id == *report) else { return Ok(None) };
    let tasks = viewer.organization.tasks(&newest.service_tenant_id).await?;
    Ok(Some(tasks.into_iter().map(|task| (task.control_id.clone(), task)).collect()))
}

/// Returns the edits of checks, and those of administrators by their sign-in names.
fn marks(edits: Vec<EditMark>) -> (BTreeMap<ControlId, Edit>, BTreeMap<String, Edit>) {
    let (mut of_checks, mut of_administrators) = (BTreeMap::new(), BTreeMap::new());
    for EditMark { part, fields, by, at, kept, text, .. } in edits {
        let edit = Edit { fields, by, at, kept, text };
        match part {
            EditedPart::Check(control) => of_checks.insert(control, edit),
            EditedPart::Administrator(name) => of_administrators.insert(name, edit),
            // Shown by the release that knows the part.
            EditedPart::Unknown(_) => None,
        };
    }
    (of_checks, of_administrators)
}
