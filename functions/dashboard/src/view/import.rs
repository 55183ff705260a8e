//! Result of an import, in the command's terms.

use maud::{Markup, html};
use model::{ControlsRollup, Coverage, Grade, ReportId, ReportType, ServiceTenantId, Timestamp};

use super::layout::{Head, Section, Shell, empty};
use super::{chart, link, text, when, words};

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
    /// Files and runs without a report.
    pub(crate) failures: &'a [Failure],
    /// Issues that belong to no report.
    pub(crate) issues: &'a [String],
    /// Files that were not needed: name, and what they are.
    pub(crate) skipped: &'a [(String, String)],
}

/// A report that was made, or was there already.
#[derive(Clone)]
pub(crate) struct Report {
    /// The files that hold the run.
    pub(crate) files: Vec<String>,
    /// Whether the report was there already.
    pub(crate) already_there: bool,
    /// Whether it replaced the report of another copy of the run.
    pub(crate) replaced: bool,
    /// Identifier.
    pub(crate) id: ReportId,
    /// The tenant.
    pub(crate) tenant: ServiceTenantId,
    /// Its name; `None` if it was removed since.
    pub(crate) tenant_name: Option<String>,
    /// Name of the tool.
    pub(crate) tool: String,
    /// Baseline or follow-up.
    pub(crate) kind: ReportType,
    /// When the run ended.
    pub(crate) completed: Timestamp,
    /// Score.
    pub(crate) score: u8,
    /// Grade.
    pub(crate) grade: Grade,
    /// Score at the baseline.
    pub(crate) previous_score: Option<u8>,
    /// Counts of controls by result.
    pub(crate) controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again.
    pub(crate) coverage: Option<Coverage>,
    /// Issues.
    pub(crate) issues: Vec<String>,
    /// Controls that fit no section: identifier, name and what they are about.
    pub(crate) left_out: Vec<(String, String, String)>,
}

/// A file or a run without a report.
#[derive(Clone)]
pub(crate) struct Failure {
    /// The file, or the run by its tool, time and files.
    pub(crate) of: String,
    /// What happened, and what to do.
    pub(crate) error: String,
}

/// Shows what became of the files.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let added = page.reports.iter().filter(|report| !report.already_there).count();
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
        @if page.reports.is_empty() && page.failures.is_empty() {
            section class="card" { (empty("No file contains results for a report", html! { p { "Choose the file that the tool wrote, or its whole output folder." } })) }
        }
        @if !page.failures.is_empty() {
            section class="card" aria-labelledby="failures" {
                h2 id="failures" { "Without a report" }
                dl class="failures" { @for failure in page.failures { dt { (text::name(&failure.of)) } dd { (text::prose(&failure.error)) } } }
            }
        }
        @for report in page.reports { (one(report)) }
        @if !page.issues.is_empty() {
            section class="card" aria-labelledby="issues" { h2 id="issues" { "About the files together" } (issues(page.issues)) }
        }
        @if !page.skipped.is_empty() {
            details class="more" {
                summary { (words::counted(page.skipped.len(), "file")) " skipped: not needed for a report" }
                ul class="plain-list" { @for (of, reason) in page.skipped { li { (text::name(of)) ": " (text::name(reason)) } } }
            }
        }
    })
}

fn one(report: &Report) -> Markup {
    html! {
        section class="card big" aria-label={ "Report " (report.id) } {
            div class="card-head" {
                h2 {
                    @match &report.tenant_name {
                        Some(name) => a href=(link::report(&report.tenant, &report.id)) { (text::name(name)) },
                        None => span class="quiet" { "Removed tenant " (report.tenant) },
                    } " "
                    @if report.already_there { span class="tag" { "Already there" } }
                    @else if report.replaced { span class="tag good" { "Replaced" } }
                    @else { span class="tag good" { "Added" } } }
                span class="score-cell" { b { (report.score) } (words::grade_badge(report.grade)) (chart::change(report.score, report.previous_score, report.coverage.as_ref())) }
            }
            p class="about" {
                span { (text::name(&report.tool)) } span { (words::report_type(report.kind)) } span { "completed " (when::minute(report.completed)) }
                span { (text::name(&report.files.join(", "))) }
            }
            @if let Some(lost) = report.coverage.as_ref().and_then(Coverage::in_words) { p class="warn" { (lost) } }
            (chart::results(&report.controls))
            @if !report.issues.is_empty() {
                div { h3 { "Not everything could be taken as it was" } (issues(&report.issues)) }
            }
            @if !report.left_out.is_empty() {
                details class="more" {
                    summary { (words::counted(report.left_out.len(), "control")) " that fit no section of a report, left out" }
                    ul class="plain-list" { @for (id, name, about) in &report.left_out { li { code { (text::visible(id)) } " " (text::name(name)) " " span class="quiet" { "about " (text::name(about)) } } } }
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
