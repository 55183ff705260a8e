//! The form that uploads results of assessment tools, and earlier imports.

use maud::{Markup, html};
use model::{ImportId, TenantListItem, Timestamp};
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Section, Shell, empty};
use web::view::{form, text};

use super::{table, when, words};

/// Most tenants of an import that are named in the list.
const TENANTS_NAMED: usize = 3;

/// The form and the newest imports.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// The tenants, for files that do not name theirs.
    pub(crate) tenants: &'a [TenantListItem],
    /// The form's fields.
    pub(crate) form: &'a Form,
    /// Errors of the form, under the names of its fields; `files` for the upload.
    pub(crate) errors: &'a Errors,
    /// Most that is taken at once, in bytes.
    pub(crate) limit: u64,
    /// Most that is taken one by one, in bytes.
    pub(crate) total: u64,
    /// Earlier imports, newest first.
    pub(crate) imports: &'a [Import],
}

/// The options of an import: fields `tenant`, `completedAt` and `asBaseline`, beside the `files`.
#[derive(Clone, Default)]
pub(crate) struct Form {
    /// Service identifier of the tenant; empty for the one that the file names.
    pub(crate) tenant: String,
    /// When the run completed; empty for what the file says.
    pub(crate) completed_at: String,
    /// Whether the reports are baselines.
    pub(crate) as_baseline: bool,
    /// Identifier of the upload.
    pub(crate) upload: String,
    /// Names of its files that are kept.
    pub(crate) kept: Vec<String>,
}

/// An earlier import.
#[derive(Clone)]
pub(crate) struct Import {
    /// Identifier.
    pub(crate) id: ImportId,
    /// When.
    pub(crate) at: Timestamp,
    /// Who.
    pub(crate) by: String,
    /// Names of the tenants of its reports.
    pub(crate) tenants: Vec<String>,
    /// Number of files.
    pub(crate) files: usize,
    /// Number of reports that were added.
    pub(crate) added: usize,
    /// Number of reports that were there already.
    pub(crate) already_there: usize,
    /// Number of files and runs without a report.
    pub(crate) failed: usize,
}

/// Shows the form.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[],
        title: html! { "Imports" },
        about: Some(html! { "Results of assessment tools become reports." }),
        actions: None,
    };
    page.shell.page(
        Section::Imports,
        "Imports",
        html! {
            (head.show())
            (page.errors.summary())
            (upload(page))
            (earlier(page))
        },
    )
}

fn upload(page: &Page<'_>) -> Markup {
    let tenants = page.tenants.iter().map(|tenant| (tenant.service_tenant_id.as_str(), text::shortened(&tenant.name)));
    let named: Vec<_> = tenants.collect();
    let choices: Vec<_> = [("", "The one that the file names")]
        .into_iter()
        .chain(named.iter().map(|(id, name)| (*id, name.as_ref())))
        .collect();
    html! {
        section class="card" aria-labelledby="upload" {
            h2 id="upload" { "Import results" }
            (page.shell.form_with_files("/imports", "form", html! {
                (form::hidden("upload", &page.form.upload))
                @if !page.form.kept.is_empty() {
                    div class="kept-files" {
                        p { (words::counted(page.form.kept.len(), "file")) " already sent, to be imported with those that you add:" }
                        ul class="plain-list" { @for name in &page.form.kept { li { (text::name(name)) } } }
                    }
                }
                div class="drop" data-drop="files" {
                    svg viewBox="0 0 48 48" width="40" height="40" aria-hidden="true" { path class="empty-line" d="M24 32V12m0 0-8 8m8-8 8 8M10 32v4a3 3 0 0 0 3 3h22a3 3 0 0 0 3-3v-4" {} }
                    label for="files" { "Files or archives" }
                    p class="hint" id="files-hint" { "Results of ScubaGear, Maester, Prowler, Secure Score or the Zero Trust Assessment, with exports of the directory beside them; a tool's output folder as a .zip. " span data-plain { "Up to " (text::megabytes(page.limit)) " at once" } span data-scripted hidden { "A file can have up to " (text::megabytes(page.limit)) ", compressed, and all together " (text::megabytes(page.total)) } "; put larger ones into the deployment's import bucket, or import them with the posture command." }
                    input type="file" id="files" name="files" multiple required[page.form.kept.is_empty()] data-limit=(page.limit) data-total=(page.total) data-send="/imports/files"
                        aria-invalid=[page.errors.of("files").map(|_| "true")]
                        aria-describedby={ "files-hint" @if page.errors.of("files").is_some() { " files-error" } };
                    @if let Some(error) = page.errors.of("files") { p class="error" id="files-error" { (text::visible(error)) } }
                    p class="chosen" data-chosen role="status" {}
                    progress class="sending" aria-label="Files sent" hidden {}
                }
                details class="more" open[!page.errors.is_empty() || !page.form.tenant.is_empty()] {
                    summary { "Options" }
                    div class="form" {
                        (Field { name: "tenant", label: "Tenant", hint: "Needed only where the file does not name its tenant.", value: &page.form.tenant, error: page.errors.of("tenant") }.select(&choices))
                        (Field { name: "completedAt", label: "Completed at", hint: "Needed only where the file does not say when its run ended: such as 2026-01-31T09:30:00Z.", value: &page.form.completed_at, error: page.errors.of("completedAt") }.input("text", false))
                        (form::checkbox("asBaseline", "Start a new baseline", "Later reports of the tool compare with this one.", page.form.as_baseline))
                    }
                }
                div class="form-end" { button type="submit" class="button primary" { "Import" } span class="hint" { "The same run makes the same report, however often it is imported." } }
            }))
            (page.shell.form_with_files("/imports", "folder", html! {
                (form::hidden("upload", &page.form.upload))
                label for="folder" { "Or a whole folder" }
                input type="file" id="folder" name="files" webkitdirectory data-limit=(page.limit) data-total=(page.total) data-send="/imports/files";
                button type="submit" class="button" { "Import folder" }
            }))
        }
    }
}

fn earlier(page: &Page<'_>) -> Markup {
    html! {
        section class="card flush" aria-labelledby="earlier" {
            h2 id="earlier" { "Earlier imports" }
            @if page.imports.is_empty() {
                (empty("No imports yet", html! { p { "Choose the results of a tool above. The result of each file is shown here." } }))
            } @else {
                (table::framed("Earlier imports", html! {
                    table class="rows" {
                        thead { tr {
                            th scope="col" { "When" }
                            th scope="col" class="wide-only" { "Tenants" }
                            th scope="col" class="wide-only" { "By" }
                            th scope="col" class="n wide-only" { "Files" }
                            th scope="col" class="n" { "Added" }
                            th scope="col" class="n wide-only" { "Already there" }
                            th scope="col" class="n" { "Failed" }
                        } }
                        tbody { @for import in page.imports { tr {
                            th scope="row" { a href={ "/imports/" (import.id) } { (when::minute(import.at)) } span class="under narrow-only" { (of_tenants(&import.tenants)) } span class="under narrow-only" { (text::name(&import.by)) } }
                            td class="wide-only" { (of_tenants(&import.tenants)) }
                            td class="wide-only" { (text::name(&import.by)) }
                            td class="n wide-only" { (import.files) }
                            td class="n" { (import.added) }
                            td class="n wide-only" { (table::count(import.already_there as u32)) }
                            td class="n" { @if import.failed > 0 { span class="tag bad" { (import.failed) } } @else { span class="zero" { "0" } } }
                        } } }
                    }
                }))
            }
        }
    }
}

/// Names the tenants of an import: the first few, and how many others.
fn of_tenants(names: &[String]) -> Markup {
    html! {
        @for (place, name) in names.iter().take(TENANTS_NAMED).enumerate() { @if place > 0 { ", " } (text::name(name)) }
        @if names.len() > TENANTS_NAMED { " and " (names.len() - TENANTS_NAMED) " more" }
    }
}
