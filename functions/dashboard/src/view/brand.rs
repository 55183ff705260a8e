//! The brand of the organization, for the PDF of its reports.

use maud::{Markup, html};

use super::form::{Errors, Field, checkbox};
use super::layout::{Head, Shell};
use super::{settings, text};

/// The form.
pub struct Page<'a> {
    /// The frame.
    pub shell: &'a Shell,
    /// What is in the form.
    pub form: &'a Form,
    /// Address of the current logo, where there is one.
    pub logo: Option<&'a str>,
    /// What is wrong, under the names of the fields; `logo` for the file.
    pub errors: &'a Errors,
}

/// The form: fields `name`, `accent` and `footer`, the file `logo`, and `removeLogo`.
#[derive(Clone, Default)]
pub struct Form {
    /// Name on reports.
    pub name: String,
    /// Accent colour, such as `#3450c8`.
    pub accent: String,
    /// Footer of every page.
    pub footer: String,
}

/// Shows the form.
pub fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Brand" },
        about: Some(html! { "How the PDF of a report names your organization." }),
        actions: None,
    };
    settings::page(
        page.shell,
        "/settings/brand",
        &head,
        "Brand",
        html! {
            (page.errors.summary())
            section class="card" aria-label="Brand" {
                form method="post" action="/settings/brand" enctype="multipart/form-data" class="form" {
                    (Field { name: "name", label: "Name", hint: "Leave empty to use the organization's name.", value: &page.form.name, error: page.errors.of("name") }.input("text", false))
                    (Field { name: "accent", label: "Accent colour", hint: "Six hexadecimal digits, such as #3450c8. Choose a dark one: text in it is on white.", value: &page.form.accent, error: page.errors.of("accent") }.input("text", false))
                    div class="field" {
                        label for="logo" { "Logo" }
                        p class="hint" id="logo-hint" { "PNG or JPEG, up to 100 KB." }
                        @if let Some(logo) = page.logo { img class="logo" src=(logo) alt="Current logo"; }
                        input type="file" id="logo" name="logo" accept="image/png,image/jpeg" aria-invalid=[page.errors.of("logo").map(|_| "true")]
                            aria-describedby={ "logo-hint" @if page.errors.of("logo").is_some() { " logo-error" } };
                        @if let Some(error) = page.errors.of("logo") { p class="error" id="logo-error" { (text::visible(error)) } }
                    }
                    @if page.logo.is_some() { (checkbox("removeLogo", "Remove the logo", "Reports then show the name alone.", false)) }
                    (Field { name: "footer", label: "Footer", hint: "One line at the end of every page.", value: &page.form.footer, error: page.errors.of("footer") }.input("text", false))
                    div class="form-end" { button type="submit" class="button primary" { "Save" } }
                }
            }
        },
    )
}
