//! What an import came to.

use std::fmt::Write;

use assessments::{Issue, Run};
use operations::import::{ImportError, Imported, Outcome, label};
use serde::Serialize;

use super::intake::FilesOfRuns;
use crate::exit::{Exit, tell_failure};
use crate::output::{Column, plain, table, wire_name};

/// Issues of one report that are shown; all are in the JSON.
const ISSUES_SHOWN: usize = 10;

/// What became of the files.
#[derive(Default, Serialize)]
pub(super) struct Summary {
    reports: Vec<Report>,
    failures: Vec<Failure>,
    /// What in the files belongs to no report.
    pub(super) issues: Vec<Issue>,
}

/// A run that has its report, or would have.
#[derive(Serialize)]
struct Report {
    /// The files that hold the run.
    files: Vec<String>,
    #[serde(flatten)]
    imported: Imported,
}

/// A file or a run that made no report.
#[derive(Serialize)]
struct Failure {
    /// The file, or the run by its tool, time and files.
    of: String,
    error: String,
}

impl Summary {
    /// Takes in what became of a run.
    pub(super) fn take(&mut self, run: Run, files: &FilesOfRuns, imported: Result<Imported, ImportError>) {
        let files = files.of(&run).to_vec();
        match imported {
            Ok(imported) => self.reports.push(Report { files, imported }),
            Err(error) => self.fail(format!("{} ({})", label(&run), files.join(", ")), error.to_string()),
        }
    }

    /// Tells a failure, and keeps it.
    pub(super) fn fail(&mut self, of: String, error: String) {
        tell_failure(&format!("{}: {}", plain(&of), plain(&error)));
        self.failures.push(Failure { of, error });
    }

    pub(super) fn exit(&self) -> Exit {
        match (self.reports.len(), self.failures.len()) {
            (0, _) => Exit::Failed,
            (_, 0) => Exit::Done,
            _ => Exit::SomeFilesFailed,
        }
    }

    /// The details first, so that the table stays in view.
    pub(super) fn readable(&self) -> String {
        let mut text = String::new();
        for report in &self.reports {
            text += &left_out(report);
            text += &issues(&report.files.join(", "), &report.imported.issues);
        }
        text += &issues("The files together", &self.issues);
        text += &self.table();
        if !self.failures.is_empty() {
            // Writing to a string does not fail.
            let _ = write!(text, "\n\nWithout a report, for the reasons above: {}", self.failures.len());
        }
        text
    }

    fn table(&self) -> String {
        if self.reports.is_empty() {
            return "No file holds results to make a report of.".to_owned();
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
        table(&columns, self.reports.iter().map(row))
    }
}

fn row(Report { files, imported }: &Report) -> Vec<String> {
    let outcome = match imported.outcome {
        Outcome::Added => "added",
        Outcome::AlreadyThere => "already there",
        Outcome::WouldBeAdded => "would be added",
    };
    let counts = &imported.controls;
    let mut row = vec![
        files.join(", "),
        imported.tool.clone(),
        imported.service_tenant_id.to_string(),
        imported.completed_at.to_string(),
        wire_name(&imported.report_type),
        imported.score.to_string(),
        wire_name(&imported.grade),
    ];
    let counts = [counts.secure, counts.fixed, counts.in_progress, counts.open, counts.drifted, counts.not_assessed];
    row.extend(counts.map(|count| count.to_string()));
    row.extend([imported.left_out.len().to_string(), imported.issues.len().to_string()]);
    row.extend([outcome.to_owned(), imported.report_id.to_string()]);
    row
}

/// The controls of a run that are in no section, by what they are about.
fn left_out(report: &Report) -> String {
    if report.imported.left_out.is_empty() {
        return String::new();
    }
    let mut controls: Vec<_> = report.imported.left_out.iter().collect();
    // Stable, so the controls of one reason keep their order.
    controls.sort_by_key(|control| &control.reason);
    let (files, count) = (report.files.join(", "), controls.len());
    let mut text = format!("{}: controls that fit no section of a report, left out: {count}\n", plain(&files));
    for of_reason in controls.chunk_by(|a, b| a.reason == b.reason) {
        let _ = writeln!(text, "  about {}: {}", plain(&of_reason[0].reason), of_reason.len());
        for control in of_reason {
            let _ = writeln!(text, "    {}  {}", plain(control.control_id.as_str()), plain(&control.name));
        }
    }
    text + "\n"
}

fn issues(of: &str, issues: &[Issue]) -> String {
    if issues.is_empty() {
        return String::new();
    }
    let mut text = format!("{}: not everything could be taken as it stood\n", plain(of));
    for issue in issues.iter().take(ISSUES_SHOWN) {
        let _ = writeln!(text, "  {}", plain(&issue.to_string()));
    }
    if issues.len() > ISSUES_SHOWN {
        let _ = writeln!(text, "  and {} more; --json shows all", issues.len() - ISSUES_SHOWN);
    }
    text + "\n"
}
