//! The organization's API keys.

use chrono::NaiveDate;
use maud::{Markup, html};
use model::{KeyId, KeyScope, Timestamp, Wire};
use store::TenantRecord;
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Shell, empty};
use web::view::text;

use super::{link, settings, table, when};

/// The keys.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The keys, newest first.
    pub(crate) keys: &'a [Key],
    /// The tenants that a key can be limited to.
    pub(crate) tenants: &'a [TenantRecord],
    /// The form's fields.
    pub(crate) form: Form<'a>,
    /// Errors of the form, under the names of its fields.
    pub(crate) errors: &'a Errors,
}

/// A new key, as entered.
#[derive(Clone, Copy, Default)]
pub(crate) struct Form<'a> {
    /// Description.
    pub(crate) description: &'a str,
    /// Its rights.
    pub(crate) scope: KeyScope,
    /// Service identifier of the tenant that it imports for; empty for all.
    pub(crate) tenant: &'a str,
}

/// A key in the list: its text is not known here.
#[derive(Clone)]
pub(crate) struct Key {
    /// Identifier.
    pub(crate) id: KeyId,
    /// Description.
    pub(crate) description: Option<String>,
    /// Creation.
    pub(crate) created: Timestamp,
    /// Its rights.
    pub(crate) scope: KeyScope,
    /// Name of the only tenant that it imports for.
    pub(crate) tenant: Option<String>,
    /// Day of the last use.
    pub(crate) used: Option<NaiveDate>,
}

/// Shows the keys.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "API keys" },
        about: Some(
            html! { "With a key, programs read your organization's reports, tenants and usage, or import results of assessment tools." },
        ),
        actions: None,
    };
    let admin = page.shell.is_admin();
    settings::page(
        page.shell,
        "/settings/api-keys",
        &head,
        "API keys",
        html! {
            (page.errors.summary())
            section class="card flush" aria-label="Keys" {
                @if page.keys.is_empty() {
                    (empty("No keys yet", html! {
                        @if admin { p { "Create one below for the first program that reads from the API." } }
                        @else { p { "Ask an Admin of your organization to create one." } }
                    }))
                } @else { (list(page, admin)) }
            }
            @if admin {
                section class="card" aria-labelledby="create" {
                    h2 id="create" { "Create a key" }
                    (page.shell.form("/settings/api-keys", "with-button", html! { (page.shell.once())
                        (Field { name: "description", label: "Description", hint: "Which program it is for, so that you know later. Optional.", value: page.form.description, error: page.errors.of("description") }.input("text", false))
                        (scope_fields(page))
                        button type="submit" class="button primary" { "Create key" }
                    }))
                }
            }
        },
    )
}

fn scope_fields(page: &Page<'_>) -> Markup {
    let scopes = [KeyScope::Read, KeyScope::Import].map(|scope| (Wire(scope).to_string(), words(scope)));
    let names = page.tenants.iter().map(|tenant| (tenant.service_tenant_id.as_str(), text::shortened(&tenant.name)));
    let names: Vec<_> = names.collect();
    let tenants = [("", "Every tenant")].into_iter().chain(names.iter().map(|(id, name)| (*id, name.as_ref())));
    let tenants: Vec<_> = tenants.collect();
    html! {
        (Field { name: "scope", label: "The program", hint: "", value: &Wire(page.form.scope).to_string(), error: page.errors.of("scope") }.select(&scopes))
        (Field { name: "tenant", label: "Imports for", hint: "A key that reads is always for every tenant.", value: page.form.tenant, error: page.errors.of("tenant") }.select(&tenants))
    }
}

/// Returns what a key may do, in words.
fn words(scope: KeyScope) -> &'static str {
    match scope {
        KeyScope::Read => "Reads",
        KeyScope::Import => "Imports",
        KeyScope::Unknown => "Unknown",
    }
}

fn list(page: &Page<'_>, admin: bool) -> Markup {
    table::framed(
        "Keys",
        html! {
            table class="rows" {
                thead { tr { th scope="col" { "Description" } th scope="col" { "Use" } th scope="col" { "Created" } th scope="col" { "Last used" } @if admin { th scope="col" { span class="away" { "Actions" } } } } }
                tbody { @for key in page.keys { tr {
                    th scope="row" { (shown(key.description.as_deref())) }
                    td { (words(key.scope)) @if let Some(tenant) = &key.tenant { " for " (text::name(tenant)) } }
                    td class="nowrap" { (when::short_date(key.created)) }
                    td class="nowrap" { @match key.used { Some(day) => (when::day(day)), None => span class="quiet" { "Never" } } }
                    @if admin { td class="n" { a class="button small" href=(link::delete_key(&key.id)) { "Delete…" span class="away" { " " (shown(key.description.as_deref())) } } } }
                } } }
            }
        },
    )
}

/// Shows a description, or that there is none.
pub(super) fn shown(description: Option<&str>) -> Markup {
    match description.filter(|text| !text.trim().is_empty()) {
        Some(description) => text::name(description),
        None => html! { span class="quiet" { "No description" } },
    }
}
