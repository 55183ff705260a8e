//! The task of a control: who is responsible for it, and by when.

use axum::response::Response;
use model::{ControlId, ReportId, ServiceTenantId, calendar_date};
use operations::tasks::{self, BadAssignment};
use serde::Deserialize;
use store::{Assignment, Task, TaskError};
use web::failure::Failure;
use web::input::{Asked, Fields, Named};
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::conflict;
use super::report::{Found, find};
use crate::view::tasks::Form;
use crate::view::{self, link, words};

#[derive(Deserialize)]
pub(crate) struct Of {
    pub(super) control: ControlId,
    #[serde(default)]
    pub(super) filter: String,
}

pub(super) type Address = Named<(ServiceTenantId, ReportId)>;

pub(crate) async fn ask(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Asked(Of { control, filter }): Asked<Of>,
) -> Result<Response, Failure> {
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let task = viewer.organization.task(&tenant, &control).await?;
    let form = Form { filter, ..Form::of(task.as_ref()) };
    page(&dashboard, &viewer, &found, &control, &form, &Errors::default()).await
}

pub(crate) async fn set(
    dashboard: Dashboard,
    viewer: Viewer,
    Named((tenant, report)): Address,
    Fields(form): Fields<Form>,
) -> Result<Response, Failure> {
    let control: ControlId = form.control.parse().map_err(|_| Failure::NotFound)?;
    let found = find(&dashboard, &viewer, &tenant, &report).await?;
    let wanted = viewer.resumed().map_or_else(|| wanted(&form), Err);
    let errors = match wanted {
        Ok(wanted) => match save(&viewer, (&tenant, &report), &control, wanted, &form).await {
            Ok(()) => return Ok(respond::see(&link::filtered_check(&tenant, &report, &form.filter, &control))),
            Err(TaskError::Store(error)) => return Err(error.into()),
            Err(TaskError::NoReport | TaskError::NoSuchControl(_)) => return Err(Failure::NotFound),
            Err(TaskError::ChangedMeanwhile) => {
                let task = viewer.organization.task(&tenant, &control).await?;
                return changed(&dashboard, &viewer, &found, &control, form, task.as_ref()).await;
            }
            Err(error) => Errors::default().with("", words::sentence(&error.to_string())),
        },
        Err(errors) => errors,
    };
    page(&dashboard, &viewer, &found, &control, &form, &errors).await
}

/// Sets the task, or removes it.
async fn save(
    viewer: &Viewer,
    (tenant, report): (&ServiceTenantId, &ReportId),
    control: &ControlId,
    wanted: Option<Assignment>,
    form: &Form,
) -> Result<(), TaskError> {
    let (writer, seen) = (viewer.writer(), Some(form.seen.parse().map_err(|_| TaskError::ChangedMeanwhile)?));
    match wanted {
        Some(wanted) => writer.set_task(report, control.as_str(), &wanted, seen).await.map(drop),
        None => writer.remove_task(tenant, control, seen).await,
    }
}

/// Reads the task that the form describes; `None` to remove it.
fn wanted(form: &Form) -> Result<Option<Assignment>, Errors> {
    match form.action.as_str() {
        "remove" => Ok(None),
        _ => assignment(&form.owner, &form.due, &form.note).map(Some),
    }
}

/// Reads the fields of a task.
pub(super) fn assignment(owner: &str, due: &str, note: &str) -> Result<Assignment, Errors> {
    let due = match due.trim() {
        "" => None,
        due => Some(calendar_date(due).ok_or_else(|| Errors::default().with("due", "Enter a day, or none."))?),
    };
    tasks::assignment(owner, due, note).map_err(|error| {
        let field = match error {
            BadAssignment::Empty | BadAssignment::Owner => "owner",
            BadAssignment::Note => "note",
        };
        Errors::default().with(field, words::sentence(&error.to_string()))
    })
}

/// Shows the form again, with what somebody else has saved since it was opened.
async fn changed(
    dashboard: &Dashboard,
    viewer: &Viewer,
    found: &Found,
    control: &ControlId,
    form: Form,
    task: Option<&Task>,
) -> Result<Response, Failure> {
    let now = Form::of(task);
    let fields =
        [("owner", &*form.owner, &*now.owner), ("due", &*form.due, &*now.due), ("note", &*form.note, &*now.note)];
    let errors = conflict::differences(fields);
    let form = Form { seen: now.seen, ..form };
    Ok(conflict::response(page(dashboard, viewer, found, control, &form, &errors).await?))
}

async fn page(
    dashboard: &Dashboard,
    viewer: &Viewer,
    found: &Found,
    control: &ControlId,
    form: &Form,
    errors: &Errors,
) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    let check = found.check(control.as_str())?;
    let page = view::tasks::Page { shell: &shell, head: &found.head, check, form, errors };
    Ok(respond::page(view::tasks::page(&page)))
}
