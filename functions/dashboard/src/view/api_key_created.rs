//! A new API key, shown once.

use maud::{Markup, html};
use model::{ApiKey, KeyScope};
use web::view::layout::{Head, Shell};

use super::{api_keys, settings};

/// The key.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The key, shown here and nowhere else.
    pub(crate) key: &'a ApiKey,
    /// Description.
    pub(crate) description: Option<&'a str>,
    /// The rights of the key.
    pub(crate) scope: KeyScope,
    /// Address of the API, for an example.
    pub(crate) api_url: &'a str,
}

/// Shows the key.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[("/settings/api-keys", html! { "API keys" })],
        title: html! { "Your new key" },
        about: Some(api_keys::shown(page.description)),
        actions: None,
    };
    settings::page(
        page.shell,
        "/settings/api-keys",
        &head,
        "New API key",
        html! {
            section class="card big" aria-label="Key" {
                p { strong { "Copy the key now." } " It is shown this once and cannot be retrieved later." }
                div class="secret" { code id="key" { (page.key.reveal()) } button type="button" class="button small" data-copy="key" hidden { "Copy" } }
                @if !page.api_url.is_empty() {
                    p class="quiet" { "To try it, with the key in place of " code { "KEY" } ":" }
                    pre tabindex="0" { code { "curl -H \"Authorization: Bearer KEY\" " (page.api_url) @if page.scope == KeyScope::Import { "/v1/imports" } @else { "/v1/tenants" } } }
                }
                a class="button primary" href="/settings/api-keys" { "I have copied it" }
            }
        },
    )
}
