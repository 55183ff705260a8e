//! The organizations that a person is a member of, and the change between them.

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use web::failure::Failure;
use web::sent::Sent;
use web::session::{Ticket, Viewer};
use web::view::form::{ORGANIZATION, RESUME, TO};
use web::view::layout;
use web::{Dashboard, respond};

use crate::view::organizations;

pub(crate) async fn list(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let mut listed = Vec::new();
    for membership in dashboard.store.memberships(&viewer.member.identity).await? {
        if let Some(member) = dashboard.store.member_of(&membership, &viewer.member.identity).await? {
            let name = dashboard.store.organization(&membership.organization_id).name().await?;
            listed.push((layout::Organization { id: membership.organization_id, name }, member.role));
        }
    }
    let shell = viewer.shell(&dashboard).await?;
    Ok(respond::page(organizations::page(&organizations::Page { shell: &shell, organizations: &listed })))
}

/// Ends the session and begins one in another organization, of the same person. Continues with the page that was asked
/// for, or with a form that was for the other organization.
pub(crate) async fn change(
    dashboard: Dashboard,
    viewer: Viewer,
    headers: HeaderMap,
    sent: Sent,
) -> Result<Response, Failure> {
    let memberships = dashboard.store.memberships(&viewer.member.identity).await?;
    let chosen = memberships.into_iter().find(|of| sent.text(ORGANIZATION) == Some(of.organization_id.as_str()));
    let chosen = chosen.ok_or(Failure::NotFound)?;
    let cookies = dashboard.cookies();
    if let Some(ticket) = Ticket::of(cookies, &headers) {
        dashboard.store.sessions(&ticket.organization).end(&ticket.secret, &ticket.member, viewer.now).await?;
    }
    let sessions = dashboard.store.sessions(&chosen.organization_id);
    let secret = sessions.begin(chosen.member_id.clone(), viewer.now).await?;
    let ticket = Ticket { organization: chosen.organization_id, member: chosen.member_id, secret };
    let path = |field| sent.text(field).filter(|path| respond::is_own_path(path));
    let next = match path(RESUME) {
        Some(form) => Redirect::temporary(form),
        None => Redirect::to(path(TO).unwrap_or("/")),
    };
    Ok((CookieJar::new().add(ticket.cookie(cookies)), next).into_response())
}
