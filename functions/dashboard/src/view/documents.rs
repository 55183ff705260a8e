//! The PDFs of many reports: the form that requests them, and their archives.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::Label;
use store::{DocumentSet, RequestState};
use web::view::form::{Errors, Field};
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::{report, table, when, words};

/// The form, and the sets of the last 30 days.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All labels of tenants.
    pub(crate) labels: &'a BTreeSet<Label>,
    /// The sets, newest first.
    pub(crate) sets: &'a [DocumentSet],
    /// Errors of the form.
    pub(crate) errors: &'a Errors,
}

/// Shows the page.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[("/", html! { "Overview" })],
        title: html! { "PDFs of many reports" },
        about: Some(html! { "The newest report of each tool of every tenant, each as a PDF, in one ZIP archive." }),
        actions: None,
    };
    page.shell.page(
        Section::Portfolio,
        "PDFs of many reports",
        html! {
            (head.show())
            (page.errors.summary())
            section class="card" aria-labelledby="request" {
                h2 id="request" { "Make them" }
                (page.shell.form("/documents", "form", fields(page)))
            }
            section class="card flush" aria-labelledby="made" {
                h2 id="made" { "Archives" }
                @if page.sets.is_empty() {
                    (empty("No archives yet", html! { p { "An archive is kept for 30 days." } }))
                } @else {
                    (archives(page))
                }
            }
        },
    )
}

fn fields(page: &Page<'_>) -> Markup {
    let labels: Vec<_> =
        [("", "All tenants")].into_iter().chain(page.labels.iter().map(|it| (it.as_str(), it.as_str()))).collect();
    let reports = [("all", "All newest reports"), ("new", "Those added since the last archive was requested")];
    let field = |name, label| Field { name, label, hint: "", value: "", error: None };
    html! {
        (page.shell.once())
        (field("label", "Tenants").select(&labels))
        (field("reports", "Reports").select(&reports))
        div class="fields" { (report::pdf_choices()) }
        div class="form-end" {
            button type="submit" class="button primary" { "Make PDFs" }
            span class="hint" { "You can leave this page meanwhile." }
        }
    }
}

fn archives(page: &Page<'_>) -> Markup {
    table::framed(
        "Archives",
        html! {
            table class="rows" {
                thead { tr {
                    th scope="col" { "Requested" }
                    th scope="col" class="wide-only" { "By" }
                    th scope="col" { "Tenants" }
                    th scope="col" { "State" }
                } }
                tbody { @for set in page.sets { tr {
                    th scope="row" { (when::minute(set.requested_at)) span class="under narrow-only" { (text::name(&set.by)) } }
                    td class="wide-only" { (text::name(&set.by)) }
                    td {
                        @match &set.which.label { Some(label) => (text::name(label.as_str())), None => "All" }
                        @if let Some(since) = set.which.since { span class="under" { "new since " (when::minute(since)) } }
                    }
                    td { (state(page.shell, set)) }
                } } }
            }
        },
    )
}

fn state(shell: &Shell, set: &DocumentSet) -> Markup {
    match set.state {
        RequestState::Completed if set.documents == 0 => html! { "No tenant has such a report." },
        RequestState::Completed => html! {
            a href={ "/documents/" (set.set_id) "/documents.zip" } { "Download " (words::counted(set.documents - set.missing, "PDF")) }
            @if set.missing > 0 { span class="under" { (set.missing) " missing: the archive says why" } }
        },
        RequestState::Waiting => html! { "It waits for its turn." },
        RequestState::Running => html! {
            progress max=(set.documents.max(1)) value=(set.done) aria-label="PDFs that are made" {}
            span class="under" { (set.done) " of " (set.documents) }
            @if set.quiet_at() < shell.now { span class="under" { "There was no progress for a while." } }
        },
        RequestState::Failed | RequestState::Unknown => html! { "It cannot be made by this version of the service." },
    }
}
