//! Billable users of a tenant, and the choice of one.

use maud::{Markup, html};
use model::{BillableUser, TenantListItem, Timestamp};
use store::TenantRecord;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::{table, when, words};

/// The billable users of a tenant.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenant.
    pub(crate) tenant: &'a TenantRecord,
    /// Its users, and when they were recorded. `None` if they never were.
    pub(crate) recorded: Option<(Timestamp, &'a [BillableUser])>,
}

/// The tenants to choose from.
pub(crate) struct Choice<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All tenants.
    pub(crate) tenants: &'a [TenantListItem],
}

/// Shows the users.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let address = format!("/billable-users/{}", page.tenant.service_tenant_id);
    let head = Head {
        above: &[("/usage", html! { "Usage" }), ("/billable-users", html! { "Billable users" })],
        title: text::name(&page.tenant.name),
        about: page.recorded.map(|(at, users)| {
            html! { span { (words::counted(users.len(), "billable user")) } span { "recorded " (when::minute(at)) } }
        }),
        actions: page.recorded.map(|_| html! { a class="button" href={ (address) "/users.csv" } { "Download CSV" } }),
    };
    page.shell.page(Section::Usage, "Billable users", html! {
        (head.show())
        section class="card flush" aria-label="Users" {
            @match page.recorded {
                None => (empty("No users are recorded", html! { p { "Record this tenant's users with " code { "posture billable-users record" } "." } })),
                Some((_, [])) => (empty("No billable users", html! { p { (why_none(page.tenant)) } })),
                Some((_, users)) => (table::framed("Billable users", html! {
                    table class="rows" {
                        thead { tr {
                            th scope="col" { "Name" }
                            th scope="col" class="wide-only" { "Sign-in name" }
                            th scope="col" class="wide-only" { "Mail" }
                            th scope="col" { "Account" }
                            th scope="col" class="n" { "Licences" }
                        } }
                        tbody { @for user in users { tr {
                            th scope="row" { (text::name(&user.display_name)) span class="under narrow-only" { (text::name(&user.user_principal_name)) } }
                            td class="wide-only" { (text::name(&user.user_principal_name)) }
                            td class="wide-only" { (text::name(&user.mail)) }
                            td { @if user.account_enabled { span class="tag good" { "Enabled" } } @else { span class="tag" { "Disabled" } } }
                            td class="n" { (user.assigned_license_sku_ids.len()) }
                        } } }
                    }
                })),
            }
        }
    })
}

/// Says why nobody is billed for a tenant whose users were recorded.
fn why_none(tenant: &TenantRecord) -> &'static str {
    if tenant.is_paused {
        "The tenant is paused, so none of its users is billed."
    } else {
        "No user of this tenant has a licence."
    }
}

/// Shows the tenants to choose from.
pub(crate) fn choice(page: &Choice<'_>) -> Markup {
    let head = Head {
        above: &[("/usage", html! { "Usage" })],
        title: html! { "Billable users" },
        about: Some(html! { "Choose a tenant." }),
        actions: None,
    };
    page.shell.page(Section::Usage, "Billable users", html! {
        (head.show())
        section class="card flush" aria-label="Tenants" {
            @if page.tenants.is_empty() {
                (empty("No tenants yet", html! { a class="button primary" href="/tenants" { "Add a tenant" } }))
            } @else {
                ul class="lines" { @for tenant in page.tenants {
                    li { a href={ "/billable-users/" (tenant.service_tenant_id) } { (text::name(&tenant.name)) } @if tenant.is_paused { span class="tag" { "Paused" } } }
                } }
            }
        }
    })
}
