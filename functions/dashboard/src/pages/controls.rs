//! The controls of all tenants, and the tenants of one control.

use axum::response::Response;
use futures_util::TryStreamExt;
use model::{ControlId, Label};
use store::{ControlResult, FleetControls, Located};
use web::failure::Failure;
use web::input::Asked;
use web::session::Viewer;
use web::{Dashboard, respond};

use crate::view::controls::{self, Filter, One, Page};
use crate::view::csv;

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
    let (tool, control, results) = one(&viewer, &filter).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = One { shell: &shell, tool: &tool, control: &control, results: &results, filter: &filter };
    Ok(respond::page(controls::one(&page)))
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
async fn one(viewer: &Viewer, filter: &Filter) -> Result<(String, store::Control, Vec<ControlResult>), Failure> {
    let control: ControlId = filter.control.parse().map_err(|_| Failure::NotFound)?;
    let fleet = viewer.organization.fleet().await?;
    let tool = Some(&*filter.tool).filter(|tool| !tool.is_empty());
    let Located::In { tool, control } = fleet.locate(&control, tool).await? else {
        return Err(Failure::NotFound);
    };
    let results: Vec<_> = fleet.results(&tool, &control.control_id, None, None).try_concat().await?;
    if results.is_empty() { Err(Failure::NotFound) } else { Ok((tool, control, results)) }
}
