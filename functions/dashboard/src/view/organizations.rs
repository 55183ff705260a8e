//! The organizations of the signed-in person.

use maud::{Markup, html};
use model::Role;
use web::view::layout::{Head, Organization, Section, Shell};
use web::view::text;

/// The person's organizations.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All of them, with the person's role in each.
    pub(crate) organizations: &'a [(Organization, Role)],
}

/// Shows them.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let current = &page.shell.viewer.organization.id;
    let head = Head {
        above: &[],
        title: html! { "Your organizations" },
        about: Some(html! { "You see the data of one organization at a time." }),
        actions: None,
    };
    page.shell.page(Section::Elsewhere, "Your organizations", html! {
        (head.show())
        section class="card flush" aria-label="Organizations" {
            ul class="lines" { @for (organization, role) in page.organizations {
                li {
                    div { strong { (text::name(&organization.name)) } span class="under" { (role) } }
                    @if organization.id == *current { span class="tag good" { "Open now" } }
                    @else {
                        form method="post" action="/organizations" class="inline-form" {
                            button type="submit" class="button small" name="organization" value=(organization.id) { "Switch to " (text::name(&organization.name)) }
                        }
                    }
                }
            } }
        }
        (page.shell.button("/sign-out", "", html! { "Sign out" }))
        (page.shell.button("/sign-out/everywhere", "", html! { "Sign out everywhere" }))
    })
}
