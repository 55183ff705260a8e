//! Asks whether to remove a member, or to give up the role of an Admin.

use maud::{Markup, html};
use model::{Role, Wire};
use web::view::form::{Errors, hidden};
use web::view::layout::{Section, Shell};
use web::view::text;

use super::confirmation::Question;
use super::members::Member;
use super::words;

/// The question.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The member.
    pub(crate) member: &'a Member,
}

/// Asks whether to remove the member.
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
        action: &format!("/settings/members/{}/remove", text::encoded(&page.member.id)),
        label: "Remove this member",
        instead: "/settings/members",
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}

/// Asks whether the member, who is an Admin, becomes a Full Member.
pub(crate) fn demotion(page: &Page<'_>) -> Markup {
    Question {
        shell: page.shell,
        section: Section::Settings,
        above: &[("/settings/members", html! { "Members" })],
        title: html! { "Make " (text::name(&page.member.name)) " a Full Member" },
        plain_title: "Give up the role of an Admin",
        consequences: html! {
            p { (words::role_meaning(Role::FullMember)) " Keys, members and the brand are for Admins." }
            @if page.member.is_viewer { p { strong { "This is your own role." } " Only another Admin can give it back to you." } }
            (hidden("role", &Wire(Role::FullMember).to_string()))
        },
        action: &format!("/settings/members/{}/role", text::encoded(&page.member.id)),
        label: "Make Full Member",
        instead: "/settings/members",
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}
