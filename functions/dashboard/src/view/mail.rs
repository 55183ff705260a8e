//! The mail of the signed-in member: the address, whether it is confirmed, and what is sent there.

use maud::{Markup, html};
use model::Secret;
use store::{CONFIRMATION_HOURS, MemberRecord, Target};
use web::view::form::Errors;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::confirmation::Question;
use super::notifications::{Form, pace, rules, state};
use super::{settings, table, when};

/// Address of the page.
const OWN: &str = "/settings/mail";

/// The mail of a member.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The member.
    pub(crate) member: &'a MemberRecord,
    /// The targets that are the member.
    pub(crate) targets: &'a [Target],
    /// Whether the service sends mail.
    pub(crate) is_offered: bool,
    /// The form that adds another target.
    pub(crate) form: Form<'a>,
}

/// Shows the mail of a member.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let Page { shell, form, .. } = page;
    let head = Head {
        above: &[],
        title: html! { "Your mail" },
        about: Some(html! { "Notifications of events at your own address." }),
        actions: None,
    };
    let content = html! {
        (form.errors.summary())
        @if page.is_offered { (form.previewed()) (address(page)) } @else { (not_offered()) }
        section class="card flush" aria-label="Your mail" { (targets(page)) }
        @if page.is_offered {
            section class="card" aria-labelledby="add" {
                h2 id="add" { "Add mail" }
                (shell.form(OWN, "form", html! { (shell.once()) (form.fields("Add")) }))
            }
        }
    };
    settings::page(shell, OWN, &head, "Your mail", content)
}

fn not_offered() -> Markup {
    html! { section class="card" aria-label="No mail" { p { "This service sends no mail. Its operator can set it up." } } }
}

fn address(Page { shell, member, .. }: &Page<'_>) -> Markup {
    html! {
        section class="card" aria-labelledby="address" {
            h2 id="address" { "Address" }
            @match member.address() {
                None => p { "Your sign-in service reported no mail address that can be used, so nothing can be sent to you." },
                Some(address) => {
                    p { strong { (text::name(address.as_str())) } ", as your sign-in service reports it." }
                    @match member.confirmed_at {
                        Some(at) => p class="quiet" { "Confirmed " (when::date(at)) ". If your sign-in service reports another address, confirm that one anew." },
                        None => {
                            p { "It is not confirmed, so nothing is sent there." @if let Some(asked) = &member.confirmation { " A confirmation was asked for on " (when::minute(asked.asked_at)) ": open the link in the mail within " (CONFIRMATION_HOURS) " hours." } }
                            div class="form-end" { (shell.button("/settings/mail/confirmation", "primary", html! { "Send a confirmation" })) }
                        }
                    }
                }
            }
        }
    }
}

fn targets(page: &Page<'_>) -> Markup {
    if page.targets.is_empty() {
        return empty("No mail yet", html! { p { "You receive no notifications by mail." } });
    }
    table::framed(
        "Your mail",
        html! {
            table class="rows" {
                thead { tr { th scope="col" { "Name" } th scope="col" { "Events" } th scope="col" { "State" } th scope="col" { span class="away" { "Actions" } } } }
                tbody { @for target in page.targets { tr {
                    th scope="row" { (text::name(&target.name)) span class="under" { (pace(target.pace)) } }
                    td { (text::name(&rules(&target.rules, page.form.tenants))) }
                    td { (state(target)) }
                    td class="n" { a class="button small" href={ (OWN) "/" (target.target_id) "/end" } { "End…" } }
                } } }
            }
        },
    )
}

/// Asks whether the address is the reader's.
pub(crate) fn confirming(shell: &Shell, secret: &Secret) -> Markup {
    let head = Head {
        above: &[(OWN, html! { "Your mail" })],
        title: html! { "Confirm your mail address" },
        about: None,
        actions: None,
    };
    let content = html! {
        section class="card" aria-label="Confirmation" {
            p { "Notifications are sent to the address at which you received this link." }
            (shell.button(&format!("{OWN}/confirm/{}", secret.reveal()), "primary", html! { "Confirm the address" }))
        }
    };
    settings::page(shell, OWN, &head, "Confirm your mail address", content)
}

/// Asks whether to end mail.
pub(crate) fn ending(shell: &Shell, target: &Target) -> Markup {
    Question {
        shell,
        section: Section::Settings,
        above: &[(OWN, html! { "Your mail" })],
        title: html! { "End this mail" },
        plain_title: "End mail",
        consequences: html! {
            p { strong { (text::name(&target.name)) } ": " (pace(target.pace)) "." }
            p { "Nothing is sent to you because of it any more, and what waits is not sent. The organization's audit trail says that you ended it." }
        },
        action: &format!("{OWN}/{}/end", target.target_id),
        label: "End this mail",
        instead: OWN,
        typed: None,
        errors: &Errors::default(),
    }
    .show()
}
