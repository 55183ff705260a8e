//! `posture report import`.

use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

use assessments::{Issue, Part, Run, Unreadable};
use clap::{ArgGroup, Args};
use import_assessment::{BaselineChoice, Imported, Options, Outcome};
use serde::Serialize;
use shared::model::{ReportId, Timestamp};
use shared::store::Organization;

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::{Exit, tell_failure};
use crate::output::{Column, plain, table, wire_name};

/// How an import decides what it is not told.
pub(super) const HELP: &str = "\
The tool and its format are recognized from a file's content, and the tenant from the file where it names one. Files \
that belong together are imported together, and several runs oldest first. The first report of a tool for a tenant is \
its baseline; later ones compare with the newest baseline. A run that is imported already is left as it is.";

/// Issues of one report that are shown; all are in the JSON.
const ISSUES_SHOWN: usize = 10;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("comparison").args(["baseline", "as_baseline"]))]
pub(crate) struct Import {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its service identifier or its provider identifier, where the files do not name it
    #[arg(long)]
    tenant: Option<String>,
    /// Compare with this earlier report of the same tenant and tool
    #[arg(long, value_name = "REPORT_ID")]
    baseline: Option<ReportId>,
    /// Compare with nothing: start a new baseline
    #[arg(long)]
    as_baseline: bool,
    /// Days of activity that the tool looked at, where its file does not tell [default: 30]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=365))]
    lookback_days: Option<u32>,
    /// Tell what each run alone would become, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Result files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// What became of the files.
#[derive(Default, Serialize)]
struct Summary {
    reports: Vec<Imported>,
    failures: Vec<Failure>,
    /// What in the files belongs to no report.
    issues: Vec<Issue>,
}

/// A file or a run that made no report.
#[derive(Serialize)]
struct Failure {
    /// The file, or the run by its tool and time.
    of: String,
    error: String,
}

impl Import {
    pub(super) async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let imported_at = now();
        let mut summary = Summary::default();
        let mut files = assessments::combine(self.readable_parts(&mut summary));
        summary.issues = files.issues;
        // A follow-up needs its baseline first. A run that does not tell its time counts as one of now.
        files.runs.sort_by_key(|run| run.completed.unwrap_or(imported_at));
        let options = self.options(imported_at);
        for run in &files.runs {
            summary.import(&organization, run, &options).await;
        }
        session.output.show(&summary, readable)?;
        Ok(summary.exit())
    }

    /// What those files hold that can be read.
    fn readable_parts(&self, summary: &mut Summary) -> Vec<Part> {
        let mut parts = Vec::new();
        for file in &self.files {
            match read(file) {
                Ok(of_file) => parts.extend(of_file),
                Err(error) => summary.fail(file.display().to_string(), error.to_string()),
            }
        }
        parts
    }

    fn options(self, imported_at: Timestamp) -> Options {
        let baseline = match self.baseline {
            Some(id) => BaselineChoice::Report(id),
            None if self.as_baseline => BaselineChoice::AsBaseline,
            None => BaselineChoice::Newest,
        };
        Options { tenant: self.tenant, baseline, lookback_days: self.lookback_days, imported_at, dry_run: self.dry_run }
    }
}

fn read(file: &Path) -> Result<Vec<Part>, Unreadable> {
    let file = file.to_owned();
    assessments::read(&move || File::open(&file))
}

impl Summary {
    async fn import(&mut self, organization: &Organization, run: &Run, options: &Options) {
        match import_assessment::import(organization, run, options).await {
            Ok(imported) => self.reports.push(imported),
            Err(error) => {
                let time = run.completed.map(|time| format!(" of {time}")).unwrap_or_default();
                self.fail(format!("{} run{time}", run.tool), error.to_string());
            }
        }
    }

    fn fail(&mut self, of: String, error: String) {
        tell_failure(&format!("{of}: {error}"));
        self.failures.push(Failure { of, error });
    }

    fn exit(&self) -> Exit {
        match (self.reports.len(), self.failures.len()) {
            (0, _) => Exit::Failed,
            (_, 0) => Exit::Done,
            _ => Exit::SomeFilesFailed,
        }
    }
}

fn readable(summary: &Summary) -> String {
    if summary.reports.is_empty() {
        return "There is nothing to import.".to_owned();
    }
    let columns = [
        Column::text("REPORT"),
        Column::text("RESULT"),
        Column::text("TENANT"),
        Column::text("TOOL"),
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
    ];
    let mut text = table(&columns, summary.reports.iter().map(row));
    for report in &summary.reports {
        text += &issues(&report.report_id.to_string(), &report.issues);
    }
    text + &issues("The files", &summary.issues)
}

fn row(report: &Imported) -> Vec<String> {
    let outcome = match report.outcome {
        Outcome::Added => "added",
        Outcome::AlreadyThere => "already there",
        Outcome::WouldBeAdded => "would be added",
    };
    let counts = &report.controls;
    let counts = [counts.secure, counts.fixed, counts.in_progress, counts.open, counts.drifted, counts.not_assessed];
    let mut row = vec![
        report.report_id.to_string(),
        outcome.to_owned(),
        report.service_tenant_id.to_string(),
        report.tool.clone(),
        report.completed_at.to_string(),
        wire_name(&report.report_type),
        report.score.to_string(),
        wire_name(&report.grade),
    ];
    row.extend(counts.map(|count| count.to_string()));
    row
}

fn issues(of: &str, issues: &[Issue]) -> String {
    if issues.is_empty() {
        return String::new();
    }
    let mut text = format!("\n\n{of}: not everything could be taken as it stood\n");
    for issue in issues.iter().take(ISSUES_SHOWN) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {}", plain(&issue.to_string()));
    }
    if issues.len() > ISSUES_SHOWN {
        let _ = writeln!(text, "  and {} more; --json shows all", issues.len() - ISSUES_SHOWN);
    }
    text
}
