//! The connection of a tenant: its state, and the permissions by name.

use graph::{PERMISSIONS, refusal};
use maud::{Markup, html};
use model::ServiceTenantId;
use store::{Connection, TenantRecord};
use web::view::layout::{Head, Section, Shell};
use web::view::text;

use super::{link, table, when, words};

/// A tenant and its connection.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenant.
    pub(crate) tenant: &'a TenantRecord,
    /// Its connection.
    pub(crate) connection: Option<&'a Connection>,
    /// Whether the service has an application.
    pub(crate) can_connect: bool,
}

/// Shows the connection of a tenant.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let address = link::tenant(&page.tenant.service_tenant_id);
    let head = Head {
        above: &[("/tenants", html! { "Tenants" }), (&address, text::name(&page.tenant.name))],
        title: html! { "Connection" },
        about: Some(html! { span { code { (page.tenant.provider_tenant_id) } } }),
        actions: None,
    };
    page.shell.page(Section::Tenants, "Connection", html! {
        (head.show())
        section class="card" aria-labelledby="state" { h2 id="state" { (title(page)) } div class="form" { (state(page)) (actions(page)) } }
        (permissions(page))
    })
}

fn title(page: &Page<'_>) -> &'static str {
    match page.connection {
        None => "Not connected",
        Some(connection) if connection.is_open() => "Connected",
        Some(_) => "Connected, but the tenant does not let the service in",
    }
}

fn state(page: &Page<'_>) -> Markup {
    let Some(connection) = page.connection else {
        return html! {
            p { "The service makes reports of this tenant on request once it is connected. An administrator of the tenant (Global Administrator or Privileged Role Administrator) approves the permissions below at Microsoft, then signs in there once, which proves that the tenant is theirs. The service only reads, and keeps neither their name nor a token." }
            @if !page.can_connect { p { "The service has no application to read tenants with. Ask its operator to set one up." } }
        };
    };
    let missing = missing(connection);
    html! {
        p { "Connected " (when::minute(connection.connected_at)) ", checked " (when::minute(connection.checked_at)) "." }
        @if let Some(code) = &connection.problem { (notice(html! { p { (text::visible(&refusal(code))) } })) }
        @if !missing.is_empty() && connection.is_open() {
            (notice(html! { p {
                (words::counted(missing.len(), "permission")) " missing: " (missing.join(", ")) ". What they read is not assessed; all else is. To grant them, connect the tenant again."
            } }))
        }
        @if connection.permissions.is_none() && connection.is_open() { p { "It was not seen yet which permissions the tenant granted. Check again in a minute." } }
    }
}

fn notice(content: Markup) -> Markup {
    html! { div class="notice problem" role="alert" { span class="notice-mark" aria-hidden="true" { "!" } div { (content) } } }
}

fn actions(page: &Page<'_>) -> Markup {
    let address = link::connection(&page.tenant.service_tenant_id);
    let (is_admin, is_connected) = (page.shell.is_admin(), page.connection.is_some());
    html! {
        @if !is_admin { p { "Only an Admin of your organization can " (if is_connected { "connect this tenant again or disconnect it" } else { "connect this tenant" }) "." } }
        div class="form-end" {
            @if is_admin && page.can_connect {
                (page.shell.button(&address, if is_connected { "" } else { "primary" }, html! { (if is_connected { "Connect again" } else { "Connect" }) }))
            }
            @if is_connected { (page.shell.button(&format!("{address}/check"), "", html! { "Check now" })) }
            @if is_admin && is_connected { a class="button" href={ (address) "/end" } { "Disconnect…" } }
        }
    }
}

fn permissions(page: &Page<'_>) -> Markup {
    let open = page.connection.filter(|connection| connection.is_open());
    let seen = open.and_then(|connection| connection.permissions.as_ref());
    html! {
        section class="card flush" aria-labelledby="permissions" {
            div class="card-head" { h2 id="permissions" { "Permissions" } p class="hint" { "Application permissions of Microsoft Graph. All of them only read." } }
            (table::framed("Permissions", html! {
                table class="rows" {
                    thead { tr { th scope="col" { "Permission" } th scope="col" { "Reads" } @if seen.is_some() { th scope="col" { "Granted" } } } }
                    tbody { @for permission in PERMISSIONS { tr {
                        th scope="row" { code { (permission.name) } }
                        td { (permission.reads) }
                        @if let Some(seen) = seen { td { @if seen.contains(permission.name) { "Yes" } @else { b { "Missing" } } } }
                    } } }
                }
            }))
        }
    }
}

/// Returns the permissions that were not granted when that was last seen.
fn missing(connection: &Connection) -> Vec<&'static str> {
    let Some(seen) = &connection.permissions else { return Vec::new() };
    PERMISSIONS.iter().map(|permission| permission.name).filter(|name| !seen.contains(*name)).collect()
}

/// Shows in one line on a tenant's page whether it is connected.
pub(crate) fn line(tenant: &ServiceTenantId, connection: Option<&Connection>) -> Markup {
    html! {
        p {
            a href=(link::connection(tenant)) { "Connection" } ": "
            @match connection {
                None => "not connected.",
                Some(connection) if !connection.is_open() => "the tenant does not let the service in.",
                Some(connection) => {
                    "connected"
                    @let missing = missing(connection).len();
                    @if missing > 0 { ", " (words::counted(missing, "permission")) " missing" }
                    "."
                }
            }
        }
    }
}
