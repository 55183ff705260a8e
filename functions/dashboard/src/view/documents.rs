//! The PDFs of many reports: the form that requests them, and their archives.

use std::collections::BTreeSet;

use maud::{Markup, html};
use model::{Every, Label};
use store::{DocumentSchedule, DocumentSet, RequestState};
use web::view::form::{self, Errors, Field};
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::schedule::day_words;
use super::{report, table, when, words};

const SINCE_LAST: &str = "Those added since the last archive was requested";
const SINCE_MONTH: &str = "Those added in the month before";

/// The forms, and the sets of the last 30 days.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// All labels of tenants.
    pub(crate) labels: &'a BTreeSet<Label>,
    /// The sets, newest first.
    pub(crate) sets: &'a [DocumentSet],
    /// The sets that are requested unasked.
    pub(crate) scheduled: &'a [DocumentSchedule],
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
                (page.shell.form("/documents", "form", fields(page, SINCE_LAST, "Make PDFs", html! {})))
                @for of in page.scheduled { p { (tenants(of.label.as_ref())) ": " (days(of)) } }
                @if page.shell.is_admin() { p { a class="button" href="/documents/schedule" { "Make them every month…" } } }
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

/// Shows the sets that are requested unasked, and the form of one.
pub(crate) fn schedule_page(page: &Page<'_>) -> Markup {
    let head = Head {
        above: &[("/documents", html! { "PDFs of many reports" })],
        title: html! { "PDFs every month" },
        about: Some(
            html! { "They are made at midnight UTC, and kept for 30 days. Each label, and all tenants, has one schedule." },
        ),
        actions: None,
    };
    let months: Vec<_> = (1..=31).map(Every::Month).map(|every| (every.to_string(), day_words(every))).collect();
    let every =
        Field { name: "every", label: "Days", hint: "A shorter month has its last day.", value: "", error: None };
    page.shell.page(
        Section::Portfolio,
        "PDFs every month",
        html! {
            (head.show())
            (page.errors.summary())
            section class="card" aria-label="Schedule" {
                @for of in page.scheduled {
                    p { (tenants(of.label.as_ref())) ": " (days(of)) }
                    (page.shell.form("/documents/schedule", "inline-form", end_of(page, of)))
                }
                (page.shell.form("/documents/schedule", "form", fields(page, SINCE_MONTH, "Save schedule", every.select(&months))))
            }
        },
    )
}

/// Returns when documents are made, in words.
fn days(of: &DocumentSchedule) -> String {
    format!("{}{}", day_words(of.schedule.every), if of.only_new { ", of new reports" } else { "" })
}

fn end_of(page: &Page<'_>, of: &DocumentSchedule) -> Markup {
    html! {
        (page.shell.once())
        (form::hidden("label", of.label.as_ref().map_or("", Label::as_str)))
        button type="submit" class="button small" name="every" value="never" { "End" span class="away" { " " (tenants(of.label.as_ref())) } }
    }
}

fn tenants(label: Option<&Label>) -> Markup {
    html! { @match label { Some(label) => (text::name(label.as_str())), None => "All tenants" } }
}

/// Shows the fields of a form: which reports are new, its button, and what is above the others.
fn fields(page: &Page<'_>, new: &str, button: &str, above: Markup) -> Markup {
    let labels: Vec<_> =
        [("", "All tenants")].into_iter().chain(page.labels.iter().map(|it| (it.as_str(), it.as_str()))).collect();
    let reports = [("all", "All newest reports"), ("new", new)];
    let field = |name, label| Field { name, label, hint: "", value: "", error: None };
    html! {
        (page.shell.once())
        (above)
        (field("label", "Tenants").select(&labels))
        (field("reports", "Reports").select(&reports))
        div class="fields" { (report::pdf_choices()) }
        div class="form-end" {
            button type="submit" class="button primary" { (button) }
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
