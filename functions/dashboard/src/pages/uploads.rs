//! Files that are sent before their import, and the tenants that runs lack.

use axum::extract::multipart::{Field, Multipart, MultipartError};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use model::{DisplayName, ImportId, ProviderTenantId, ServiceTenantId, UploadId};
use operations::import::{ImportError, Upload, import_and_record};
use operations::{RESULT_SUFFIX, is_omitted};
use store::{ImportRecord, TenantError, UploadedFile, Waiting};
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::imports::{options, shown, too_large};
use crate::view::import_tenant::NewTenant;
use crate::view::imports::Form;

/// The form of an upload as it was sent.
#[derive(Default)]
pub(crate) struct Sent {
    pub(crate) form: Form,
    pub(crate) files: Files,
}

/// Files of an upload that came with a form.
#[derive(Clone, Default)]
pub(crate) struct Files {
    upload: Option<UploadId>,
    sent: Vec<UploadedFile>,
}

impl Files {
    /// Returns the upload: the files that are kept, then those that were sent.
    pub(crate) async fn upload(self, viewer: &Viewer) -> Result<Upload, Failure> {
        let id = self.upload.unwrap_or_else(|| UploadId::generate(viewer.now));
        let mut upload = Upload::read(&viewer.organization, id, viewer.now).await?;
        self.sent.into_iter().for_each(|file| upload.add(file));
        Ok(upload)
    }
}

/// Keeps files until the form is sent that imports them.
pub(crate) async fn keep(viewer: Viewer, sent: Sent) -> Result<Response, Failure> {
    let mut upload = sent.files.upload(&viewer).await?;
    upload.keep(&viewer.writer()).await.map_err(too_large)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Gives a tenant to runs that lack one, a new one or one of the organization, and imports their files again.
pub(crate) async fn place(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(id): Named<ImportId>,
    Fields(form): Fields<NewTenant>,
) -> Result<Response, Failure> {
    let record = viewer.organization.import(&id, viewer.now).await?.ok_or(Failure::NotFound)?;
    if let Some(errors) = viewer.resumed() {
        return shown(&dashboard, &viewer, record, &form, &errors).await;
    }
    let Some(waiting) = record.details.waiting.clone() else { return Err(Failure::NotFound) };
    let tenant = match chosen(&viewer, &waiting, &form).await? {
        Ok(tenant) => tenant,
        Err(errors) => return shown(&dashboard, &viewer, record, &form, &errors).await,
    };
    import(&viewer, record, waiting, tenant).await
}

/// Returns the tenant that a form gives to runs: one of the organization, or a new one, which is added.
async fn chosen(
    viewer: &Viewer,
    waiting: &Waiting,
    form: &NewTenant,
) -> Result<Result<ServiceTenantId, Errors>, Failure> {
    if let Ok(id) = form.tenant.parse::<ServiceTenantId>() {
        return Ok(Ok(super::tenants::find(&viewer.organization, &id).await?.service_tenant_id));
    }
    let mut errors = Errors::default();
    let (name, provider) =
        (form.name.parse::<DisplayName>(), form.provider_tenant_id.trim().parse::<ProviderTenantId>());
    if name.is_err() {
        errors = errors.with("name", super::tenants::BAD_NAME);
    }
    if provider.is_err() {
        errors = errors.with("providerTenantId", super::tenants::BAD_PROVIDER);
    }
    let (Ok(name), Ok(provider)) = (name, provider) else { return Ok(Err(errors)) };
    let is_asked_for = waiting.tenants.iter().any(|lacking| lacking.as_ref().is_none_or(|id| *id == provider));
    if !is_asked_for {
        return Ok(Err(errors.with("providerTenantId", "The files are of another tenant.")));
    }
    match viewer.writer().add_tenant(ServiceTenantId::generate(viewer.now), name, provider.clone()).await {
        Ok(tenant) => Ok(Ok(tenant.service_tenant_id)),
        // Somebody was faster: the files are for this tenant all the same.
        Err(TenantError::Exists) => {
            let tenant = viewer.organization.tenant_of_provider(&provider).await?.ok_or(Failure::NotFound)?;
            Ok(Ok(tenant.service_tenant_id))
        }
        Err(error) => Err(error.into()),
    }
}

/// Imports the files of an import again: for the tenant, if they do not name theirs.
async fn import(
    viewer: &Viewer,
    record: ImportRecord,
    waiting: Waiting,
    tenant: ServiceTenantId,
) -> Result<Response, Failure> {
    let upload = Upload::read(&viewer.organization, waiting.upload, viewer.now).await?;
    if upload.names().next().is_none() {
        let happened = "The files were kept for a day and are gone. The tenant is there: send them again.";
        return Err(Failure::Conflict(happened.to_owned()));
    }
    let is_unnamed = record.details.reports.is_empty() && waiting.tenants.iter().all(Option::is_none);
    let form = Form {
        tenant: if is_unnamed { tenant.to_string() } else { String::new() },
        completed_at: waiting.completed_at.map(|time| time.to_string()).unwrap_or_default(),
        as_baseline: waiting.as_baseline,
        ..Form::default()
    };
    let options = options(&form, false, viewer.now).map_err(|_| Failure::incomplete())?;
    match import_and_record(&viewer.organization, &viewer.actor(), upload, &options).await {
        Ok((id, _)) => Ok(respond::see(&format!("/imports/{id}"))),
        Err(ImportError::Store(error)) => Err(too_large(error)),
        Err(error) => Err(Failure::Conflict(error.to_string())),
    }
}

impl<S: Sync + Send> FromRequest<S> for Sent {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let mut fields = Multipart::from_request(request, state).await.map_err(|_| unreadable())?;
        let mut sent = Self::default();
        while let Some(field) = fields.next_field().await.map_err(refused)? {
            sent.add(field).await.map_err(refused)?;
        }
        sent.files.upload = sent.form.upload.parse().ok();
        Ok(sent)
    }
}

impl Sent {
    async fn add(&mut self, field: Field<'_>) -> Result<(), MultipartError> {
        let name = field.name().unwrap_or_default().to_owned();
        match name.as_str() {
            "files" => {
                let name = field.file_name().unwrap_or_default().to_owned();
                let content = field.bytes().await?;
                // Browsers send a nameless file if none is chosen.
                if !name.is_empty() && !comes_along(&name) {
                    self.files.sent.push(UploadedFile { name, content: content.into() });
                }
            }
            "upload" => self.form.upload = field.text().await?,
            "tenant" => self.form.tenant = field.text().await?,
            "completedAt" => self.form.completed_at = field.text().await?,
            "asBaseline" => self.form.as_baseline = true,
            _ => {}
        }
        Ok(())
    }
}

/// Returns whether a file comes along with others: the result of an earlier import, or a hidden file of a chosen folder.
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
