//! Asks whether to remove a tenant.

use maud::{Markup, html};
use model::ServiceTenantId;

use super::confirmation::Question;
use super::form::Errors;
use super::layout::{Section, Shell};
use super::{link, text};

/// The question.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenant.
    pub(crate) tenant: &'a ServiceTenantId,
    /// Its name, which has to be typed.
    pub(crate) name: &'a str,
    /// What was typed.
    pub(crate) typed: &'a str,
    /// What is wrong with it, under `name`.
    pub(crate) errors: &'a Errors,
}

/// Renders the confirmation page.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let tenant = link::tenant(page.tenant);
    Question {
        shell: page.shell,
        section: Section::Tenants,
        above: &[("/tenants", html! { "Tenants" }), (&tenant, text::name(page.name))],
        title: html! { "Remove " (text::name(page.name)) },
        plain_title: "Remove a tenant",
        consequences: html! {
            p { "The tenant disappears from every list, and its reports are no longer shown or returned by the API. Usage of past days stays." }
            p { "To confirm, type the tenant's name: " strong { (text::name(page.name)) } }
        },
        action: &format!("{tenant}/remove"),
        label: "Remove this tenant",
        instead: &tenant,
        typed: Some(("Name of the tenant", page.typed)),
        errors: page.errors,
    }
    .show()
}
