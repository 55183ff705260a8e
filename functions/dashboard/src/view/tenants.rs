//! The list of tenants to manage, and the form that adds one.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::{Label, TenantListItem};
use serde::Deserialize;
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::search::choice;
use super::{link, search, table, when, words};

/// The tenants.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All tenants but the removed ones.
    pub(crate) tenants: &'a [TenantListItem],
    /// Part of the names of the tenants to list.
    pub(crate) q: &'a str,
    /// The label of the tenants to list; empty for all.
    pub(crate) label: &'a str,
    /// The input of the form.
    pub(crate) form: &'a Form,
    /// Errors of the form, under `name` and `providerTenantId`.
    pub(crate) errors: &'a Errors,
}

/// The form that adds a tenant.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Form {
    /// Name.
    pub(crate) name: String,
    /// Identifier at the provider.
    pub(crate) provider_tenant_id: String,
}

/// Shows the list.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Tenants" },
        about: Some(html! { (words::counted(page.tenants.len(), "tenant")) " that your organization looks after" }),
        actions: Some(html! { a class="button primary" href="#add" { "Add a tenant" } }),
    };
    page.shell.page(Section::Tenants, "Tenants", html! {
        (head.show())
        (page.errors.summary())
        section class="card flush" aria-label="All tenants" {
            @if page.tenants.is_empty() {
                (empty("No tenants yet", html! { p { "Add the first one below. Its reports appear after the first import." } }))
            } @else {
                div class="card-head" { (search::tenants("/tenants", page.q, label_choice(page.tenants.iter().flat_map(|tenant| &tenant.labels), page.label))) }
                (list(page))
                p class="away" role="status" id="tenants-count" data-total=(page.tenants.len()) data-noun="tenants" {}
            }
        }
        section class="card" id="add" aria-labelledby="add-heading" {
            h2 id="add-heading" { "Add a tenant" }
            (page.shell.form("/tenants", "form", html! {
                (Field { name: "name", label: "Name", hint: "The name that your organization uses for this customer.", value: &page.form.name, error: page.errors.of("name") }.input("text", true))
                (Field { name: "providerTenantId", label: "Provider tenant identifier", hint: "A GUID such as 01234567-89ab-cdef-0123-456789abcdef. Imports use it to find the tenant.", value: &page.form.provider_tenant_id, error: page.errors.of("providerTenantId") }.input("text", true))
                div class="form-end" { button type="submit" class="button primary" { "Add tenant" } }
            }))
        }
    })
}

fn list(page: &Page<'_>) -> Markup {
    table::framed(
        "Tenants",
        html! {
            table class="rows" {
                thead { tr {
                    th scope="col" { "Tenant" }
                    th scope="col" class="wide-only" { "Provider tenant identifier" }
                    th scope="col" class="wide-only" { "Onboarded" }
                    th scope="col" { "State" }
                    th scope="col" { span class="away" { "Actions" } }
                } }
                tbody id="tenants" { @for tenant in page.tenants.iter().filter(|tenant| search::finds(page.q, [&*tenant.name]) && has_label(&tenant.labels, page.label)) { tr data-item {
                    @let address = link::tenant(&tenant.service_tenant_id);
                    th scope="row" { a href=(address) data-text { (text::name(&tenant.name)) } (labels(&tenant.labels)) }
                    td class="wide-only" { code { (tenant.provider_tenant_id) } }
                    td class="wide-only nowrap" { (when::short_date(tenant.onboarding_date)) }
                    td { @if tenant.is_paused { span class="tag" { "Paused" } } @else { span class="tag good" { "Active" } } }
                    td class="n" { (pause_button(page.shell, tenant, "small")) }
                } } }
            }
        },
    )
}

/// Shows labels below a name.
pub(super) fn labels(labels: &[Label]) -> Markup {
    html! { @if !labels.is_empty() { span class="under" { @for label in labels { span class="tag" { (text::name(label.as_str())) } " " } } } }
}

/// Returns whether a tenant with labels is among those of the label that a filter names, if it names one.
pub(super) fn has_label(labels: &[Label], asked: &str) -> bool {
    asked.is_empty() || labels.iter().any(|label| label.as_str() == asked)
}

/// Shows the choice of a label, if there are any, among those of all tenants.
pub(super) fn label_choice<'a>(labels: impl IntoIterator<Item = &'a Label>, chosen: &str) -> Markup {
    let labels: BTreeSet<_> = labels.into_iter().map(Label::as_str).collect();
    let unknown = (!chosen.is_empty() && !labels.contains(chosen)).then_some(chosen);
    html! {
        @if !labels.is_empty() || unknown.is_some() {
            (choice("label", "Label", chosen, labels.into_iter().chain(unknown).map(|label| (label, label))))
        }
    }
}

/// Shows the button that resumes a paused tenant, or leads to the question whether to pause it.
pub(super) fn pause_button(shell: &Shell, tenant: &TenantListItem, class: &str) -> Markup {
    let address = link::tenant(&tenant.service_tenant_id);
    let name = html! { span class="away" { " " (text::name(&tenant.name)) } };
    match tenant.is_paused {
        true => shell.button(&format!("{address}/resume"), class, html! { "Resume" (name) }),
        false => html! { a class={ "button " (class) } href={ (address) "/pause" } { "Pause…" (name) } },
    }
}
