//! The stand-in for Microsoft Graph over HTTP, below the dashboard's address, with pages for the people of its tenants.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use lambda_http::http::header::AUTHORIZATION;
use lambda_http::http::{Method, StatusCode};
use maud::{Markup, html};
use model::ProviderTenantId;
use stand_in::{Consent, Person, Question, StandIn, Tenant, Visit};
use web::view::layout::bare;

/// Path of the stand-in below the dashboard's address.
pub(crate) const PATH: &str = "/local-graph";
/// Largest body of a request, in bytes.
const LARGEST: usize = 1024 * 1024;
/// The permission that a tenant can withdraw alone.
const ONE_PERMISSION: &str = "SharePointTenantSettings.Read.All";

/// Returns the stand-in's service, below [`PATH`].
pub(crate) fn router(stand_in: Arc<StandIn>) -> Router {
    Router::new()
        .route("/tenants", get(tenants))
        .route("/tenants/{tenant}/{change}", post(change))
        .fallback(respond)
        .with_state(stand_in)
}

async fn respond(State(stand_in): State<Arc<StandIn>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    if let Some(visit) = stand_in.visit(target) {
        return match head.method {
            Method::POST => answer(&stand_in, &visit, &body),
            _ => question(&stand_in, &visit).into_response(),
        };
    }
    let authorization = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    stand_in.respond(target, authorization, &body).await.map(Body::new)
}

/// Asks a person of a tenant what the application leads them here for.
fn question(stand_in: &StandIn, visit: &Visit<'_>) -> Markup {
    let name = &visit.tenant.name;
    match visit.question {
        Question::Consent => bare(
            "Permissions requested",
            html! {
                h1 { "Permissions requested" }
                p { "This stands in for Microsoft: nothing leaves this machine. An administrator of " b { (name) } " is asked to let the service read:" }
                ul { @for permission in StandIn::permissions() { li { code { (permission) } } } }
                (choices(&[("administrator", "Accept, as an administrator"), ("member", "Accept, as somebody without a role"), ("cancel", "Cancel")]))
            },
        ),
        Question::SignIn => bare(
            "Sign in",
            html! {
                h1 { "Sign in to " (name) }
                p { "This stands in for Microsoft: no password is needed, the people are invented." }
                @if stand_in.consent(&visit.tenant.id) == Consent::Given { p { "The tenant has consented to the service." } }
                (choices(&[("administrator", "An administrator"), ("member", "Somebody without a role"), ("cancel", "Cancel")]))
            },
        ),
    }
}

fn choices(choices: &[(&str, &str)]) -> Markup {
    html! {
        form method="post" class="form" {
            @for (value, label) in choices { button type="submit" class="button" name="answer" value=(value) { (label) } }
        }
    }
}

/// Sends a visitor back with their answer.
fn answer(stand_in: &StandIn, visit: &Visit<'_>, body: &[u8]) -> Response {
    let back = match body {
        b"answer=administrator" => stand_in.answer(visit, Person::Administrator),
        b"answer=member" => stand_in.answer(visit, Person::Member),
        _ => stand_in.cancel(visit),
    };
    Redirect::to(&back).into_response()
}

/// Lists the tenants, as their administrators see the application of the service.
async fn tenants(State(stand_in): State<Arc<StandIn>>) -> Markup {
    bare(
        "Tenants of the stand-in",
        html! {
            h1 { "Tenants of the stand-in" }
            p { "What the administrators of these tenants can do with the service's application. Then look at the connection in the dashboard: 'Check now'." }
            @for tenant in stand_in.tenants() { (changes(&stand_in, tenant)) }
        },
    )
}

fn changes(stand_in: &StandIn, tenant: &Tenant) -> Markup {
    let missing = StandIn::permissions().len() - stand_in.granted(&tenant.id).len();
    let (state, offered): (_, &[(&str, &str)]) = match stand_in.consent(&tenant.id) {
        Consent::Given => (
            "lets the service in",
            &[("withdraw", "Withdraw one permission"), ("disable", "Disable"), ("remove", "Remove")],
        ),
        Consent::Disabled => ("has disabled the application", &[("enable", "Enable"), ("remove", "Remove")]),
        Consent::Missing => ("has not consented, or removed the application", &[]),
    };
    html! {
        section aria-label=(tenant.name) {
            h2 { (tenant.name) }
            p { "It " (state) @if missing > 0 { ", without " (ONE_PERMISSION) } "." }
            @for (change, label) in offered {
                form method="post" action={ (PATH) "/tenants/" (tenant.id) "/" (change) } class="inline-form" { button type="submit" class="button" { (label) } }
            }
        }
    }
}

async fn change(
    State(stand_in): State<Arc<StandIn>>,
    Path((tenant, change)): Path<(String, String)>,
) -> Result<Redirect, StatusCode> {
    let tenant: ProviderTenantId = tenant.parse().map_err(|_| StatusCode::NOT_FOUND)?;
    match change.as_str() {
        "withdraw" => stand_in.grant(&tenant, Consent::Given, [ONE_PERMISSION.to_owned()]),
        "disable" => stand_in.set_consent(&tenant, Consent::Disabled),
        "enable" => stand_in.set_consent(&tenant, Consent::Given),
        "remove" => stand_in.set_consent(&tenant, Consent::Missing),
        _ => return Err(StatusCode::NOT_FOUND),
    }
    Ok(Redirect::to(&format!("{PATH}/tenants")))
}
