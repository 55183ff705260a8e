//! Asks whether to delete an API key.

use maud::{Markup, html};
use web::view::form::Errors;
use web::view::layout::{Section, Shell};

use super::api_keys::{Key, shown};
use super::confirmation::Question;
use super::{link, when};

/// The question.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The key.
    pub(crate) key: &'a Key,
}

/// Renders the confirmation page.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    Question {
        shell: page.shell,
        section: Section::Settings,
        above: &[("/settings/api-keys", html! { "API keys" })],
        title: html! { "Delete this key" },
        plain_title: "Delete an API key",
        consequences: html! {
            p { strong { (shown(page.key.description.as_deref())) } ", created " (when::date(page.key.created)) "." }
            p { "The next request of a program that uses it fails with 401. This cannot be undone." }
        },
        action: &link::delete_key(&page.key.id),
        label: "Delete this key",
        instead: "/settings/api-keys",
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}
