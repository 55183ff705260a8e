//! The controls of all tools.

use api::response::{List, Row};
use api::{ApiError, App, Request, Response, cursor};
use futures_util::stream;
use model::{Control, ControlListItem};
use store::{FleetControl, StoreError};

use crate::parameters::{Listed, Position};

/// Returns the controls that the parameters select, by tool and identifier.
pub(crate) async fn handle(app: App, request: &Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(request)?);
    let asked = Listed::of(request, organization.id())?;
    let tag = app.tag("controls", organization.id()).with(&asked).with(organization.fleet_state().await?);
    if let Some(response) = tag.not_modified(request) {
        return Ok(response);
    }
    let fleet = organization.fleet().await?.controls(asked.tool.as_deref(), asked.label.as_ref()).await?;
    let mut selected = fleet.controls.into_iter().filter(|control| asked.selects(control));
    let page: Vec<_> = selected.by_ref().take(asked.limit).collect();
    let last = page.last().filter(|_| selected.next().is_some());
    let next_cursor = last.map(|last| cursor::write(&asked.list(), &Position::of(last).to_string()));
    let rows = page.into_iter().map(|control| Row::element(&listed(control))).collect();
    let rows = stream::iter([Ok::<_, StoreError>(rows)]);
    api::list(request, &tag, List::new("controls", "totalControls", rows).paged(move || next_cursor.clone())).await
}

fn listed(FleetControl { tool, control, tenants, accepted }: FleetControl) -> ControlListItem {
    ControlListItem { control: described(tool, control), tenants, accepted_risks: accepted }
}

pub(crate) fn described(tool: String, control: store::Control) -> Control {
    let store::Control { control_id, name, category, severity } = control;
    Control { control_id, name, category, severity, tool }
}
