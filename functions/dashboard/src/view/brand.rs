//! The brand of the organization, for the PDF of its reports.

use maud::{Markup, html};
use web::view::form::{Errors, Field, checkbox, hidden};
use web::view::layout::{Head, Shell};
use web::view::text;

use super::settings;

/// The form.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The form's fields.
    pub(crate) form: &'a Form,
    /// The brand as it is now.
    pub(crate) preview: &'a Preview,
    /// Errors of the form, under the names of the fields; `logo` for the file.
    pub(crate) errors: &'a Errors,
}

/// The form: fields `name`, `accent` and `footer`, the file `logo`, and `removeLogo`. An empty field is a default.
#[derive(Clone, Default)]
pub(crate) struct Form {
    /// Version of the brand that the form was filled with.
    pub(crate) seen: String,
    /// Name on reports.
    pub(crate) name: String,
    /// Accent colour, such as `#3450c8`.
    pub(crate) accent: String,
    /// Footer of every page.
    pub(crate) footer: String,
}

/// The brand with its defaults, as documents show it.
pub(crate) struct Preview {
    /// Name.
    pub(crate) name: String,
    /// Accent colour, dark enough for text on white.
    pub(crate) accent: String,
    /// Footer.
    pub(crate) footer: String,
    /// Address of the logo.
    pub(crate) logo: Option<String>,
}

/// Shows the form.
pub(crate) fn page(page: &Page<'_>) -> Markup {
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
            (preview(page.preview))
            section class="card" aria-labelledby="change" {
                h2 id="change" { "Change it" }
                (page.shell.form_with_files("/settings/brand", "form", fields(page)))
            }
        },
    )
}

/// The first page of a document, in small. Its colour is an attribute of SVG: pages have no style of their own.
fn preview(brand: &Preview) -> Markup {
    html! {
        section class="card" aria-labelledby="preview" {
            h2 id="preview" { "Now" }
            div class="sheet" {
                @if let Some(logo) = &brand.logo { img class="logo" src=(logo) alt="Current logo"; }
                p class="sheet-name" { (text::name(&brand.name)) }
                svg class="sheet-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
                    rect width="100" height="1" fill=(brand.accent) {}
                }
                p { "Security posture report" }
                p class="sheet-foot" { (text::name(&brand.footer)) }
            }
            p class="quiet small" { "The accent colour is " code { (brand.accent) } "." }
        }
    }
}

fn fields(page: &Page<'_>) -> Markup {
    let Form { seen, name, accent, footer } = page.form;
    let field = |name, label, hint, value| Field { name, label, hint, value, error: page.errors.of(name) };
    let logo_error = page.errors.of("logo");
    html! {
        (hidden("seen", seen))
        (field("name", "Name", "Leave empty to use the organization's name.", name).input("text", false))
        (field("accent", "Accent colour", "Six hexadecimal digits, such as #3450c8. One that is too pale for text on white is shown darker. Leave empty for the default.", accent).input("text", false))
        (field("footer", "Footer", "One line at the end of every page. Leave empty for the name and \"Confidential\".", footer).input("text", false))
        div class="field" {
            label for="logo" { "Logo" }
            p class="hint" id="logo-hint" { "PNG or JPEG, up to 100 KB and 2000 x 2000 pixels. Without a file, the logo stays as it is." }
            input type="file" id="logo" name="logo" accept="image/png,image/jpeg" aria-invalid=[logo_error.map(|_| "true")]
                aria-describedby={ "logo-hint" @if logo_error.is_some() { " logo-error" } };
            @if let Some(error) = logo_error { p class="error" id="logo-error" { (text::visible(error)) } }
        }
        @if page.preview.logo.is_some() { (checkbox("removeLogo", "Remove the logo", "Reports then show the name alone.", false)) }
        div class="form-end" { button type="submit" class="button primary" { "Save" } }
    }
}
