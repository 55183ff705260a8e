//! Texts of the organization: the list, and the form of one.

use maud::{Markup, html};
use model::Check;
use serde::Deserialize;
use store::{ControlText, EditMark, Texts};
use web::view::form::{self, Errors, Field};
use web::view::layout::{Head, Shell, empty};
use web::view::text;

use super::edits::{Field as Edited, field_name, label};
use super::{link, search, settings, table, when};

/// Address of the list.
pub(crate) const ADDRESS: &str = "/settings/texts";
/// Address of the form.
pub(super) const FORM: &str = "/settings/texts/edit";

/// Parameters of the list's address.
#[derive(Deserialize)]
pub(crate) struct Search {
    /// Words that are all in a text or its control.
    #[serde(default)]
    q: String,
}

/// The form.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The form's fields.
    pub(crate) form: &'a Form,
    /// Errors of the form, under the names of its fields.
    pub(crate) errors: &'a Errors,
}

/// The form as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Form {
    /// Name of the tool.
    pub(crate) tool: String,
    /// The control.
    pub(crate) control: String,
    /// Version of the text as the editor saw it; 0 for none.
    pub(crate) seen: String,
    /// Reason why the control matters; empty for what the tool says.
    pub(crate) why: String,
    /// The recommended change; empty for what the tool says.
    pub(crate) suggested_fix: String,
    /// `set` or `remove`.
    #[serde(rename = "do")]
    pub(crate) action: String,
}

impl Form {
    /// Returns the form filled with the text as it is.
    pub(crate) fn of(text: Option<ControlText>) -> Self {
        let seen = text.as_ref().map_or(0, |text| text.version).to_string();
        let Texts { why, suggested_fix } = text.map(|text| text.texts).unwrap_or_default();
        let (why, suggested_fix) = (why.unwrap_or_default(), suggested_fix.unwrap_or_default());
        Self { seen, why, suggested_fix, ..Self::default() }
    }

    /// Returns whether there is no text yet.
    pub(crate) fn is_new(&self) -> bool {
        self.seen == "0"
    }

    /// Returns the form filled with the texts of a check that people edited. The tool's own would stay as they are now,
    /// whatever a later version of the tool says.
    pub(crate) fn with(self, check: &Check, mark: Option<&EditMark>) -> Self {
        let text = |field, text: &Option<String>| {
            let is_edited = mark.is_some_and(|mark| mark.edited().any(|edited| edited == field));
            text.clone().filter(|_| is_edited).unwrap_or_default()
        };
        let why = text(Edited::Why, &check.why);
        Self { why, suggested_fix: text(Edited::SuggestedFix, &check.suggested_fix), ..self }
    }
}

/// Shows the list.
pub(crate) fn list(shell: &Shell, texts: &[ControlText], Search { q }: &Search) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Texts" },
        about: Some(
            html! { "Your organization's own words say why a control matters, and how to fix it. Each later import uses them for every tenant, unless an edit is kept for the tenant. Reports that exist stay as they are." },
        ),
        actions: None,
    };
    let shown = texts.iter().filter(|ControlText { tool, control_id, texts, .. }| {
        let words =
            [Some(tool.as_str()), Some(control_id.as_str()), texts.why.as_deref(), texts.suggested_fix.as_deref()];
        search::finds(q, words.into_iter().flatten())
    });
    settings::page(
        shell,
        ADDRESS,
        &head,
        "Texts",
        html! {
            section class="card flush" aria-label="Texts" {
                @if texts.is_empty() {
                    (empty("There is no text yet", html! { p { "To write one, choose ‘Use for all tenants’ at a check of a report, or ‘Text for all tenants’ on the page of a control." } }))
                } @else {
                    div class="card-head" {
                        form class="filters" method="get" action=(ADDRESS) role="search" aria-label="Find texts" {
                            label class="grow" { span class="away" { "Control or text" }
                                input type="search" name="q" value=(q) placeholder="Find a control or a text" data-filter="texts" data-count="texts-count"; }
                            button class="button" type="submit" { "Find" }
                        }
                    }
                    (table::framed("Texts", html! {
                        table class="rows" {
                            thead { tr { th scope="col" { "Control" } th scope="col" { "Text" } th scope="col" class="wide-only" { "Set by" } th scope="col" { span class="away" { "Actions" } } } }
                            tbody id="texts" { @for text in shown { (row(text)) } }
                        }
                    }))
                    p class="away" role="status" id="texts-count" data-total=(texts.len()) data-noun="texts" {}
                }
            }
        },
    )
}

fn row(ControlText { tool, control_id, texts, by, at, .. }: &ControlText) -> Markup {
    let parts = [(Edited::Why, &texts.why), (Edited::SuggestedFix, &texts.suggested_fix)];
    html! {
        tr data-item {
            th scope="row" { a href=(link::control(tool, control_id)) data-text { (text::visible(control_id.as_str())) } span class="under" data-text { (text::name(tool)) } }
            td { ul class="pairs" {
                @for (field, text) in parts {
                    @if let Some(text) = text { li data-text { span class="quiet" { (label(field)) ": " } (text::prose(text)) } }
                }
            } }
            td class="wide-only" { (text::name(by)) span class="under" { (when::minute(*at)) } }
            td class="n" { a class="button small" href=(link::text(tool, control_id)) { "Change" span class="away" { " " (text::visible(control_id.as_str())) } } }
        }
    }
}

/// Shows the form.
pub(crate) fn page(Page { shell, form, errors }: &Page<'_>) -> Markup {
    let head = Head {
        above: &[(ADDRESS, html! { "Texts" })],
        title: html! { "Text for all tenants" },
        about: Some(html! { span { code { (text::visible(&form.control)) } } span { (text::name(&form.tool)) } }),
        actions: None,
    };
    let field = |of, value| {
        let (name, hint) = (field_name(of), "If this is empty, reports have the tool's text.");
        Field { name, label: label(of), hint, value, error: errors.of(name) }.area(4)
    };
    settings::page(
        shell,
        ADDRESS,
        &head,
        "Text for all tenants",
        html! {
            (errors.summary())
            section class="card" aria-label="Text for all tenants" {
                (shell.form(FORM, "form", html! {
                    (form::hidden("tool", &form.tool))
                    (form::hidden("control", &form.control))
                    (form::hidden("seen", &form.seen))
                    (field(Edited::Why, &form.why))
                    (field(Edited::SuggestedFix, &form.suggested_fix))
                    div class="form-end" {
                        button type="submit" name="do" value="set" class="button primary" { "Save" }
                        @if !form.is_new() { button type="submit" name="do" value="remove" class="button" { "Remove the text" } }
                        a class="button" href=(ADDRESS) { "Cancel" }
                        span class="hint" { "It applies to later imports of every tenant, unless an edit is kept for the tenant." }
                    }
                }))
            }
        },
    )
}
