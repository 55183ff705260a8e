//! The connection of a tenant: made with an administrator of the tenant, looked at, and ended.

use axum::Extension;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::cookie::CookieJar;
use graph::SignIn;
use model::{Secret, ServiceTenantId};
use serde::Deserialize;
use store::{Attempt, Sighting, TenantRecord};
use web::failure::Failure;
use web::input::{Asked, Named};
use web::session::{Ticket, Viewer};
use web::view::form::Errors;
use web::{Dashboard, respond};

use super::tenants;
use crate::connect::{self, CALLBACK, Configured, ConnectError, Connector, Pending};
use crate::sign_in::pending::{Visit, secret};
use crate::view::{self, link};

/// Microsoft's answer, in the address that it redirects to. Anybody can make one up.
#[derive(Deserialize)]
pub(crate) struct Returned {
    state: Option<String>,
    /// The tenant that is said to have consented.
    tenant: Option<String>,
    /// The code of a sign-in.
    code: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(configured): Extension<Configured>,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?;
    let connection = viewer.organization.connection(&tenant.service_tenant_id).await?;
    let shell = viewer.shell(&dashboard).await?;
    let (tenant, can_connect) = (&tenant, configured.0.is_some());
    let page = view::connection::Page { shell: &shell, tenant, connection: connection.as_ref(), can_connect };
    Ok(respond::page(view::connection::page(&page)))
}

/// Leads to Microsoft, where an administrator of the tenant consents.
pub(crate) async fn begin(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(configured): Extension<Configured>,
    headers: HeaderMap,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?;
    let connector = configured.get()?;
    let attempt = attempt(&dashboard, &viewer, &headers, &tenant)?;
    let (visit, state) = new_visit()?;
    viewer.admin_writer()?.begin_connecting(&attempt, &state).await?;
    let redirect = return_address(&dashboard);
    let address = connector.application.consent_address(&tenant.provider_tenant_id, &redirect, state.reveal());
    Ok(leave(&dashboard, tenant.service_tenant_id, visit, &address))
}

/// Receives what Microsoft says, first about the consent, then about the sign-in.
pub(crate) async fn callback(
    dashboard: Dashboard,
    viewer: Viewer,
    Extension(configured): Extension<Configured>,
    headers: HeaderMap,
    Asked(returned): Asked<Returned>,
) -> Result<Response, Failure> {
    let connector = configured.get()?;
    let pending = Pending::of(dashboard.cookies(), &headers).ok_or(ConnectError::NotPending)?;
    let state = returned.state.as_deref().filter(|state| *state == pending.visit.state);
    let state: Secret = state.and_then(|state| state.parse().ok()).ok_or(ConnectError::NotAwaited)?;
    let tenant = tenants::find(&viewer.organization, &pending.tenant).await?;
    let arrival = Arrival { dashboard: &dashboard, viewer: &viewer, connector, tenant, state, headers: &headers };
    if returned.error.is_some() {
        return Err(ConnectError::Declined(declined(returned.error_description.as_deref())).into());
    }
    match returned.code {
        Some(code) => arrival.sign_in(&code, &pending.visit).await,
        None => arrival.consent(returned.tenant.as_deref()).await,
    }
}

/// A visitor who came back.
struct Arrival<'a> {
    dashboard: &'a Dashboard,
    viewer: &'a Viewer,
    connector: &'a Connector,
    tenant: TenantRecord,
    state: Secret,
    headers: &'a HeaderMap,
}

impl Arrival<'_> {
    /// Leads on to the sign-in: that a tenant has consented proves nothing.
    async fn consent(self, consented: Option<&str>) -> Result<Response, Failure> {
        let Self { dashboard, viewer, connector, tenant, state, headers } = self;
        if consented.and_then(|consented| consented.parse().ok()).as_ref() != Some(&tenant.provider_tenant_id) {
            return Err(ConnectError::OtherTenant.into());
        }
        let attempt = attempt(dashboard, viewer, headers, &tenant)?;
        let (visit, next) = new_visit()?;
        if !viewer.admin_writer()?.continue_connecting(&attempt, &state, &next).await? {
            return Err(ConnectError::NotAwaited.into());
        }
        let (redirect, challenge) = (return_address(dashboard), visit.challenge());
        let sign_in = SignIn { redirect: &redirect, state: &visit.state, nonce: &visit.nonce, challenge: &challenge };
        let address = connector.application.sign_in_address(&tenant.provider_tenant_id, sign_in);
        Ok(leave(dashboard, tenant.service_tenant_id, visit, &address))
    }

    /// Connects the tenant if whoever signed in may consent for it.
    async fn sign_in(self, code: &str, visit: &Visit) -> Result<Response, Failure> {
        let Self { dashboard, viewer, connector, tenant, state, headers } = self;
        let attempt = attempt(dashboard, viewer, headers, &tenant)?;
        if !viewer.admin_writer()?.end_connecting(&attempt, &state).await? {
            return Err(ConnectError::NotAwaited.into());
        }
        let (id, provider) = (&tenant.service_tenant_id, &tenant.provider_tenant_id);
        connector.prove(provider, code, visit, &return_address(dashboard)).await?;
        // What was just granted takes a while to be known everywhere, so a refusal proves nothing yet.
        let seen = match connector.look(provider).await {
            Ok(Sighting::Open(permissions)) => permissions,
            Ok(Sighting::Refused(_)) | Err(_) => None,
        };
        viewer.admin_writer()?.connect_tenant(id, provider, Sighting::Open(seen)).await?;
        let jar = CookieJar::new().add(dashboard.cookies().removal(connect::COOKIE));
        Ok((jar, Redirect::to(&link::connection(id))).into_response())
    }
}

/// Looks whether the connection works.
pub(crate) async fn check(
    viewer: Viewer,
    Extension(configured): Extension<Configured>,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?;
    let connection = viewer.organization.connection(&tenant.service_tenant_id).await?;
    // Of a tenant that is not connected, nothing is told: not even whether it has consented.
    if let Some(connection) = connection.filter(|connection| connection.is_of(&tenant.provider_tenant_id)) {
        let look = configured.get()?.look(&tenant.provider_tenant_id).await;
        viewer.writer().sight_connection(connection, look.map_err(ConnectError::from)?).await?;
    }
    Ok(respond::see(&link::connection(&tenant.service_tenant_id)))
}

pub(crate) async fn ask_end(
    dashboard: Dashboard,
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?;
    let shell = viewer.shell(&dashboard).await?;
    let page = view::tenant_question::Page { shell: &shell, tenant: &tenant.service_tenant_id, name: &tenant.name };
    Ok(respond::page(page.disconnection(&Errors::default())))
}

pub(crate) async fn end(viewer: Viewer, Named(tenant): Named<ServiceTenantId>) -> Result<Response, Failure> {
    let tenant = tenants::find(&viewer.organization, &tenant).await?.service_tenant_id;
    viewer.admin_writer()?.disconnect_tenant(&tenant).await?;
    Ok(respond::see(&link::connection(&tenant)))
}

/// Returns the attempt of the viewer to connect a tenant in the session of a request.
fn attempt(
    dashboard: &Dashboard,
    viewer: &Viewer,
    headers: &HeaderMap,
    tenant: &TenantRecord,
) -> Result<Attempt, Failure> {
    let ticket = Ticket::of(dashboard.cookies(), headers).ok_or(Failure::Forbidden)?;
    let (tenant, member) = (tenant.service_tenant_id.clone(), viewer.member.member_id.clone());
    Ok(Attempt { tenant, member, session: ticket.secret.hash() })
}

fn new_visit() -> Result<(Visit, Secret), Failure> {
    let (state, visit) = (secret()?, Visit::new()?);
    Ok((Visit { state: state.reveal().to_owned(), ..visit }, state))
}

fn leave(dashboard: &Dashboard, tenant: ServiceTenantId, visit: Visit, address: &str) -> Response {
    let jar = CookieJar::new().add(Pending { tenant, visit }.cookie(dashboard.cookies()));
    (jar, Redirect::to(address)).into_response()
}

/// The address that the operator registers for the application.
fn return_address(dashboard: &Dashboard) -> String {
    format!("{}{CALLBACK}", dashboard.address)
}

/// Returns Microsoft's code in a description, which anybody could have made up, or else a word for it.
fn declined(description: Option<&str>) -> String {
    let code = description.and_then(|text| text.strip_prefix("AADSTS"));
    let digits: String = code.unwrap_or_default().chars().take_while(char::is_ascii_digit).take(10).collect();
    if digits.is_empty() { "no code".to_owned() } else { format!("AADSTS{digits}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_description_only_the_code_is_shown() {
        assert_eq!(declined(Some("AADSTS65004: User declined <b>")), "AADSTS65004");
        for other in [None, Some(""), Some("AADSTS"), Some("Call 555 to win")] {
            assert_eq!(declined(other), "no code");
        }
    }
}
