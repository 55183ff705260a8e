//! Asks whether to pause a tenant.

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
    /// Its name.
    pub(crate) name: &'a str,
}

/// Asks.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let tenant = link::tenant(page.tenant);
    Question {
        shell: page.shell,
        section: Section::Tenants,
        above: &[("/tenants", html! { "Tenants" }), (&tenant, text::name(page.name))],
        title: html! { "Pause " (text::name(page.name)) },
        plain_title: "Pause a tenant",
        consequences: html! {
            p { "The API reports the tenant as paused from now on, and none of its users are billable. Its reports stay, and you can resume it at any time." }
        },
        action: &format!("{tenant}/pause"),
        label: "Pause this tenant",
        instead: &tenant,
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}
