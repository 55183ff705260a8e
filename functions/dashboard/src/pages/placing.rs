//! A tenant for runs that lack one: the form of an import, by which its files are imported again.

use axum::response::Response;
use model::{DisplayName, ImportId, ProviderTenantId, ServiceTenantId};
use operations::import::{ImportError, Upload, import_and_record};
use store::{ImportRecord, TenantError, Waiting};
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::imports::{options, shown};
use super::uploads::too_large;
use crate::view::import_tenant::NewTenant;
use crate::view::imports::Form;

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
