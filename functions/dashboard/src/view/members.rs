//! Members of the organization, and open invitations.

use maud::{Markup, html};
use model::Timestamp;
use model::{Role, Wire};
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Shell};
use web::view::text;

use super::{settings, table, when, words};

/// The members.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The members.
    pub(crate) members: &'a [Member],
    /// Invitations that nobody has used yet.
    pub(crate) invitations: &'a [Invitation],
    /// The note that was entered.
    pub(crate) note: &'a str,
    /// Errors of the form, under `note`, `role` or the empty name.
    pub(crate) errors: &'a Errors,
}

/// A member.
#[derive(Clone)]
pub(crate) struct Member {
    /// Identifier, as addresses name it.
    pub(crate) id: String,
    /// Name, as the issuer reports it.
    pub(crate) name: String,
    /// E-mail address, as the issuer reports it; nobody checked it.
    pub(crate) email: Option<String>,
    /// Role.
    pub(crate) role: Role,
    /// Since when.
    pub(crate) since: Timestamp,
    /// Whether it is the signed-in person.
    pub(crate) is_viewer: bool,
    /// Whether it is the only Admin, who can be neither removed nor demoted.
    pub(crate) is_last_admin: bool,
}

/// An open invitation.
#[derive(Clone)]
pub(crate) struct Invitation {
    /// Identifier, as addresses name it.
    pub(crate) id: String,
    /// Whom it is for, as the Admin noted it.
    pub(crate) note: Option<String>,
    /// The role that it gives.
    pub(crate) role: Role,
    /// Who made it.
    pub(crate) by: String,
    /// When it ends.
    pub(crate) expires: Timestamp,
}

/// Shows the members.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Members" },
        about: Some(
            html! { (words::counted(page.members.len(), "member")) " of " (text::name(&page.shell.viewer.organization.name)) },
        ),
        actions: Some(html! { a class="button primary" href="#invite" { "Invite a member" } }),
    };
    settings::page(
        page.shell,
        "/settings/members",
        &head,
        "Members",
        html! {
            (page.errors.summary())
            section class="card flush" aria-label="Members" {
                (table::framed("Members", html! {
                    table class="rows" {
                        thead { tr { th scope="col" { "Member" } th scope="col" { "Role" } th scope="col" class="wide-only" { "Since" } th scope="col" { span class="away" { "Actions" } } } }
                        tbody { @for member in page.members { (row(page.shell, member)) } }
                    }
                }))
            }
            (invitations(page))
            section class="card" id="invite" aria-labelledby="invite-heading" {
                h2 id="invite-heading" { "Invite a member" }
                (page.shell.form("/settings/invitations", "form", html! { (page.shell.once())
                    (Field { name: "note", label: "Note", hint: "Who the invitation is for. Optional.", value: page.note, error: page.errors.of("note") }.input("text", false))
                    fieldset {
                        legend { "Role" }
                        @for (role, ticked) in [(Role::FullMember, true), (Role::Admin, false)] {
                            div class="choice" {
                                input type="radio" id={ "role-" (Wire(role)) } name="role" value=(Wire(role)) checked[ticked];
                                label for={ "role-" (Wire(role)) } { (role) span class="hint" { (words::role_meaning(role)) } }
                            }
                        }
                    }
                    div class="form-end" { button type="submit" class="button primary" { "Create invitation" } span class="hint" { "You get a link to pass on. It works once, for 7 days." } }
                }))
            }
        },
    )
}

fn row(shell: &Shell, member: &Member) -> Markup {
    let address = format!("/settings/members/{}", text::encoded(&member.id));
    let (other, label) = match member.role {
        Role::Admin => (Role::FullMember, "Make Full Member"),
        // A role that this release does not know can only be replaced by the one with fewer rights.
        Role::Unknown => (Role::FullMember, "Make Full Member"),
        Role::FullMember => (Role::Admin, "Make Admin"),
    };
    html! {
        tr {
            th scope="row" {
                (text::name(&member.name)) @if member.is_viewer { " " span class="tag" { "You" } }
                @if let Some(email) = &member.email { span class="under" { (text::name(email)) } }
            }
            td { (member.role) }
            td class="wide-only nowrap" { (when::short_date(member.since)) }
            td class="n" {
                @if member.is_last_admin { span class="quiet small" { "The last Admin stays" } }
                @else {
                    div class="row-actions" {
                        @if member.is_viewer { a class="button small" href={ (address) "/role" } { (label) "…" } }
                        @else {
                            (shell.form(&format!("{address}/role"), "inline-form", html! {
                                button type="submit" class="button small" name="role" value=(Wire(other)) { (label) span class="away" { ": " (text::name(&member.name)) } }
                            }))
                        }
                        a class="button small" href={ (address) "/remove" } { "Remove…" span class="away" { " " (text::name(&member.name)) } }
                    }
                }
            }
        }
    }
}

fn invitations(page: &Page<'_>) -> Markup {
    html! {
        @if !page.invitations.is_empty() {
            section class="card flush" aria-labelledby="invitations" {
                h2 id="invitations" { "Open invitations" }
                ul class="lines" { @for invitation in page.invitations { li {
                    div {
                        @match &invitation.note { Some(note) => strong { (text::name(note)) }, None => span class="quiet" { "No note" } }
                        span class="under" { (invitation.role) ", by " (text::name(&invitation.by)) ", until " (when::short_date(invitation.expires)) }
                    }
                    (page.shell.button(&format!("/settings/invitations/{}/revoke", text::encoded(&invitation.id)), "small", html! { "Revoke" span class="away" { " the invitation" } }))
                } } }
            }
        }
    }
}
