//! Pages that say that nothing was saved, or that a page is in another organization, and lead on.

use maud::{Markup, html};

use super::form::{ORGANIZATION, RESUME, TO, hidden};
use super::layout::{Organization, Section, Shell, bare};
use super::text;
use crate::sent::Sent;

/// A form that could not be saved.
pub(crate) struct Page<'a> {
    /// The frame, if a person is signed in.
    pub(crate) shell: Option<&'a Shell>,
    /// Where the form was sent.
    pub(crate) action: &'a str,
    /// Whether the form can be shown again.
    pub(crate) is_kept: bool,
    /// The form.
    pub(crate) sent: &'a Sent,
    /// How to go on.
    pub(crate) way: Way<'a>,
}

/// How to go on with a form that could not be saved.
pub(crate) enum Way<'a> {
    /// Nobody is signed in. Has the page that the form was on.
    SignIn { to: Option<&'a str> },
    /// The form is for another organization of the person, if it is one of theirs. Has the page that the form was on.
    Switch { to: Option<&'a Organization>, page: Option<String> },
}

/// A page in another organization of the person.
pub(crate) struct Elsewhere<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The organization that has the page.
    pub(crate) organization: &'a Organization,
    /// Address of the page.
    pub(crate) address: &'a str,
}

/// Shows what was sent, and how to go on.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    const TITLE: &str = "Nothing was saved";
    let content = html! {
        h1 { (TITLE) }
        (happened(page))
        @if page.sent.typed().next().is_some() {
            dl class="details" {
                @for (name, value) in page.sent.typed() { dt { (label(name)) } dd { (text::prose(value)) } }
            }
        }
        @if page.sent.is_multipart { p class="quiet" { "Choose files again: a browser does not keep them." } }
        (way_on(page))
    };
    match page.shell {
        Some(shell) => shell.page(Section::Elsewhere, TITLE, html! { section class="card failure" { (content) } }),
        None => bare(TITLE, content),
    }
}

fn happened(page: &Page<'_>) -> Markup {
    match (&page.way, page.shell) {
        (Way::Switch { to: Some(organization), .. }, Some(shell)) => html! {
            p { "You switched to " strong { (text::name(&shell.viewer.organization.name)) } ", but the form is for "
                strong { (text::name(&organization.name)) } "." }
        },
        (Way::Switch { .. }, _) => html! {
            p { "The form is for an organization that you are not a member of." }
        },
        (Way::SignIn { .. }, _) => html! {
            p { "You are signed out: your session has ended, or you signed out in another tab." }
            @if page.is_kept { p { "Sign in in a new tab, then return to this one. It keeps what you entered." } }
        },
    }
}

fn way_on(page: &Page<'_>) -> Markup {
    html! {
        div class="form-end" {
            @match &page.way {
                Way::SignIn { .. } if page.is_kept => {
                    a class="button primary" href="/sign-in" target="_blank" { "Sign in in a new tab" }
                    (again(page, page.action, html! { "Show the form again" }))
                }
                Way::SignIn { to } => a class="button primary" href={ "/sign-in" @if let Some(to) = to { "?to=" (text::encoded(to)) } } { "Sign in" },
                Way::Switch { to: Some(organization), .. } if page.is_kept => {
                    (again(page, "/organizations", html! { "Switch to " (text::name(&organization.name)) " and show the form again" }))
                }
                Way::Switch { to: Some(organization), page } => (switch(organization, page.as_deref().unwrap_or("/"))),
                Way::Switch { to: None, .. } => a class="button primary" href="/" { "Go to the overview" },
            }
        }
    }
}

/// Shows a button that sends the form to be shown again.
fn again(page: &Page<'_>, action: &str, label: Markup) -> Markup {
    let kind = page.sent.is_multipart.then_some("multipart/form-data");
    html! {
        form method="post" action=(action) enctype=[kind] class="inline-form" {
            @for (name, value) in page.sent.fields() { (hidden(name, value)) }
            (hidden(RESUME, page.action))
            button type="submit" class="button" { (label) }
        }
    }
}

fn switch(organization: &Organization, to: &str) -> Markup {
    html! {
        form method="post" action="/organizations" class="inline-form" {
            (hidden(ORGANIZATION, organization.id.as_str()))
            (hidden(TO, to))
            button type="submit" class="button primary" { "Switch to " (text::name(&organization.name)) }
        }
    }
}

/// Shows that the page is in another organization.
pub(crate) fn elsewhere(page: &Elsewhere<'_>) -> Markup {
    page.shell.page(
        Section::Elsewhere,
        "In another organization",
        html! {
            section class="card failure" {
                h1 { "This page is in another organization" }
                p { "You are in " strong { (text::name(&page.shell.viewer.organization.name)) } ". The page belongs to "
                    strong { (text::name(&page.organization.name)) } "." }
                div class="form-end" { (switch(page.organization, page.address)) }
            }
        },
    )
}

/// Returns a field's name as words, such as `Suggested fix` for `suggestedFix`.
fn label(name: &str) -> String {
    let mut words = String::new();
    for (place, letter) in name.chars().enumerate() {
        match (place, letter.is_uppercase()) {
            (0, _) => words.extend(letter.to_uppercase()),
            (_, true) => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            (_, false) => words.push(letter),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_named_in_words() {
        assert_eq!(["note", "suggestedFix"].map(label), ["Note", "Suggested fix"]);
    }
}
