//! Fields of forms. Errors are shown next to their field; input is kept.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::{Deserialize, Deserializer};

use super::text;

/// Field with the organization that a form is for. Every form has it.
pub const ORGANIZATION: &str = "organization";
/// Field with the address that a form was sent to when nothing could be saved: it is only shown again.
pub const RESUME: &str = "resume";
/// Field with the page to return to.
pub const TO: &str = "to";

/// The errors of a form: a sentence for each field by its name; the empty name is for the whole form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors(BTreeMap<&'static str, String>);

impl Errors {
    /// Returns a form without errors and one more.
    pub fn with(mut self, field: &'static str, sentence: impl Into<String>) -> Self {
        self.0.insert(field, sentence.into());
        self
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what is wrong with a field.
    pub fn of(&self, field: &str) -> Option<&str> {
        self.0.get(field).map(String::as_str)
    }

    /// Shows above a form that something is wrong, with a link to each field.
    pub fn summary(&self) -> Markup {
        html! {
            @if !self.is_empty() {
                div class="notice problem" role="alert" {
                    span class="notice-mark" aria-hidden="true" { "!" }
                    div {
                        @if let Some(whole) = self.of("") { p { (text::visible(whole)) } }
                        @for (field, sentence) in self.0.iter().filter(|(field, _)| !field.is_empty()) {
                            p { a href={ "#" (field) } { (text::visible(sentence)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A field of a form.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    /// Name, and identifier in the page.
    pub name: &'a str,
    /// Label.
    pub label: &'a str,
    /// A line below the label; empty for none.
    pub hint: &'a str,
    /// Its input.
    pub value: &'a str,
    /// The errors of the form that was sent.
    pub error: Option<&'a str>,
}

impl Field<'_> {
    /// Shows a line of text of a kind, such as `text` or `date`.
    pub fn input(&self, kind: &str, required: bool) -> Markup {
        self.around(html! {
            input type=(kind) id=(self.name) name=(self.name) value=(self.value) required[required] autocomplete="off"
                dir="auto" aria-invalid=[self.invalid()] aria-describedby=[self.described_by()];
        })
    }

    /// Shows several lines of text.
    pub fn area(&self, rows: u32) -> Markup {
        self.around(html! {
            textarea id=(self.name) name=(self.name) rows=(rows) dir="auto" aria-invalid=[self.invalid()]
                aria-describedby=[self.described_by()] { "\n" (self.value) }
        })
    }

    /// Shows a choice of values by their labels.
    pub fn select<N: AsRef<str>, L: AsRef<str>>(&self, choices: &[(N, L)]) -> Markup {
        self.around(html! {
            select id=(self.name) name=(self.name) aria-invalid=[self.invalid()] aria-describedby=[self.described_by()] {
                @for (value, label) in choices { option value=(value.as_ref()) selected[value.as_ref() == self.value] { (label.as_ref()) } }
            }
        })
    }

    fn around(&self, control: Markup) -> Markup {
        html! {
            div class="field" {
                label for=(self.name) { (self.label) }
                @if !self.hint.is_empty() { p class="hint" id={ (self.name) "-hint" } { (self.hint) } }
                (control)
                @if let Some(error) = self.error { p class="error" id={ (self.name) "-error" } { (text::visible(error)) } }
            }
        }
    }

    fn invalid(&self) -> Option<&'static str> {
        self.error.map(|_| "true")
    }

    fn described_by(&self) -> Option<String> {
        let hint = (!self.hint.is_empty()).then(|| format!("{}-hint", self.name));
        let error = self.error.map(|_| format!("{}-error", self.name));
        let ids: Vec<_> = [hint, error].into_iter().flatten().collect();
        (!ids.is_empty()).then(|| ids.join(" "))
    }
}

/// Shows a box to tick; ticked, the form sends `on`.
pub fn checkbox(name: &str, label: &str, hint: &str, ticked: bool) -> Markup {
    html! {
        div class="choice" {
            input type="checkbox" id=(name) name=(name) checked[ticked] aria-describedby={ (name) "-hint" };
            label for=(name) { (label) span class="hint" id={ (name) "-hint" } { (hint) } }
        }
    }
}

/// Reads a box to tick, which is sent only if it is ticked: for fields with a default.
pub fn ticked<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    String::deserialize(field).map(|_| true)
}

/// Shows a value that the form sends back as it is.
pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_beside_its_field_and_the_input_stays() {
        let errors = Errors::default().with("name", "Enter a name").with("", "Nothing was saved.");
        let field = Field { name: "name", label: "Name", hint: "As shown", value: "\"><b>", error: errors.of("name") };
        let shown = field.input("text", true).into_string();
        assert!(shown.contains(r#"aria-describedby="name-hint name-error""#), "{shown}");
        assert!(
            shown.contains(r#"aria-invalid="true""#) && shown.contains(r#"id="name-error">Enter a name"#),
            "{shown}"
        );
        assert!(shown.contains(r#"value="&quot;&gt;&lt;b&gt;""#), "{shown}");
        let summary = errors.summary().into_string();
        assert!(summary.contains("href=\"#name\"") && summary.contains("Nothing was saved."), "{summary}");
        let fine = Field { error: None, hint: "", ..field }.input("text", true).into_string();
        assert!(!fine.contains("aria-invalid") && !fine.contains("aria-describedby"), "{fine}");
    }

    #[test]
    fn the_first_line_of_a_text_is_not_eaten() {
        let field = Field { name: "why", label: "Why", hint: "", value: "\nsecond </textarea>", error: None };
        let shown = field.area(3).into_string();
        assert!(shown.contains(">\n\nsecond &lt;/textarea&gt;</textarea>"), "{shown}");
    }
}
