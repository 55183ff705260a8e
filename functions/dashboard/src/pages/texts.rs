//! Texts of the organization: why a control matters, and its fix, for all tenants.

use axum::response::Response;
use model::{ControlId, ReportId, ServiceTenantId};
use operations::texts::{self, BadTexts};
use serde::Deserialize;
use store::{TextError, Texts};
use web::failure::Failure;
use web::input::{Asked, Fields};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::conflict;
use super::report::find;
use crate::view::edits::field_name;
use crate::view::texts::{ADDRESS, Form, Page, Search};
use crate::view::{self, words};

#[derive(Deserialize)]
pub(crate) struct Of {
    control: ControlId,
    #[serde(default)]
    tool: String,
    /// The report whose check the form begins with.
    report: Option<ReportId>,
    tenant: Option<ServiceTenantId>,
}

pub(crate) async fn list(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(search): Asked<Search>,
) -> Result<Response, Failure> {
    let texts = viewer.organization.all_texts().await?;
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(view::texts::list(&shell, &texts, &search)))
}

pub(crate) async fn ask(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(Of { control, tool, report, tenant }): Asked<Of>,
) -> Result<Response, Failure> {
    let tool = Some(&*tool).filter(|tool| !tool.is_empty());
    let (tool, text) = viewer.organization.text_of(tool, &control).await.map_err(failure)?;
    let form = Form { tool, control: control.to_string(), ..Form::of(text) };
    let form = match tenant.zip(report) {
        Some((tenant, report)) if form.is_new() => {
            let found = find(&dashboard, &viewer, &tenant, &report).await?;
            form.with(found.check(control.as_str())?, found.mark(&control))
        }
        _ => form,
    };
    page(&dashboard, &viewer, &form, &Errors::default()).await
}

pub(crate) async fn set(dashboard: Dashboard, viewer: Viewer, Fields(form): Fields<Form>) -> Result<Response, Failure> {
    let control: ControlId = form.control.parse().map_err(|_| Failure::NotFound)?;
    let errors = match viewer.resumed().map_or_else(|| wanted(&form), Err) {
        Ok(wanted) => match save(&viewer, &control, wanted, &form).await {
            Ok(()) => return Ok(respond::see(ADDRESS)),
            Err(TextError::ChangedMeanwhile) => {
                let now = Form::of(viewer.organization.text(&form.tool, &control).await?);
                let fields =
                    [("why", &*form.why, &*now.why), ("suggestedFix", &*form.suggested_fix, &*now.suggested_fix)];
                let errors = conflict::differences(fields);
                let form = Form { seen: now.seen, ..form };
                return Ok(conflict::response(page(&dashboard, &viewer, &form, &errors).await?));
            }
            Err(error @ TextError::TooMany) => Errors::default().with("", words::sentence(&error.to_string())),
            Err(error) => return Err(failure(error)),
        },
        Err(errors) => errors,
    };
    page(&dashboard, &viewer, &form, &errors).await
}

fn failure(error: TextError) -> Failure {
    match error {
        TextError::Store(error) => error.into(),
        _ => Failure::NotFound,
    }
}

/// Sets the text, or removes it.
async fn save(viewer: &Viewer, control: &ControlId, wanted: Option<Texts>, form: &Form) -> Result<(), TextError> {
    let (writer, seen) = (viewer.writer(), Some(form.seen.parse().map_err(|_| TextError::ChangedMeanwhile)?));
    match wanted {
        Some(wanted) => writer.set_text((Some(&form.tool), control), &wanted, seen).await.map(drop),
        None => writer.remove_text(&form.tool, control, seen).await,
    }
}

/// Reads the text that the form describes; `None` to remove it.
fn wanted(form: &Form) -> Result<Option<Texts>, Errors> {
    if form.action == "remove" {
        return Ok(None);
    }
    texts::texts(&form.why, &form.suggested_fix).map(Some).map_err(|error| {
        let field = match error {
            BadTexts::Empty => "why",
            BadTexts::Bad(field) => field_name(field),
        };
        Errors::default().with(field, words::sentence(&error.to_string()))
    })
}

async fn page(dashboard: &Dashboard, viewer: &Viewer, form: &Form, errors: &Errors) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    Ok(respond::page(view::texts::page(&Page { shell: &shell, form, errors })))
}
