//! The forms that give a tenant to runs without one: the files are kept meanwhile.

use std::collections::BTreeMap;

use maud::{Markup, html};
use model::{ImportId, ProviderTenantId, ServiceTenantId};
use serde::Deserialize;
use web::view::form::{Errors, Field};
use web::view::layout::Shell;
use web::view::{form, text};

/// Runs of an import that lack a tenant.
pub(crate) struct Waiting {
    /// The import.
    pub(crate) import: ImportId,
    /// The tenants that the organization lacks; `None` for files that do not name theirs.
    pub(crate) lacks: Vec<Option<ProviderTenantId>>,
    /// The organization's tenants by name.
    pub(crate) tenants: BTreeMap<ServiceTenantId, String>,
}

/// The form as it is sent: a tenant of the organization, or a new one.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NewTenant {
    /// Identifier of the tenant; empty for a new one.
    pub(crate) tenant: String,
    /// Name of the new one.
    pub(crate) name: String,
    /// Its identifier at the provider.
    pub(crate) provider_tenant_id: String,
}

impl Waiting {
    /// Shows a form for the first tenant that is lacking. Further ones follow with its import.
    pub(crate) fn show(&self, shell: &Shell, form: &NewTenant, errors: &Errors) -> Markup {
        let missing = self.lacks.iter().flatten().next();
        html! {
            section class="card" aria-labelledby="lacking" {
                @match missing {
                    Some(id) => { h2 id="lacking" { "This tenant is new" } (self.add(shell, form, errors, id)) }
                    None => { h2 id="lacking" { "Which tenant are these files of?" } (self.choose(shell, form, errors)) }
                }
            }
        }
    }

    fn action(&self) -> String {
        format!("/imports/{}/tenant", self.import)
    }

    /// Shows the form that adds a tenant whose identifier the files contain.
    fn add(&self, shell: &Shell, form: &NewTenant, errors: &Errors, id: &ProviderTenantId) -> Markup {
        shell.form(&self.action(), "form", html! {
            p { "The files are of " code { (id) } ", which is not among your tenants. They are kept for a day: name the tenant, and they are imported." }
            (form::hidden("providerTenantId", id.as_str()))
            (name(form, errors))
            div class="form-end" { button type="submit" class="button primary" { "Add this tenant and import" } }
        })
    }

    /// Shows the forms for files that do not name their tenant.
    fn choose(&self, shell: &Shell, form: &NewTenant, errors: &Errors) -> Markup {
        let choices: Vec<_> = self.tenants.iter().map(|(id, name)| (id.as_str(), text::shortened(name))).collect();
        let choices: Vec<_> = choices.iter().map(|(id, name)| (*id, name.as_ref())).collect();
        html! {
            div class="form" {
                p { "They do not name their tenant. They are kept for a day: choose the tenant, and they are imported." }
                @if !choices.is_empty() {
                    (shell.form(&self.action(), "with-button", html! {
                        (Field { name: "tenant", label: "Tenant", hint: "", value: &form.tenant, error: errors.of("tenant") }.select(&choices))
                        button type="submit" class="button primary" { "Import for this tenant" }
                    }))
                }
                details class="more" open[choices.is_empty() || !errors.is_empty()] {
                    summary { "A new tenant" }
                    (shell.form(&self.action(), "form", html! {
                        (name(form, errors))
                        (Field { name: "providerTenantId", label: "Provider tenant identifier", hint: "A GUID such as 01234567-89ab-cdef-0123-456789abcdef.", value: &form.provider_tenant_id, error: errors.of("providerTenantId") }.input("text", true))
                        div class="form-end" { button type="submit" class="button" { "Add this tenant and import" } }
                    }))
                }
            }
        }
    }
}

fn name(form: &NewTenant, errors: &Errors) -> Markup {
    Field {
        name: "name",
        label: "Name",
        hint: "As your people know the customer.",
        value: &form.name,
        error: errors.of("name"),
    }
    .input("text", true)
}
