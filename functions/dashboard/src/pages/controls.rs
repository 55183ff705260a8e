//! The controls of all tenants, and the tenants of one control.

use axum::response::Response;
use futures_util::TryStreamExt;
use model::{ControlId, Label};
use store::{ControlResult, FleetControls, Located};
use web::failure::Failure;
use web::input::Asked;
use web::session::Viewer;
use web::{Dashboard, respond};

use crate::view::controls::{self, Filter, Form, One, Page};
use crate::view::csv;

/// A control with its tool and its results.
pub(super) type Found = (String, store::Control, Vec<ControlResult>);

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
        let shown = controls::arranged_results(&found.2, &filter).into_iter();
        let failing = shown.filter(|result| result.status.is_failing());
        form.chosen.extend(failing.map(|result| result.service_tenant_id.clone()));
    }
    page_of_one(&dashboard, &viewer, &found, &filter, &form).await
}

/// Returns the page of a control, with the form that edits it.
pub(super) async fn page_of_one(
    dashboard: &Dashboard,
    viewer: &Viewer,
    (tool, control, results): &Found,
    filter: &Filter,
    form: &Form,
) -> Result<Response, Failure> {
    let shell = viewer.shell(dashboard).await?;
    Ok(respond::page(controls::one(&One { shell: &shell, tool, control, results, filter, form })))
}

pub(crate) async fn download(viewer: Viewer, Asked(filter): Asked<Filter>) -> Result<Response, Failure> {
    if filter.control.is_empty() {
        let fleet = all(&viewer, &filter).await?;
        return Ok(respond::csv("controls.csv", csv::controls(&controls::arranged(&fleet.controls, &filter))));
    }
    let (tool, control, results) = one(&viewer, &filter).await?;
    let results = controls::arranged_results(&results, &filter);
    Ok(respond::csv("control.csv", csv::control(&tool, &control, &results)))
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
    let results: Vec<_> = fleet.results(&tool, &control.control_id, None, None).try_concat().await?;
    if results.is_empty() { Err(Failure::NotFound) } else { Ok((tool, control, results)) }
}
