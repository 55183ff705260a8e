//! Imports by upload, and their results.

use std::collections::BTreeMap;

use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{self, MethodRouter};
use futures_util::{TryStreamExt, stream};
use model::{ImportId, TenantListItem, Timestamp};
use operations::import::{BaselineChoice, ImportError, Options, import_and_record};
use operations::{InputFile, RESULT_SUFFIX, is_omitted};
use store::{ImportRecord, ImportedReport};

use crate::failure::Failure;
use crate::input::Named;
use crate::respond;
use crate::session::Viewer;
use crate::state::Dashboard;
use crate::view;
use crate::view::form::Errors;
use crate::view::imports::Form;

/// Maximum size of an upload in bytes. An invocation of a function takes 6 MB, in which the upload is written in Base64.
pub(crate) const LIMIT: usize = 4_000_000;
/// Room for the form's other fields and for the names of its files, in bytes.
const REST_OF_FORM: usize = 250_000;
/// Maximum size of a form in bytes.
pub(crate) const LARGEST_FORM: usize = LIMIT + REST_OF_FORM;
/// Imports that are listed.
const LISTED: usize = 50;

/// A form with files.
#[derive(Default)]
struct Upload {
    form: Form,
    files: Vec<(String, Vec<u8>)>,
}

/// Returns the service that takes uploads, with its limit.
pub(crate) fn receiver() -> MethodRouter {
    routing::post(upload).layer(DefaultBodyLimit::max(LARGEST_FORM))
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    listed(&dashboard, &viewer, &Form::default(), Errors::default()).await
}

async fn listed(dashboard: &Dashboard, viewer: &Viewer, form: &Form, errors: Errors) -> Result<Response, Failure> {
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let tenants: Vec<_> = tenants.into_iter().map(TenantListItem::from).collect();
    let imports: Vec<_> = viewer.organization.imports(LISTED).await?.iter().map(listing).collect();
    let shell = viewer.shell(dashboard).await?;
    let limit = LIMIT as u64;
    let page =
        view::imports::Page { shell: &shell, tenants: &tenants, form, errors: &errors, limit, imports: &imports };
    Ok(respond::page(view::imports::page(&page)))
}

async fn upload(dashboard: Dashboard, viewer: Viewer, Upload { form, files }: Upload) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, &form, errors).await;
    }
    let options = match options(&form, files.is_empty(), viewer.now) {
        Ok(options) => options,
        Err(errors) => return listed(&dashboard, &viewer, &form, errors).await,
    };
    let files = stream::iter(files.into_iter().map(input_file));
    let imported = import_and_record(&viewer.organization, &viewer.actor(), files, &options, &mut ()).await;
    match imported {
        Ok((id, _)) => Ok(respond::see(&format!("/imports/{id}"))),
        Err(ImportError::Store(error)) => Err(error.into()),
        Err(error) => {
            let errors = Errors::default().with("tenant", error.to_string());
            listed(&dashboard, &viewer, &form, errors).await
        }
    }
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<ImportId>,
) -> Result<Response, Failure> {
    let record = viewer.organization.import(&id).await?.ok_or(Failure::NotFound)?;
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let names: BTreeMap<_, _> = tenants.into_iter().map(|tenant| (tenant.service_tenant_id, tenant.name)).collect();
    let details = record.details;
    let report = |record: ImportedReport| view::import::Report {
        tenant_name: names.get(&record.service_tenant_id).cloned(),
        record,
    };
    let reports: Vec<_> = details.reports.into_iter().map(report).collect();
    let shell = viewer.shell(&dashboard).await?;
    let page = view::import::Page {
        shell: &shell,
        at: record.at,
        by: &record.by,
        reports: &reports,
        failures: &details.failures,
        issues: &details.issues,
        skipped: &details.skipped,
    };
    Ok(respond::page(view::import::page(&page)))
}

fn listing(record: &ImportRecord) -> view::imports::Import {
    let there = record.details.reports.iter().filter(|report| report.already_there).count();
    view::imports::Import {
        id: record.import_id.clone(),
        at: record.at,
        by: record.by.clone(),
        files: record.files,
        added: record.details.reports.len() - there,
        already_there: there,
        failed: record.details.failures.len(),
    }
}

fn options(form: &Form, is_empty: bool, now: Timestamp) -> Result<Options, Errors> {
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

impl<S: Sync + Send> FromRequest<S> for Upload {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let mut fields = Multipart::from_request(request, state).await.map_err(|_| unreadable())?;
        let mut upload = Self::default();
        while let Some(field) = fields.next_field().await.map_err(refused)? {
            upload.add(field).await.map_err(refused)?;
        }
        Ok(upload)
    }
}

impl Upload {
    async fn add(&mut self, field: Field<'_>) -> Result<(), MultipartError> {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "files" => {
                let file = field.file_name().unwrap_or_default().to_owned();
                let content = field.bytes().await?;
                // Browsers send a nameless file if none is chosen.
                if !file.is_empty() && !comes_along(&file) {
                    self.files.push((file, content.into()));
                }
            }
            "tenant" => self.form.tenant = field.text().await?,
            "completedAt" => self.form.completed_at = field.text().await?,
            "asBaseline" => self.form.as_baseline = true,
            _ => {}
        }
        Ok(())
    }
}

/// Returns a file to import. In a folder, a file of another kind is skipped.
fn input_file((name, content): (String, Vec<u8>)) -> InputFile<'static> {
    let is_found = name.contains('/');
    let file = InputFile::new(name, content);
    if is_found { file.found() } else { file }
}

/// Returns whether a file is not meant to be imported: the result of an earlier import, or a hidden file of a chosen
/// folder.
fn comes_along(file: &str) -> bool {
    file.ends_with(RESULT_SUFFIX) || file.split('/').skip(1).any(is_omitted)
}

fn unreadable() -> Failure {
    Failure::Invalid {
        happened: "The upload cannot be read, so nothing was imported.".to_owned(),
        advice: "Go back and send the files again.",
    }
}

fn refused(error: MultipartError) -> Failure {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Failure::TooLarge,
        _ => unreadable(),
    }
}
