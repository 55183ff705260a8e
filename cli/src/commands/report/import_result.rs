//! The result of an import, for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use assessments::Issue;
use model::{Coverage, counted};
use operations::import::{ImportResult, ImportedRun, Outcome, SkippedFile};

use crate::output::{Column, plain, table, wire_name};

/// Number of issues shown per report; the JSON has all of them.
const ISSUES_SHOWN: usize = 10;

/// Number of skipped files named per reason; the JSON has all of them.
const NAMES_SHOWN: usize = 3;

/// Returns the details first, so the table stays in view.
pub(super) fn readable(result: &ImportResult) -> String {
    let mut text = String::new();
    for report in &result.reports {
        text += &coverage(report);
        text += &left_out(report);
        text += &issues(&report.files.join(", "), &report.imported.issues);
    }
    text += &issues("The files together", &result.issues);
    text += &skipped(&result.skipped);
    text += &reports(&result.reports);
    if !result.failures.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n\nWithout a report, for the reasons above: {}", result.failures.len());
    }
    text
}

fn reports(reports: &[ImportedRun]) -> String {
    if reports.is_empty() {
        return "No file contains results for a report.".to_owned();
    }
    let columns = [
        Column::text("FILE"),
        Column::text("TOOL"),
        Column::text("TENANT"),
        Column::text("COMPLETED"),
        Column::text("TYPE"),
        Column::number("SCORE"),
        Column::text("GRADE"),
        Column::number("SECURE"),
        Column::number("FIXED"),
        Column::number("IN PROGRESS"),
        Column::number("OPEN"),
        Column::number("DRIFTED"),
        Column::number("NOT ASSESSED"),
        Column::number("LEFT OUT"),
        Column::number("WARNINGS"),
        Column::text("RESULT"),
        Column::text("REPORT"),
    ];
    table(&columns, reports.iter().map(row))
}

fn row(ImportedRun { files, imported }: &ImportedRun) -> Vec<String> {
    let outcome = match imported.outcome {
        Outcome::Added => "added",
        Outcome::AlreadyThere => "already there",
        Outcome::Replaced => "replaced",
        Outcome::WouldBeAdded => "would be added",
        Outcome::WouldBeReplaced => "would be replaced",
    };
    let counts = &imported.figures.controls;
    let mut row = vec![
        files.join(", "),
        imported.tool.clone(),
        imported.service_tenant_id.to_string(),
        imported.figures.completed_at.to_string(),
        wire_name(&imported.figures.report_type),
        imported.figures.score.to_string(),
        wire_name(&imported.figures.grade),
    ];
    let counts = [counts.secure, counts.fixed, counts.in_progress, counts.open, counts.drifted, counts.not_assessed];
    row.extend(counts.map(|count| count.to_string()));
    row.extend([imported.left_out.len().to_string(), imported.issues.len().to_string()]);
    row.extend([outcome.to_owned(), imported.report_id.to_string()]);
    row
}

/// Says which controls of the baseline a run did not assess.
fn coverage(report: &ImportedRun) -> String {
    let lost = report.imported.figures.coverage.as_ref().and_then(Coverage::in_words);
    lost.map(|lost| format!("{}: {lost}\n\n", plain(&report.files.join(", ")))).unwrap_or_default()
}

/// Returns the controls of a run that fit no section, grouped by subject.
fn left_out(report: &ImportedRun) -> String {
    if report.imported.left_out.is_empty() {
        return String::new();
    }
    let mut controls: Vec<_> = report.imported.left_out.iter().collect();
    // Stable, so the controls with the same reason keep their order.
    controls.sort_by_key(|control| &control.reason);
    let files = report.files.join(", ");
    let count = controls.len();
    let mut text = format!("{}: controls that fit no section of a report, left out: {count}\n", plain(&files));
    for of_reason in controls.chunk_by(|a, b| a.reason == b.reason) {
        let _ = writeln!(text, "  about {}: {}", plain(&of_reason[0].reason), of_reason.len());
        for control in of_reason {
            let _ = writeln!(text, "    {}  {}", plain(control.control_id.as_str()), plain(&control.name));
        }
    }
    text + "\n"
}

/// Returns one line about the skipped files.
fn skipped(files: &[SkippedFile]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for file in files {
        by_reason.entry(&file.reason).or_default().push(file_name(&file.of));
    }
    let reasons = by_reason.into_iter().map(|(reason, names)| {
        let more = names.len().saturating_sub(NAMES_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{} ({}{more})", plain(reason), plain(&names[..names.len().min(NAMES_SHOWN)].join(", ")))
    });
    format!("Skipped {}: {}\n\n", counted(files.len(), "file"), reasons.collect::<Vec<_>>().join("; "))
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn issues(of: &str, issues: &[Issue]) -> String {
    if issues.is_empty() {
        return String::new();
    }
    let mut text = format!("{}: parts of the file could not be used\n", plain(of));
    for issue in issues.iter().take(ISSUES_SHOWN) {
        let _ = writeln!(text, "  {}", plain(&issue.to_string()));
    }
    if issues.len() > ISSUES_SHOWN {
        let _ = writeln!(text, "  and {} more; --json shows all", issues.len() - ISSUES_SHOWN);
    }
    text + "\n"
}
