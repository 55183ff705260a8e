//! `GET /v1/events`: what changed in the organization, oldest first.
//!
//! Events are in the order in which they were written, by the clocks of those who wrote them, and a write can wait for
//! capacity. So an event can become readable after a later one, for a while. A cursor at the end of the list is therefore
//! never closer to the present than `OVERLAP`: events of the last minutes are returned again, with the same identifiers,
//! and none is missed.

mod parameters;

use api::response::{List, Row};
use api::{ApiError, App, Request, Response, TENANT_NOT_FOUND};
use chrono::TimeDelta;
use futures_util::stream;
use model::Timestamp;
use serde::Serialize;
use store::{EventPosition, EventSelection, EventsPage, StoreError};

use parameters::{Asked, Place};

pub use parameters::PARAMETERS;

/// The longest time after which an event becomes readable behind a later one: an invocation of 15 minutes can write with
/// the time of its beginning, and DynamoDB tolerates clocks that are wrong by 5 minutes.
const OVERLAP: TimeDelta = TimeDelta::minutes(20);

/// The fields after the number of events.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct End {
    next_cursor: String,
    up_to_date: bool,
}

/// Returns the events that the parameters select.
///
/// # Errors
/// 400 for a bad parameter, 404 for a tenant that is not in the organization, 5xx if the store fails.
pub async fn handle(app: App, request: Request) -> Result<Response, ApiError> {
    let organization = app.store.organization(&api::caller(&request)?);
    let asked = Asked::of(&request, organization.id())?;
    let tenant = match &asked.tenant {
        Some(reference) => Some(organization.find_tenant(reference).await?.ok_or(TENANT_NOT_FOUND)?.service_tenant_id),
        None => None,
    };
    let tag = app.tag("events", organization.id()).with(&asked).with(organization.events_state().await?);
    if let Some(response) = tag.not_modified(&request) {
        return Ok(response);
    }
    let now = Timestamp::try_from((app.clock)()).map_err(|error| ApiError::Internal(error.into()))?;
    let selection = EventSelection { after: asked.after(), until: None, kind: asked.kind, tenant, limit: asked.limit };
    let page = organization.events(&selection, now).await?;
    let next = next(&asked, &page, now);
    let end = move || End { next_cursor: asked.write(&next), up_to_date: next.walk_began.is_none() };
    let rows = page.events.into_iter().map(|event| Row::element(&event.linked(&app.dashboard_url))).collect();
    let rows = stream::iter([Ok::<_, StoreError>(rows)]);
    api::list(&request, &tag, List::new("events", "totalEvents", rows).ending(end)).await
}

/// Returns the place at which the next page begins. A walk that ends goes back to [`OVERLAP`] before its beginning, because
/// what it read first may have been incomplete.
fn next(asked: &Asked, page: &EventsPage, now: Timestamp) -> Place {
    let began = asked.walk_began().unwrap_or(now);
    if !page.is_last {
        let position = page.next.clone().unwrap_or(EventPosition::at(began));
        return Place { position, walk_began: Some(began) };
    }
    let complete = Timestamp::try_from(began.to_datetime() - OVERLAP).unwrap_or(began);
    let complete = EventPosition::at(complete).max(asked.earliest());
    let position = page.next.clone().map_or(complete.clone(), |next| next.min(complete));
    Place { position, walk_began: None }
}
