//! Asks whether to remove a member.

use maud::{Markup, html};

use super::confirmation::Question;
use super::form::Errors;
use super::layout::{Section, Shell};
use super::members::Member;
use super::{link, text};

/// The question.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The member.
    pub(crate) member: &'a Member,
}

/// Renders the confirmation page.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    Question {
        shell: page.shell,
        section: Section::Settings,
        above: &[("/settings/members", html! { "Members" })],
        title: html! { "Remove " (text::name(&page.member.name)) },
        plain_title: "Remove a member",
        consequences: html! {
            p { "Their next request is refused, on every device. What they did stays in the audit trail, and API keys stay valid." }
            p { "To come back, they need a new invitation." }
        },
        action: &format!("/settings/members/{}/remove", link::encoded(&page.member.id)),
        label: "Remove this member",
        instead: "/settings/members",
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}
