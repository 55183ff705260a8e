//! The organizations that a person is a member of, and the change between them.

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use model::OrganizationId;
use serde::Deserialize;

use crate::failure::Failure;
use crate::input::Fields;
use crate::respond;
use crate::session::{Ticket, Viewer};
use crate::state::Dashboard;
use crate::view::{layout, organizations};

#[derive(Deserialize)]
pub(crate) struct Chosen {
    organization: OrganizationId,
}

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let mut listed = Vec::new();
    for membership in dashboard.store.memberships(&viewer.member.identity).await? {
        let organization = dashboard.store.organization(&membership.organization_id);
        if let Some(member) = organization.member(&membership.member_id).await? {
            let name = organization.name().await?;
            listed.push((layout::Organization { id: membership.organization_id, name }, member.role));
        }
    }
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(organizations::page(&organizations::Page { shell: &shell, organizations: &listed })))
}

/// Ends the session and begins one in another organization, of the same person.
pub(crate) async fn change(
    dashboard: Dashboard,
    viewer: Viewer,
    headers: HeaderMap,
    Fields(chosen): Fields<Chosen>,
) -> Result<Response, Failure> {
    let memberships = dashboard.store.memberships(&viewer.member.identity).await?;
    let chosen = memberships.into_iter().find(|membership| membership.organization_id == chosen.organization);
    let chosen = chosen.ok_or(Failure::NotFound)?;
    if let Some(ticket) = Ticket::of(&headers) {
        dashboard.store.sessions(&ticket.organization).end(&ticket.secret).await?;
    }
    let sessions = dashboard.store.sessions(&chosen.organization_id);
    let secret = sessions.begin(chosen.member_id.clone(), viewer.now).await?;
    let ticket = Ticket { organization: chosen.organization_id, member: chosen.member_id, secret };
    Ok((CookieJar::new().add(ticket.cookie()), Redirect::to("/")).into_response())
}
