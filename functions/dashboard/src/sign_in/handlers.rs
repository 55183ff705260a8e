//! The routes of signing in and out, and of invitations.

use std::sync::Arc;

use axum::Extension;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use form_urlencoded::Serializer;
use model::Secret;
use serde::Deserialize;
use store::{InvitationError, Membership, Person};
use web::failure::Failure;
use web::input::{Asked, Named};
use web::session::{Ticket, Viewer};
use web::view::text;
use web::{Dashboard, has_page, respond, session};

use super::pending::{self, Pending};
use super::token::Claims;
use super::{Issuer, SignInError};
use crate::view;

/// Longest name and address that are kept, in characters.
const LONGEST_NAME: usize = 200;

#[derive(Deserialize)]
pub(crate) struct Destination {
    to: Option<String>,
}

/// The issuer's response, in the address that it redirects to.
#[derive(Deserialize)]
pub(crate) struct Returned {
    code: Option<String>,
    state: Option<String>,
}

impl Destination {
    fn checked(self) -> Option<String> {
        self.to.filter(|to| respond::is_own_path(to))
    }
}

/// The page that offers to sign in.
pub(crate) async fn offer(Asked(destination): Asked<Destination>) -> Response {
    let to = destination.checked();
    respond::page(view::sign_in::page(&view::sign_in::Page { to: to.as_deref(), problem: None }))
}

/// Redirects to the issuer.
pub(crate) async fn start(
    dashboard: Dashboard,
    Extension(issuer): Extension<Arc<Issuer>>,
    Asked(destination): Asked<Destination>,
) -> Result<Response, Failure> {
    leave(&dashboard, &issuer, Pending::new(destination.checked(), None)?).await
}

/// Shows what an invitation is for.
pub(crate) async fn invitation(dashboard: Dashboard, Named(secret): Named<String>) -> Result<Response, Failure> {
    let action = format!("/invitations/{}", text::encoded(&secret));
    let secret: Secret = secret.parse().map_err(|_| SignInError::InvitationEnded)?;
    let invitation = dashboard.store.invitation(&secret, dashboard.now()).await?;
    let invitation = invitation.ok_or(SignInError::InvitationEnded)?;
    let organization = dashboard.store.organization(&invitation.organization_id).record().await?;
    let organization = organization.ok_or(SignInError::InvitationEnded)?.name;
    let expires = invitation.expires().ok_or(SignInError::InvitationEnded)?;
    let page = view::invitation::Page { organization: &organization, role: invitation.role, expires, action: &action };
    Ok(respond::page(view::invitation::page(&page)))
}

/// Redirects to the issuer; the invitation is accepted in the callback.
pub(crate) async fn accept_invitation(
    dashboard: Dashboard,
    Extension(issuer): Extension<Arc<Issuer>>,
    Named(secret): Named<String>,
) -> Result<Response, Failure> {
    let secret: Secret = secret.parse().map_err(|_| SignInError::InvitationEnded)?;
    leave(&dashboard, &issuer, Pending::new(None, Some(&secret))?).await
}

async fn leave(dashboard: &Dashboard, issuer: &Issuer, pending: Pending) -> Result<Response, Failure> {
    let endpoint = &issuer.provider().await?.authorization_endpoint;
    let mut query = Serializer::new(String::new());
    query.extend_pairs([
        ("response_type", "code"),
        ("client_id", &issuer.settings.client_id),
        ("redirect_uri", &callback_address(dashboard)),
        ("scope", "openid email profile"),
        ("state", &pending.visit.state),
        ("nonce", &pending.visit.nonce),
        ("code_challenge", &pending.visit.challenge()),
        ("code_challenge_method", "S256"),
    ]);
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    let jar = CookieJar::new().add(pending.cookie(dashboard.cookies()));
    Ok((jar, Redirect::to(&format!("{endpoint}{separator}{}", query.finish()))).into_response())
}

/// Handles the redirect from the issuer: verifies the person and begins a session.
pub(crate) async fn callback(
    dashboard: Dashboard,
    Extension(issuer): Extension<Arc<Issuer>>,
    headers: HeaderMap,
    Asked(returned): Asked<Returned>,
) -> Result<Response, Failure> {
    let pending = Pending::of(dashboard.cookies(), &headers).ok_or(SignInError::NotPending)?;
    if returned.state.as_deref() != Some(&*pending.visit.state) {
        return Err(SignInError::OtherState.into());
    }
    let code = returned.code.ok_or(SignInError::Refused)?;
    let redirect = callback_address(&dashboard);
    let claims = issuer.exchange(&code, &pending.visit, &redirect).await?;
    let person = person(&issuer, claims);
    let email = person.email.clone();
    let membership = membership(&dashboard, &pending, person).await?;
    keep_address(&dashboard, &membership, email.as_deref()).await?;
    end_session(&dashboard, &headers).await?;
    let sessions = dashboard.store.sessions(&membership.organization_id);
    let secret = sessions.begin(membership.member_id.clone(), dashboard.now()).await?;
    let ticket = Ticket { organization: membership.organization_id, member: membership.member_id, secret };
    let jar = CookieJar::new().add(dashboard.cookies().removal(pending::COOKIE));
    let to = pending.to.filter(|to| respond::is_own_path(to));
    Ok((jar.add(ticket.cookie(dashboard.cookies())), Redirect::to(to.as_deref().unwrap_or("/"))).into_response())
}

/// The membership that a person signs in with: the invitation's, or one they have.
async fn membership(dashboard: &Dashboard, pending: &Pending, person: Person) -> Result<Membership, Failure> {
    if let Some(secret) = &pending.invitation {
        let secret: Secret = secret.parse().map_err(|_| SignInError::InvitationEnded)?;
        return match dashboard.store.accept_invitation(&secret, person, dashboard.now()).await {
            Ok(membership) | Err(InvitationError::AlreadyMember(membership)) => Ok(membership),
            Err(InvitationError::Ended) => Err(SignInError::InvitationEnded.into()),
            Err(error) => Err(error.into()),
        };
    }
    let mut memberships = dashboard.store.memberships(&person.identity).await?;
    // A link to a report opens in the organization that has it.
    if let Some(to) = pending.to.as_deref().filter(|_| memberships.len() > 1) {
        for (place, membership) in memberships.iter().enumerate() {
            if has_page(&dashboard.store.organization(&membership.organization_id), to, dashboard.now()).await? {
                return Ok(memberships.swap_remove(place));
            }
        }
    }
    Ok(memberships.into_iter().next().ok_or(SignInError::NotAMember)?)
}

/// Keeps the address that the issuer reports, if it is another one than before.
async fn keep_address(dashboard: &Dashboard, membership: &Membership, email: Option<&str>) -> Result<(), Failure> {
    let organization = dashboard.store.organization(&membership.organization_id);
    let member = organization.member(&membership.member_id).await?;
    if let Some(member) = member.filter(|member| member.email.as_deref() != email) {
        organization.by(&member.actor(), dashboard.now()).note_address(email).await?;
    }
    Ok(())
}

fn person(issuer: &Issuer, claims: Claims) -> Person {
    let identity = issuer.identity(&claims.sub);
    let short = |text: String| text.chars().take(LONGEST_NAME).collect::<String>();
    let email = claims.email.map(short).filter(|email| !email.is_empty());
    let named = claims.name.into_iter().chain(claims.preferred_username).map(short);
    let name = named.chain(email.clone()).find(|name| !name.trim().is_empty());
    Person { identity, name: name.unwrap_or_else(|| "A member without a name".to_owned()), email }
}

/// Ends the session, here and at the issuer.
pub(crate) async fn sign_out(
    dashboard: Dashboard,
    Extension(issuer): Extension<Arc<Issuer>>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    end_session(&dashboard, &headers).await?;
    leave_issuer(&dashboard, &issuer).await
}

/// Ends all sessions of the person, in every organization, and the one at the issuer.
pub(crate) async fn sign_out_everywhere(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(issuer): Extension<Arc<Issuer>>,
) -> Result<Response, Failure> {
    for membership in dashboard.store.memberships(&viewer.member.identity).await? {
        let organization = dashboard.store.organization(&membership.organization_id);
        if let Some(member) = organization.member(&membership.member_id).await? {
            dashboard.store.sessions(&membership.organization_id).end_of(&member, viewer.now).await?;
        }
    }
    leave_issuer(&dashboard, &issuer).await
}

async fn leave_issuer(dashboard: &Dashboard, issuer: &Issuer) -> Result<Response, Failure> {
    let jar = CookieJar::new().add(dashboard.cookies().removal(session::COOKIE));
    let back = format!("{}/signed-out", dashboard.address);
    let to = issuer.sign_out_address(&back).await.unwrap_or(back);
    Ok((jar, Redirect::to(&to)).into_response())
}

/// Confirms that the person is signed out.
pub(crate) async fn signed_out() -> Response {
    respond::page(view::signed_out::page())
}

async fn end_session(dashboard: &Dashboard, headers: &HeaderMap) -> Result<(), Failure> {
    if let Some(ticket) = Ticket::of(dashboard.cookies(), headers) {
        dashboard.store.sessions(&ticket.organization).end(&ticket.secret, &ticket.member, dashboard.now()).await?;
    }
    Ok(())
}

fn callback_address(dashboard: &Dashboard) -> String {
    format!("{}/sign-in/callback", dashboard.address)
}
