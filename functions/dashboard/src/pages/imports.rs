//! Imports by upload, and their results.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{self, MethodRouter};
use futures_util::TryStreamExt;
use model::{ImportId, ServiceTenantId, TenantListItem, Timestamp, UploadId};
use operations::import::{BaselineChoice, ImportError, Options, import_and_record};
use store::{ImportRecord, ImportedReport, Waiting};
use web::failure::Failure;
use web::input::Named;
use web::sent::{LARGEST_FORM, LIMIT};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::uploads::{LIMIT_IN_TOTAL, Sent, too_large};
use crate::view;
use crate::view::import_tenant::NewTenant;
use crate::view::imports::Form;

/// Imports that are listed.
const LISTED: usize = 50;

/// Returns the service that takes uploads, with its limit.
pub(crate) fn receiver() -> MethodRouter {
    routing::post(upload).layer(DefaultBodyLimit::max(LARGEST_FORM))
}

/// Returns the service that takes single files of an upload, with its limit.
pub(crate) fn keeper() -> MethodRouter {
    routing::post(keep).layer(DefaultBodyLimit::max(LARGEST_FORM))
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    listed(&dashboard, &viewer, &Form::default().anew(viewer.now), Errors::default()).await
}

/// Shows the form again. Files that were sent are kept, so that they need not be chosen again.
async fn again(
    dashboard: &Dashboard,
    viewer: &Viewer,
    Sent { mut form, files }: Sent,
    errors: Errors,
) -> Result<Response, Failure> {
    let mut upload = files.upload(viewer).await?;
    upload.keep(&viewer.writer()).await.map_err(too_large)?;
    form.upload = upload.id().to_string();
    form.kept = upload.names().map(str::to_owned).collect();
    listed(dashboard, viewer, &form, errors).await
}

async fn listed(dashboard: &Dashboard, viewer: &Viewer, form: &Form, errors: Errors) -> Result<Response, Failure> {
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let tenants: Vec<_> = tenants.into_iter().map(TenantListItem::from).collect();
    let names: BTreeMap<_, _> =
        tenants.iter().map(|tenant| (&tenant.service_tenant_id, tenant.name.as_str())).collect();
    let imports = viewer.organization.imports(LISTED, viewer.now).await?;
    let imports: Vec<_> = imports.iter().map(|record| listing(record, &names)).collect();
    let shell = viewer.shell(dashboard).await?;
    let (limit, total) = (LIMIT as u64, LIMIT_IN_TOTAL as u64);
    let page = view::imports::Page {
        shell: &shell,
        tenants: &tenants,
        form,
        errors: &errors,
        limit,
        total,
        imports: &imports,
    };
    Ok(respond::page(view::imports::page(&page)))
}

/// Keeps files until the form is sent that imports them.
async fn keep(viewer: Viewer, sent: Sent) -> Result<Response, Failure> {
    let mut upload = sent.files.upload(&viewer).await?;
    upload.keep(&viewer.writer()).await.map_err(too_large)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn upload(dashboard: Dashboard, viewer: Viewer, sent: Sent) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, &sent.form.anew(viewer.now), errors).await;
    }
    let upload = sent.files.clone().upload(&viewer).await?;
    let options = match options(&sent.form, upload.names().next().is_none(), viewer.now) {
        Ok(options) => options,
        Err(errors) => return again(&dashboard, &viewer, sent, errors).await,
    };
    match import_and_record(&viewer.organization, &viewer.actor(), upload, &options).await {
        Ok((id, _)) => Ok(respond::see(&format!("/imports/{id}"))),
        Err(ImportError::Store(error)) => Err(too_large(error)),
        Err(error) => {
            let errors = Errors::default().with("tenant", error.to_string());
            again(&dashboard, &viewer, sent, errors).await
        }
    }
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<ImportId>,
) -> Result<Response, Failure> {
    let record = viewer.organization.import(&id, viewer.now).await?.ok_or(Failure::NotFound)?;
    shown(&dashboard, &viewer, record, &NewTenant::default(), &Errors::default()).await
}

/// Shows an import, with a form for the tenants that it lacks.
pub(super) async fn shown(
    dashboard: &Dashboard,
    viewer: &Viewer,
    record: ImportRecord,
    form: &NewTenant,
    errors: &Errors,
) -> Result<Response, Failure> {
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let names: BTreeMap<_, _> = tenants.into_iter().map(|tenant| (tenant.service_tenant_id, tenant.name)).collect();
    let ImportRecord { import_id, details, .. } = record;
    let waiting = match details.waiting {
        Some(Waiting { upload, tenants, .. }) if !viewer.organization.upload(&upload, viewer.now).await?.is_empty() => {
            Some(view::import_tenant::Waiting { import: import_id, lacks: tenants, tenants: names.clone() })
        }
        _ => None,
    };
    let report = |record: ImportedReport| view::import::Report {
        tenant_name: names.get(&record.service_tenant_id).cloned(),
        record,
    };
    let reports: Vec<_> = details.reports.into_iter().map(report).collect();
    let shell = viewer.shell(dashboard).await?;
    let page = view::import::Page {
        shell: &shell,
        at: record.at,
        by: &record.by,
        reports: &reports,
        failures: &details.failures,
        issues: &details.issues,
        skipped: &details.skipped,
        waiting: waiting.as_ref(),
        form,
        errors,
    };
    Ok(respond::page(view::import::page(&page)))
}

impl Form {
    /// Returns the same form for another upload.
    fn anew(self, now: Timestamp) -> Self {
        Self { upload: UploadId::generate(now).to_string(), ..self }
    }
}

fn listing(record: &ImportRecord, names: &BTreeMap<&ServiceTenantId, &str>) -> view::imports::Import {
    let tenants: BTreeSet<_> = record.details.reports.iter().map(|report| &report.service_tenant_id).collect();
    let there = record.details.reports.iter().filter(|report| report.already_there).count();
    view::imports::Import {
        id: record.import_id.clone(),
        at: record.at,
        by: record.by.clone(),
        tenants: tenants.into_iter().filter_map(|id| names.get(id)).map(|name| (*name).to_owned()).collect(),
        files: record.files,
        added: record.details.reports.len() - there,
        already_there: there,
        failed: record.details.failures.len(),
    }
}

pub(super) fn options(form: &Form, is_empty: bool, now: Timestamp) -> Result<Options, Errors> {
    let mut errors = Errors::default();
    if is_empty {
        errors = errors.with("files", "No file was chosen. Choose the results of a tool.");
    }
    let completed_at = match form.completed_at.trim() {
        "" => None,
        text => {
            let time = text.parse().ok();
            if time.is_none() {
                errors = errors.with("completedAt", "Enter a date and a time, such as 2026-01-31T09:30:00Z.");
            }
            time
        }
    };
    let baseline = if form.as_baseline { BaselineChoice::AsBaseline } else { BaselineChoice::Newest };
    let tenant = Some(form.tenant.trim().to_owned()).filter(|tenant| !tenant.is_empty());
    match errors.is_empty() {
        true => Ok(Options { tenant, baseline, completed_at, ..Options::at(now) }),
        false => Err(errors),
    }
}
