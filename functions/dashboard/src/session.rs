//! Sessions: who is signed in, checked on every request against the table.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum_extra::extract::cookie::Cookie;
use model::{Actor, MemberId, OrganizationId, Secret, Timestamp};
use store::{AdminWriter, MemberRecord, Organization, Writer};

use crate::cookies::Cookies;
use crate::failure::Failure;
use crate::state::Dashboard;
use crate::view::form::Errors;
use crate::view::layout;

/// Name of the session's cookie, before its prefix.
pub(crate) const COOKIE: &str = "posture-session";
/// Separates the cookie's fields. No identifier contains it.
const SEPARATOR: char = '~';

/// The signed-in person in an organization, as of this request.
#[derive(Debug, Clone)]
pub(crate) struct Viewer {
    pub(crate) organization: Organization,
    pub(crate) member: MemberRecord,
    pub(crate) now: Timestamp,
    /// Whether the form could not be saved before, and is only to be shown again.
    pub(crate) is_resumed: bool,
}

/// The cookie's content.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub(crate) organization: OrganizationId,
    pub(crate) member: MemberId,
    pub(crate) secret: Secret,
}

impl Ticket {
    /// Returns the ticket that a request carries.
    pub(crate) fn of(cookies: Cookies, headers: &HeaderMap) -> Option<Self> {
        let value = cookies.value(headers, COOKIE)?;
        let mut fields = value.split(SEPARATOR);
        let ticket = Self {
            organization: fields.next()?.parse().ok()?,
            member: fields.next()?.parse().ok()?,
            secret: fields.next()?.parse().ok()?,
        };
        fields.next().is_none().then_some(ticket)
    }

    /// Returns the cookie that brings the ticket back.
    pub(crate) fn cookie(&self, cookies: Cookies) -> Cookie<'static> {
        let value = [self.organization.as_str(), self.member.as_str(), self.secret.reveal()];
        cookies.cookie(COOKIE, value.join(&SEPARATOR.to_string()))
    }
}

impl Viewer {
    /// Returns the member whose session a request belongs to.
    pub(crate) async fn of(dashboard: &Dashboard, headers: &HeaderMap) -> Result<Option<Self>, Failure> {
        let Some(ticket) = Ticket::of(dashboard.cookies(), headers) else { return Ok(None) };
        let organization = dashboard.store.organization(&ticket.organization);
        let sessions = dashboard.store.sessions(&ticket.organization);
        let now = dashboard.now();
        let member = sessions.member(&ticket.secret, &ticket.member, now).await?;
        Ok(member.map(|member| Self { organization, member, now, is_resumed: false }))
    }

    /// Returns the message of a form that is only to be shown again, with what was typed.
    pub(crate) fn resumed(&self) -> Option<Errors> {
        let message = "Nothing is saved yet. Check what you entered, and send the form again.";
        self.is_resumed.then(|| Errors::default().with("", message))
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
