//! Tenants: the list, one with its history, and what changes them.

use std::collections::BTreeSet;

use axum::response::Response;
use futures_util::TryStreamExt;
use model::{DisplayName, Label, ObjectId, ProviderTenantId, ServiceTenantId, TenantListItem};
use operations::leading_first;
use serde::Deserialize;
use store::{Organization, ReportRequest, ReportSummary, Selection, TenantError, TenantRecord};
use web::failure::Failure;
use web::input::{Asked, Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::{MOST, schedules};
use crate::view::tenants::Form;
use crate::view::{self, csv, link};

/// What is wrong with a name that is no [`DisplayName`].
pub(super) const BAD_NAME: &str = "Enter a name of 1 to 200 characters on one line.";

/// Number of users and groups that can be declared as emergency access: of more, no rule accepts the exclusion.
const MOST_EMERGENCY_ACCESS: usize = 3;
const BAD_OBJECTS: &str =
    "Enter up to three object IDs, one on each line, such as 01234567-89ab-cdef-0123-456789abcdef.";

const BAD_LABELS: &str = "Enter up to 20 labels of up to 40 characters, separated by commas.";

/// The message for an identifier that is not a [`ProviderTenantId`].
pub(super) const BAD_PROVIDER: &str = "Enter a GUID, such as 01234567-89ab-cdef-0123-456789abcdef.";

#[derive(Deserialize)]
pub(crate) struct NewName {
    name: String,
}

#[derive(Deserialize)]
pub(crate) struct Lead {
    tool: String,
}

#[derive(Deserialize)]
pub(crate) struct Labels {
    labels: String,
}

#[derive(Deserialize)]
pub(crate) struct EmergencyAccess {
    objects: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Search {
    q: String,
    label: String,
}

pub(crate) async fn list(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(search): Asked<Search>,
) -> Result<Response, Failure> {
    shown_list(&dashboard, &viewer, &search, &Form::default(), &Errors::default()).await
}

async fn listed(dashboard: &Dashboard, viewer: &Viewer, form: &Form, errors: Errors) -> Result<Response, Failure> {
    shown_list(dashboard, viewer, &Search::default(), form, &errors).await
}

async fn shown_list(
    dashboard: &Dashboard,
    viewer: &Viewer,
    search: &Search,
    form: &Form,
    errors: &Errors,
) -> Result<Response, Failure> {
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let tenants: Vec<_> = tenants.into_iter().map(TenantListItem::from).collect();
    let shell = viewer.shell(dashboard).await?;
    let page =
        view::tenants::Page { shell: &shell, tenants: &tenants, q: &search.q, label: &search.label, form, errors };
    Ok(respond::page(view::tenants::page(&page)))
}

pub(crate) async fn add(dashboard: Dashboard, viewer: Viewer, Fields(form): Fields<Form>) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        return listed(&dashboard, &viewer, &form, errors).await;
    }
    let mut errors = Errors::default();
    let (name, provider) =
        (form.name.parse::<DisplayName>(), form.provider_tenant_id.trim().parse::<ProviderTenantId>());
    if name.is_err() {
        errors = errors.with("name", BAD_NAME);
    }
    if provider.is_err() {
        errors = errors.with("providerTenantId", BAD_PROVIDER);
    }
    let (Ok(name), Ok(provider)) = (name, provider) else {
        return listed(&dashboard, &viewer, &form, errors).await;
    };
    match viewer.writer().add_tenant(ServiceTenantId::generate(viewer.now), name, provider).await {
        Ok(tenant) => Ok(respond::see(&link::tenant(&tenant.service_tenant_id))),
        Err(TenantError::Exists) => {
            let errors = errors.with("providerTenantId", "Another tenant of your organization has this identifier.");
            listed(&dashboard, &viewer, &form, errors).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = find(&viewer.organization, &tenant).await?;
    shown(&dashboard, &viewer, tenant, Typed::default(), Errors::default()).await
}

/// The input in the forms of a tenant's page, shown again after an error.
#[derive(Default)]
struct Typed {
    name: Option<String>,
    labels: Option<String>,
    emergency_access: Option<String>,
}

async fn shown(
    dashboard: &Dashboard,
    viewer: &Viewer,
    tenant: TenantRecord,
    typed: Typed,
    errors: Errors,
) -> Result<Response, Failure> {
    let reports = reports(&viewer.organization, &tenant).await?;
    let request = viewer.organization.report_request(&tenant.service_tenant_id, viewer.now).await?;
    let schedules = viewer.organization.schedules().await?;
    let connection = viewer.organization.connection(&tenant.service_tenant_id).await?;
    let is_halted = request.as_ref().is_some_and(|request| request.is_halted(connection.as_ref()));
    let schedule = schedules::of_tenant(schedules.as_ref(), &tenant, &reports, is_halted, viewer.now);
    let shell = viewer.shell(dashboard).await?;
    let leading_tool = tenant.leading_tool.clone();
    let declared = || tenant.emergency_access.iter().map(ObjectId::as_str).collect::<Vec<_>>().join("\n");
    let emergency_access = typed.emergency_access.unwrap_or_else(declared);
    let labels = || tenant.labels.iter().map(Label::as_str).collect::<Vec<_>>().join(", ");
    let labels = typed.labels.unwrap_or_else(labels);
    let typed_name = typed.name.unwrap_or_else(|| tenant.name.clone());
    let newest = leading_first(newest_of_tools(&reports), leading_tool.as_deref());
    let page = view::tenant::Page {
        shell: &shell,
        tenant: &tenant.into(),
        reports: &reports,
        newest: &newest,
        leading_tool: leading_tool.as_deref(),
        request: request.as_ref(),
        schedule: &schedule,
        connection: connection.as_ref(),
        typed_name: &typed_name,
        labels: &labels,
        emergency_access: &emergency_access,
        errors: &errors,
    };
    let response = respond::page(view::tenant::page(&page));
    let is_open = request.as_ref().is_some_and(ReportRequest::is_open);
    Ok(if is_open { respond::refreshing(response, view::report_request::REFRESH) } else { response })
}

pub(crate) async fn download(viewer: Viewer, Named(tenant): Named<ServiceTenantId>) -> Result<Response, Failure> {
    let tenant = find(&viewer.organization, &tenant).await?;
    Ok(respond::csv("reports.csv", csv::reports(&reports(&viewer.organization, &tenant).await?)))
}

pub(crate) async fn rename(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(NewName { name }): Fields<NewName>,
) -> Result<Response, Failure> {
    if let Some(errors) = viewer.resumed() {
        let tenant = find(&viewer.organization, &tenant).await?;
        return shown(&dashboard, &viewer, tenant, Typed { name: Some(name), ..Typed::default() }, errors).await;
    }
    let Ok(new) = name.parse::<DisplayName>() else {
        let tenant = find(&viewer.organization, &tenant).await?;
        let errors = Errors::default().with("name", BAD_NAME);
        return shown(&dashboard, &viewer, tenant, Typed { name: Some(name), ..Typed::default() }, errors).await;
    };
    viewer.writer().rename_tenant(&tenant, &new).await?;
    Ok(respond::see(&link::tenant(&tenant)))
}

/// Chooses the tool that leads among those of a tenant.
pub(crate) async fn lead(
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(Lead { tool }): Fields<Lead>,
) -> Result<Response, Failure> {
    let chosen = Some(&*tool).filter(|tool| !tool.is_empty());
    if let Some(tool) = chosen {
        let reports = reports(&viewer.organization, &find(&viewer.organization, &tenant).await?).await?;
        reports.iter().find(|report| report.tool == tool).ok_or_else(Failure::incomplete)?;
    }
    viewer.writer().lead_tenant(&tenant, chosen).await?;
    Ok(respond::see(&link::tenant(&tenant)))
}

/// Gives a tenant labels.
pub(crate) async fn label(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(Labels { labels: typed }): Fields<Labels>,
) -> Result<Response, Failure> {
    let labels = typed.split(',').filter(|label| !label.trim().is_empty()).map(|label| label.parse().ok());
    let labels = labels.collect::<Option<BTreeSet<Label>>>().filter(|labels| labels.len() <= Label::MOST);
    let errors = match (viewer.resumed(), labels) {
        (None, Some(labels)) => {
            viewer.writer().label_tenant(&tenant, &labels).await?;
            return Ok(respond::see(&link::tenant(&tenant)));
        }
        (Some(errors), _) => errors,
        (None, None) => Errors::default().with("labels", BAD_LABELS),
    };
    let tenant = find(&viewer.organization, &tenant).await?;
    shown(&dashboard, &viewer, tenant, Typed { labels: Some(typed), ..Typed::default() }, errors).await
}

/// Declares the users and groups that policies may exclude as emergency access.
pub(crate) async fn declare_emergency_access(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(EmergencyAccess { objects: typed }): Fields<EmergencyAccess>,
) -> Result<Response, Failure> {
    let objects: Option<Vec<ObjectId>> = typed.split_whitespace().map(|object| object.parse().ok()).collect();
    let errors = match (viewer.resumed(), objects.filter(|objects| objects.len() <= MOST_EMERGENCY_ACCESS)) {
        (None, Some(objects)) => {
            viewer.writer().declare_emergency_access(&tenant, &objects).await?;
            return Ok(respond::see(&link::tenant(&tenant)));
        }
        (Some(errors), _) => errors,
        (None, None) => Errors::default().with("objects", BAD_OBJECTS),
    };
    let tenant = find(&viewer.organization, &tenant).await?;
    let typed = Typed { emergency_access: Some(typed), ..Typed::default() };
    shown(&dashboard, &viewer, tenant, typed, errors).await
}

pub(crate) async fn ask_pause(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = find(&viewer.organization, &tenant).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = view::tenant_question::Page { shell: &shell, tenant: &tenant.service_tenant_id, name: &tenant.name };
    Ok(respond::page(page.pause()))
}

pub(crate) async fn pause(viewer: Viewer, Named(tenant): Named<ServiceTenantId>) -> Result<Response, Failure> {
    set_paused(&viewer, &tenant, true).await
}

pub(crate) async fn resume(viewer: Viewer, Named(tenant): Named<ServiceTenantId>) -> Result<Response, Failure> {
    set_paused(&viewer, &tenant, false).await
}

async fn set_paused(viewer: &Viewer, tenant: &ServiceTenantId, paused: bool) -> Result<Response, Failure> {
    viewer.writer().pause_tenant(tenant, paused).await?;
    Ok(respond::see(&link::tenant(tenant)))
}

pub(crate) async fn ask_removal(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = to_remove(&viewer, &tenant).await?;
    removal(&dashboard, &viewer, &tenant, "", Errors::default()).await
}

pub(crate) async fn remove(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(NewName { name }): Fields<NewName>,
) -> Result<Response, Failure> {
    let tenant = to_remove(&viewer, &tenant).await?;
    if let Some(errors) = viewer.resumed() {
        return removal(&dashboard, &viewer, &tenant, &name, errors).await;
    }
    if name.trim() != tenant.name.trim() {
        let errors = Errors::default().with("name", "This is not the tenant's name. Type it as it is shown.");
        return removal(&dashboard, &viewer, &tenant, &name, errors).await;
    }
    viewer.admin_writer()?.remove_tenant(&tenant.service_tenant_id).await?;
    Ok(respond::see("/tenants"))
}

/// Returns a tenant to remove, also one whose removal another request began and did not complete.
async fn to_remove(viewer: &Viewer, tenant: &ServiceTenantId) -> Result<TenantRecord, Failure> {
    viewer.organization.tenant_to_remove(tenant).await?.ok_or(Failure::NotFound)
}

async fn removal(
    dashboard: &Dashboard,
    viewer: &Viewer,
    tenant: &TenantRecord,
    typed: &str,
    errors: Errors,
) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    let page = view::tenant_question::Page { shell: &shell, tenant: &tenant.service_tenant_id, name: &tenant.name };
    Ok(respond::page(page.removal(typed, &errors)))
}

/// Returns the tenant of the organization, unless it is removed.
pub(super) async fn find(organization: &Organization, id: &ServiceTenantId) -> Result<TenantRecord, Failure> {
    organization.tenant(id).await?.ok_or(Failure::NotFound)
}

/// Returns the reports of a tenant, newest first. Reads no bodies.
pub(super) async fn reports(organization: &Organization, tenant: &TenantRecord) -> Result<Vec<ReportSummary>, Failure> {
    let listed = organization.select(Selection::history(MOST).of(tenant.clone())).listed().await?;
    Ok(listed.into_iter().map(|listed| listed.summary).collect())
}

/// The newest report of each tool, of reports that are newest first.
fn newest_of_tools(reports: &[ReportSummary]) -> Vec<ReportSummary> {
    let mut newest: Vec<ReportSummary> = Vec::new();
    for report in reports {
        if newest.iter().all(|other| other.tool != report.tool) {
            newest.push(report.clone());
        }
    }
    newest
}
