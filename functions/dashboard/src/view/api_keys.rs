//! The organization's API keys.

use maud::{Markup, html};
use model::{KeyId, Timestamp};
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
    /// The description that was entered.
    pub(crate) description: &'a str,
    /// Errors of the form, under `description`.
    pub(crate) errors: &'a Errors,
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
}

/// Shows the keys.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "API keys" },
        about: Some(html! { "With a key, programs read your organization's reports, tenants and usage." }),
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
                        (Field { name: "description", label: "Description", hint: "Which program it is for, so that you know later. Optional.", value: page.description, error: page.errors.of("description") }.input("text", false))
                        button type="submit" class="button primary" { "Create key" }
                    }))
                }
            }
        },
    )
}

fn list(page: &Page<'_>, admin: bool) -> Markup {
    table::framed(
        "Keys",
        html! {
            table class="rows" {
                thead { tr { th scope="col" { "Description" } th scope="col" { "Created" } @if admin { th scope="col" { span class="away" { "Actions" } } } } }
                tbody { @for key in page.keys { tr {
                    th scope="row" { (shown(key.description.as_deref())) }
                    td class="nowrap" { (when::short_date(key.created)) }
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
