//! The controls of all tenants, and the tenants of one control.

use std::collections::BTreeMap;

use axum::response::Response;
use futures_util::TryStreamExt;
use futures_util::future::try_join;
use model::{ControlId, Label, ServiceTenantId};
use store::{ControlResult, FleetControls, Located, Task};
use web::failure::Failure;
use web::input::Asked;
use web::session::Viewer;
use web::{Dashboard, respond};

use crate::view::controls::{self, Filter, Form, One, Page};
use crate::view::csv;

/// A control that was found.
pub(super) struct Found {
    pub(super) tool: String,
    pub(super) control: store::Control,
    pub(super) results: Vec<ControlResult>,
    /// Its tasks.
    tasks: BTreeMap<ServiceTenantId, Task>,
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(filter): Asked<Filter>,
) -> Result<Response, Failure> {
    if filter.control.is_empty() {
        let fleet = all(&viewer, &filter).await?;
        let shell = viewer.shell(&dashboard).await?;
        return Ok(respond::page(controls::page(&Page { shell: &shell, fleet: &fleet, filter: &filter })));
    }
    let found = one(&viewer, &filter).await?;
    let mut form = Form::default();
    if filter.chosen == "all" {
        let shown = controls::arranged_results(&found.results, (&found.tasks, viewer.now), &filter).into_iter();
        let failing = shown.filter(|result| result.status.is_failing());
        form.chosen.extend(failing.map(|result| result.service_tenant_id.clone()));
    }
    page_of_one(&dashboard, &viewer, &found, &filter, &form).await
}

/// Returns the page of a control, with the form that edits it.
pub(super) async fn page_of_one(
    dashboard: &Dashboard,
    viewer: &Viewer,
    Found { tool, control, results, tasks }: &Found,
    filter: &Filter,
    form: &Form,
) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    Ok(respond::page(controls::one(&One {
        shell: &shell,
        tool,
        control,
        results,
        tasks,
        filter,
        form,
        now: viewer.now,
    })))
}

pub(crate) async fn download(viewer: Viewer, Asked(filter): Asked<Filter>) -> Result<Response, Failure> {
    if filter.control.is_empty() {
        let fleet = all(&viewer, &filter).await?;
        return Ok(respond::csv("controls.csv", csv::controls(&controls::arranged(&fleet.controls, &filter))));
    }
    let Found { tool, control, results, tasks } = one(&viewer, &filter).await?;
    let results = controls::arranged_results(&results, (&tasks, viewer.now), &filter);
    Ok(respond::csv("control.csv", csv::control(&tool, &control, &results, &tasks)))
}

async fn all(viewer: &Viewer, filter: &Filter) -> Result<FleetControls, Failure> {
    let label: Option<Label> = filter.label.parse().ok();
    Ok(viewer.organization.fleet().await?.controls(None, label.as_ref()).await?)
}

/// Returns the control that the address names, with its results.
pub(super) async fn one(viewer: &Viewer, filter: &Filter) -> Result<Found, Failure> {
    let control: ControlId = filter.control.parse().map_err(|_| Failure::NotFound)?;
    let fleet = viewer.organization.fleet().await?;
    let tool = Some(&*filter.tool).filter(|tool| !tool.is_empty());
    let Located::In { tool, control } = fleet.locate(&control, tool).await? else {
        return Err(Failure::NotFound);
    };
    let results = fleet.results(&tool, &control.control_id, None, None).try_concat();
    let (results, mut tasks) = try_join(results, viewer.organization.all_tasks()).await?;
    tasks.retain(|task| task.control_id == control.control_id);
    let tasks = tasks.into_iter().map(|task| (task.service_tenant_id.clone(), task)).collect();
    let found = Found { tool, control, results, tasks };
    if found.results.is_empty() { Err(Failure::NotFound) } else { Ok(found) }
}
