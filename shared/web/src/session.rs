//! Sessions: who is signed in, checked on every request against the table.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum_extra::extract::cookie::Cookie;
use model::{Actor, MemberId, OrganizationId, ReportId, Secret, ServiceTenantId, Timestamp};
use store::{AdminWriter, MemberRecord, Organization, StoredReport, Writer};

use crate::cookies::Cookies;
use crate::failure::Failure;
use crate::state::Dashboard;
use crate::view::form::Errors;
use crate::view::layout;

/// Name of the session's cookie, before its prefix.
pub const COOKIE: &str = "posture-session";
/// Separates the cookie's fields. No identifier contains it.
const SEPARATOR: char = '~';

/// The signed-in person in an organization, as of this request.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// The organization of the session.
    pub organization: Organization,
    /// The person, as a member of it.
    pub member: MemberRecord,
    /// When the request came.
    pub now: Timestamp,
    /// Whether the form could not be saved before, and is only to be shown again.
    pub(crate) is_resumed: bool,
}

/// The cookie's content.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// Organization of the session.
    pub organization: OrganizationId,
    /// The person, as a member of it.
    pub member: MemberId,
    /// Proves the session.
    pub secret: Secret,
}

impl Ticket {
    /// Returns the ticket that a request carries.
    pub fn of(cookies: Cookies, headers: &HeaderMap) -> Option<Self> {
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
    pub fn cookie(&self, cookies: Cookies) -> Cookie<'static> {
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
    pub fn resumed(&self) -> Option<Errors> {
        let message = "Nothing is saved yet. Check what you entered, and send the form again.";
        self.is_resumed.then(|| Errors::default().with("", message))
    }

    /// Returns who performs the operations of this request.
    pub fn actor(&self) -> Actor {
        self.member.actor()
    }

    /// Returns the changes that the viewer may make.
    pub fn writer(&self) -> Writer {
        self.organization.by(&self.actor(), self.now)
    }

    /// Returns the changes that the viewer may make as an Admin.
    ///
    /// # Errors
    /// [`Failure::Forbidden`] if the viewer is not an Admin.
    pub fn admin_writer(&self) -> Result<AdminWriter, Failure> {
        Ok(self.organization.by_admin(&self.actor().admin()?, self.now))
    }

    /// Returns a report of the viewer's organization, if it is of that tenant.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none. As reads of the store.
    pub async fn report(&self, tenant: &ServiceTenantId, report: &ReportId) -> Result<StoredReport, Failure> {
        let stored = self.organization.report(report).await?;
        stored.filter(|stored| stored.summary.service_tenant_id == *tenant).ok_or(Failure::NotFound)
    }

    /// Returns the frame of the viewer's pages.
    ///
    /// # Errors
    /// As reads of the store.
    pub async fn shell(&self, dashboard: &Dashboard) -> Result<layout::Shell, Failure> {
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
