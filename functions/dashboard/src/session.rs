//! Sessions: who is signed in, checked on every request against the table.

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use model::{Actor, MemberId, OrganizationId, Secret, Timestamp};
use store::{AdminWriter, MemberRecord, Organization, Writer};

use crate::access::Access;
use crate::failure::{Failure, Shown};
use crate::state::Dashboard;
use crate::view::layout;

/// Name of the session's cookie. Browsers keep `__Host-` cookies from other hosts, ports of this host aside.
pub(crate) const COOKIE: &str = "__Host-posture-session";
/// Separates the cookie's fields; never occurs in an identifier.
const SEPARATOR: char = '~';

/// The signed-in person in an organization, as of this request.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    pub(crate) organization: Organization,
    pub(crate) member: MemberRecord,
    pub(crate) now: Timestamp,
}

/// The cookie's content.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub(crate) organization: OrganizationId,
    pub(crate) member: MemberId,
    pub(crate) secret: Secret,
}

impl Ticket {
    /// Returns the ticket in a request.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let jar = CookieJar::from_headers(headers);
        let mut fields = jar.get(COOKIE)?.value().split(SEPARATOR);
        let ticket = Self {
            organization: fields.next()?.parse().ok()?,
            member: fields.next()?.parse().ok()?,
            secret: fields.next()?.parse().ok()?,
        };
        fields.next().is_none().then_some(ticket)
    }

    /// Returns the cookie that contains the ticket.
    pub(crate) fn cookie(&self) -> Cookie<'static> {
        let value = [self.organization.as_str(), self.member.as_str(), self.secret.reveal()];
        cookie(COOKIE, value.join(&SEPARATOR.to_string()))
    }
}

/// Returns a cookie for this host only, over TLS, hidden from scripts, and not sent with forms of other sites.
pub(crate) fn cookie(name: &'static str, value: String) -> Cookie<'static> {
    Cookie::build((name, value)).path("/").secure(true).http_only(true).same_site(SameSite::Lax).build()
}

/// Passes the request to its handler if the caller may use the route.
pub(crate) async fn guard(
    State(access): State<Access>,
    dashboard: Dashboard,
    mut request: Request,
    next: Next,
) -> Result<Response, Failure> {
    if access == Access::Public {
        return Ok(next.run(request).await);
    }
    let viewer = viewer(&dashboard, request.headers()).await?;
    let viewer = viewer.ok_or_else(|| Failure::SignedOut { to: return_address(&request) })?;
    let response = if access.allows(viewer.member.role) {
        request.extensions_mut().insert(viewer.clone());
        next.run(request).await
    } else {
        Failure::Forbidden.into_response()
    };
    Ok(viewer.framed(&dashboard, response).await)
}

/// Responds to a request that no route matches.
pub(crate) async fn nowhere(dashboard: Dashboard, headers: HeaderMap) -> Response {
    let response = Failure::NotFound.into_response();
    match viewer(&dashboard, &headers).await {
        Ok(Some(viewer)) => viewer.framed(&dashboard, response).await,
        _ => response,
    }
}

/// Returns the member whose session a request belongs to.
async fn viewer(dashboard: &Dashboard, headers: &HeaderMap) -> Result<Option<Viewer>, Failure> {
    let Some(ticket) = Ticket::of(headers) else { return Ok(None) };
    let organization = dashboard.store.organization(&ticket.organization);
    let (sessions, now) = (dashboard.store.sessions(&ticket.organization), dashboard.now());
    let member = sessions.member(&ticket.secret, &ticket.member, now).await?;
    Ok(member.map(|member| Viewer { organization, member, now }))
}

/// Returns the address to return to after signing in: only pages, because a form cannot be sent again.
fn return_address(request: &Request) -> Option<String> {
    let read = request.method() == Method::GET;
    read.then(|| request.uri().path_and_query().map(|address| address.as_str().to_owned())).flatten()
}

impl Viewer {
    /// Puts the page of a failure into the frame of the viewer's pages.
    async fn framed(&self, dashboard: &Dashboard, response: Response) -> Response {
        let Some(shown) = response.extensions().get::<Shown>() else { return response };
        match self.shell(dashboard).await {
            Ok(shell) => shown.page(Some(&shell)),
            // The table cannot be read, which is what the page is about.
            Err(_) => response,
        }
    }

    /// Returns who performs the operations of this request.
    pub(crate) fn actor(&self) -> Actor {
        Actor::member(&self.member.member_id, self.member.name.clone(), self.member.role)
    }

    /// Returns the changes that the viewer may make.
    pub(crate) fn writer(&self) -> Writer {
        self.organization.by(&self.actor(), self.now)
    }

    /// Returns the changes that the viewer may make as an Admin.
    pub(crate) fn admin_writer(&self) -> Result<AdminWriter, Failure> {
        Ok(self.organization.by_admin(&self.actor().admin()?, self.now))
    }

    /// Returns the frame of the viewer's pages.
    pub(crate) async fn shell(&self, dashboard: &Dashboard) -> Result<layout::Shell, Failure> {
        let mut others = Vec::new();
        for membership in dashboard.store.memberships(&self.member.identity).await? {
            if membership.organization_id != *self.organization.id()
                && let Some(record) = dashboard.store.organization(&membership.organization_id).record().await?
            {
                others.push(layout::Organization { id: record.organization_id, name: record.name });
            }
        }
        let organization =
            layout::Organization { id: self.organization.id().clone(), name: self.organization.name().await? };
        let viewer = layout::Viewer {
            name: self.member.name.clone(),
            email: self.member.email.clone(),
            role: self.member.role,
            organization,
            others,
        };
        Ok(layout::Shell { viewer, now: self.now })
    }
}

impl<S: Sync> FromRequestParts<S> for Viewer {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let viewer = parts.extensions.get().cloned();
        viewer.ok_or_else(|| Failure::Internal("a handler asks for the viewer on a public route".into()))
    }
}
