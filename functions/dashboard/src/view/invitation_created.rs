//! A new invitation's link, shown once.

use maud::{Markup, html};
use model::Role;
use model::Timestamp;
use web::view::layout::{Head, Shell};

use super::{settings, when};

/// The link.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The link, shown here and nowhere else.
    pub(crate) link: &'a str,
    /// The role that it gives.
    pub(crate) role: Role,
    /// When it ends.
    pub(crate) expires: Timestamp,
}

/// Shows the link.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[("/settings/members", html! { "Members" })],
        title: html! { "Invitation created" },
        about: Some(html! { span { (page.role) } span { "until " (when::date(page.expires)) } }),
        actions: None,
    };
    settings::page(
        page.shell,
        "/settings/members",
        &head,
        "Invitation created",
        html! {
            section class="card big" aria-label="Link" {
                p { strong { "Pass this link on now." } " It is shown this once. Whoever opens it first and signs in becomes the member, so send it to that person alone." }
                div class="secret" { code id="link" { (page.link) } button type="button" class="button small" data-copy="link" hidden { "Copy" } }
                a class="button primary" href="/settings/members" { "Back to members" }
            }
        },
    )
}
