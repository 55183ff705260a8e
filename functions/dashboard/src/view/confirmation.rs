//! Shared by pages that confirm a destructive action.

use maud::{Markup, html};
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Section, Shell};

/// A question before something is lost.
pub(super) struct Question<'a> {
    /// The frame.
    pub(super) shell: &'a Shell,
    /// Part of the navigation.
    pub(super) section: Section,
    /// The pages above, by address and name.
    pub(super) above: &'a [(&'a str, Markup)],
    /// Title, such as `Remove Fabrikam`.
    pub(super) title: Markup,
    /// The same as plain text.
    pub(super) plain_title: &'a str,
    /// The consequences.
    pub(super) consequences: Markup,
    /// Address of the form.
    pub(super) action: &'a str,
    /// Label of the button.
    pub(super) label: &'a str,
    /// Address of the link that cancels.
    pub(super) instead: &'a str,
    /// A text to type as it is: its field's label and what was typed.
    pub(super) typed: Option<(&'a str, &'a str)>,
    /// The errors of the form that was sent.
    pub(super) errors: &'a Errors,
}

impl Question<'_> {
    /// Shows the question.
    pub(super) fn show(&self) -> Markup {
        let head = Head { above: self.above, title: self.title.clone(), about: None, actions: None };
        self.shell.page(self.section, self.plain_title, html! {
            (head.show())
            (self.errors.summary())
            section class="card" aria-label="Confirmation" {
                (self.shell.form(self.action, "form", html! {
                    div class="consequences" { (self.consequences) }
                    @if let Some((label, value)) = self.typed {
                        (Field { name: "name", label, hint: "", value, error: self.errors.of("name") }.input("text", true))
                    }
                    div class="form-end" {
                        button type="submit" class="button danger" { (self.label) }
                        a class="button" href=(self.instead) { "Cancel" }
                    }
                }))
            }
        })
    }
}
