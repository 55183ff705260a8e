//! Asks whether to pause or to remove a tenant.

use maud::{Markup, html};
use model::ServiceTenantId;
use web::view::form::Errors;
use web::view::layout::{Section, Shell};
use web::view::text;

use super::confirmation::Question;
use super::link;

/// The tenant of a question.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenant.
    pub(crate) tenant: &'a ServiceTenantId,
    /// Its name.
    pub(crate) name: &'a str,
}

impl Page<'_> {
    /// Asks whether to pause the tenant.
    pub(crate) fn pause(&self) -> Markup {
        let consequences = html! {
            p { "The API reports the tenant as paused from now on, and none of its users are billable. Its reports stay, and you can resume it at any time." }
        };
        self.question("Pause", consequences, None, &Errors::default())
    }

    /// Asks whether to remove the tenant, whose name has to be typed. What is wrong with it is under `name`.
    pub(crate) fn removal(&self, typed: &str, errors: &Errors) -> Markup {
        let consequences = html! {
            p { "The tenant disappears from every list, and its reports are no longer shown or returned by the API. Usage of past days stays." }
            p { "To confirm, type the tenant's name: " strong { (text::name(self.name)) } }
        };
        self.question("Remove", consequences, Some(("Name of the tenant", typed)), errors)
    }

    /// Asks whether to end the connection of the tenant.
    pub(crate) fn disconnection(&self, errors: &Errors) -> Markup {
        let consequences = html! {
            p { "No more reports are made of this tenant on request. Its reports stay, and other organizations that are connected to the tenant are not affected." }
            p { "The service's application stays in the tenant until its administrator removes it there: in the Microsoft Entra admin center, under Enterprise applications." }
        };
        let tenant = link::tenant(self.tenant);
        let connection = link::connection(self.tenant);
        Question {
            shell: self.shell,
            section: Section::Tenants,
            above: &[("/tenants", html! { "Tenants" }), (&tenant, text::name(self.name))],
            title: html! { "Disconnect " (text::name(self.name)) },
            plain_title: "Disconnect a tenant",
            consequences,
            action: &format!("{connection}/end"),
            label: "Disconnect this tenant",
            instead: &connection,
            typed: None,
            errors,
        }
        .show()
    }

    fn question(&self, verb: &str, consequences: Markup, typed: Option<(&str, &str)>, errors: &Errors) -> Markup {
        let tenant = link::tenant(self.tenant);
        Question {
            shell: self.shell,
            section: Section::Tenants,
            above: &[("/tenants", html! { "Tenants" }), (&tenant, text::name(self.name))],
            title: html! { (verb) " " (text::name(self.name)) },
            plain_title: &format!("{verb} a tenant"),
            consequences,
            action: &format!("{tenant}/{}", verb.to_lowercase()),
            label: &format!("{verb} this tenant"),
            instead: &tenant,
            typed,
            errors,
        }
        .show()
    }
}
