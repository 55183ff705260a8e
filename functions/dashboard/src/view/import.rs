//! Result of an import, in the command's terms.

use maud::{Markup, html};
use model::{Coverage, Timestamp};
use store::ImportedReport;
use web::view::form::Errors;
use web::view::layout::{Head, Section, Shell, empty};
use web::view::text;

use super::import_tenant::{NewTenant, Waiting};
use super::{chart, link, when, words};

/// Issues of a report that are shown at once; the others are behind a disclosure.
const ISSUES_SHOWN: usize = 10;

/// An import.
pub(crate) struct Page<'a> {
    /// The frame.
    pub(crate) shell: &'a Shell,
    /// When.
    pub(crate) at: Timestamp,
    /// Who.
    pub(crate) by: &'a str,
    /// The reports.
    pub(crate) reports: &'a [Report],
    /// Files and runs without a report: name, and what happened.
    pub(crate) failures: &'a [(String, String)],
    /// Issues that belong to no report.
    pub(crate) issues: &'a [String],
    /// Files that were not needed: name, and what they are.
    pub(crate) skipped: &'a [(String, String)],
    /// The files are kept, and runs lack a tenant.
    pub(crate) waiting: Option<&'a Waiting>,
    /// What was typed into the form for a tenant.
    pub(crate) form: &'a NewTenant,
    /// What is wrong with it.
    pub(crate) errors: &'a Errors,
}

/// A report of the import.
#[derive(Clone)]
pub(crate) struct Report {
    /// As it was recorded.
    pub(crate) record: ImportedReport,
    /// Name of its tenant; `None` if it was removed since.
    pub(crate) tenant_name: Option<String>,
}

/// Shows the result of an import.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let added = page.reports.iter().filter(|report| !report.record.already_there).count();
    let head = Head {
        above: &[("/imports", html! { "Imports" })],
        title: html! { "Import of " (when::minute(page.at)) },
        about: Some(html! {
            span { "by " (text::name(page.by)) }
            span { (words::counted(added, "report")) " added" }
            span { (page.reports.len() - added) " already there" }
            span { (page.failures.len()) " failed" }
        }),
        actions: Some(html! { a class="button primary" href="/imports" { "Import more" } }),
    };
    page.shell.page(Section::Imports, "Import", html! {
        (head.show())
        (page.errors.summary())
        @if let Some(waiting) = page.waiting { (waiting.show(page.shell, page.form, page.errors)) }
        @if page.reports.is_empty() && page.failures.is_empty() {
            section class="card" { (empty("No file contains results for a report", html! { p { "Choose the file that the tool wrote, or its whole output folder." } })) }
        }
        @if !page.failures.is_empty() {
            section class="card" aria-labelledby="failures" {
                h2 id="failures" { "Without a report" }
                dl class="failures" { @for (of, error) in page.failures { dt { (text::name(of)) } dd { (text::prose(error)) } } }
            }
        }
        @for report in page.reports { (one(report)) }
        @if !page.issues.is_empty() {
            section class="card" aria-labelledby="issues" { h2 id="issues" { "About all files" } (issues(page.issues)) }
        }
        @if !page.skipped.is_empty() {
            details class="more" {
                summary { (words::counted(page.skipped.len(), "file")) " skipped: not needed for a report" }
                ul class="plain-list" { @for (of, reason) in page.skipped { li { (text::name(of)) ": " (text::name(reason)) } } }
            }
        }
    })
}

fn one(Report { record, tenant_name }: &Report) -> Markup {
    let tenant = &record.service_tenant_id;
    html! {
        section class="card big" aria-label={ "Report " (record.report_id) } {
            div class="card-head" {
                h2 {
                    @match tenant_name {
                        Some(name) => a href=(link::report(tenant, &record.report_id)) { (text::name(name)) },
                        None => span class="quiet" { "Removed tenant " (tenant) },
                    } " "
                    @if record.already_there { span class="tag" { "Already there" } }
                    @else if record.replaced { span class="tag good" { "Replaced" } }
                    @else { span class="tag good" { "Added" } } }
                span class="score-cell" { b { (record.score) } (words::grade_badge(record.grade)) (chart::change(record.score, record.previous_score, record.coverage.as_ref())) }
            }
            p class="about" {
                span { (text::name(&record.tool)) } span { (words::report_type(record.report_type)) } span { "completed " (when::minute(record.completed_at)) }
                span { (text::name(&record.files.join(", "))) }
            }
            @if let Some(lost) = record.coverage.as_ref().and_then(Coverage::in_words) { p class="warn" { (lost) } }
            (chart::results(&record.controls))
            @if !record.issues.is_empty() {
                div { h3 { "Parts of the files could not be used" } (issues(&record.issues)) }
            }
            @if !record.left_out.is_empty() {
                details class="more" {
                    summary { (words::counted(record.left_out.len(), "control")) " that fit no section of a report, left out" }
                    ul class="plain-list" { @for (id, name, about) in &record.left_out { li {
                        code { (text::visible(id.as_str())) } " "
                        // Some tools name a control by its identifier.
                        @if name != id.as_str() { (text::name(name)) " " }
                        span class="quiet" { "about " (text::name(about)) }
                    } } }
                }
            }
        }
    }
}

fn issues(issues: &[String]) -> Markup {
    let (first, rest) = issues.split_at(issues.len().min(ISSUES_SHOWN));
    html! {
        ul class="plain-list" { @for issue in first { li { (text::prose(issue)) } } }
        @if !rest.is_empty() {
            details class="more" { summary { "And " (rest.len()) " more" } ul class="plain-list" { @for issue in rest { li { (text::prose(issue)) } } } }
        }
    }
}
