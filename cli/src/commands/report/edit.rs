//! `posture report edit`.

use anyhow::Context;
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};
use model::{Actor, Choice, PostureReport, ReportBody, ReportId, Severity, Status};
use operations::edits::{self, CheckChange, EditOptions, ReportEdit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, StrDeserializer};
use store::{AuditChange, EditedReport, ReportSummary};

use super::report_text::as_returned;
use crate::arguments::{Dashboard, OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("subject").args(["control", "admin"]).required(true),
    group = ArgGroup::new("change")
        .args(["status", "severity", "current_state", "why", "suggested_fix"]).required(true).multiple(true),
)]
pub(crate) struct Edit {
    #[command(flatten)]
    organization: OfOrganization,
    /// The report
    #[arg(value_name = "REPORT_ID")]
    report: ReportId,
    /// Edit the check of this control
    #[arg(long, value_name = "CONTROL_ID")]
    control: Option<String>,
    /// Edit the administrator with this sign-in name; only the status can be edited
    #[arg(long, value_name = "NAME", conflicts_with_all = ["severity", "current_state", "why", "suggested_fix"])]
    admin: Option<String>,
    /// SECURE, FIXED, OPEN, DRIFTED, IN_PROGRESS or NOT_ASSESSED
    #[arg(long, value_parser = wire_value::<Status>)]
    status: Option<Status>,
    /// CRITICAL, HIGH, MEDIUM or LOW
    #[arg(long, value_parser = wire_value::<Severity>)]
    severity: Option<Severity>,
    /// The current configuration
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    current_state: Option<String>,
    /// Why the control matters; an empty text removes it
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// The recommended change; an empty text removes it
    #[arg(long, value_name = "TEXT")]
    suggested_fix: Option<String>,
    /// Apply the edit of the check to later reports of the tenant too
    #[arg(long, conflicts_with = "admin")]
    keep: bool,
    #[command(flatten)]
    dashboard: Dashboard,
}

impl Run for Edit {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let options = EditOptions { keep: self.keep.then_some(true), ..EditOptions::default() };
        let (report, dashboard) = (self.report.clone(), session.report_links(&self.dashboard)?);
        let edited = edits::edit(&organization, &Actor::operator(), &report, &self.edit()?, options, now()).await;
        let edited = edited.context("the report was not edited")?;
        let EditedReport { report, before, changes } = edited;
        let report = as_returned(&dashboard, report)?;
        session.output.show(&Edited { changes: with_score(changes, &before, &report.body), report }, readable)?;
        Ok(Exit::Done)
    }
}

/// An edited report, as the API returns it, and the values that changed.
#[derive(Serialize)]
struct Edited {
    #[serde(flatten)]
    report: PostureReport,
    changes: Vec<AuditChange>,
}

/// Adds the score to the changes of an edit if it follows.
fn with_score(mut changes: Vec<AuditChange>, before: &ReportSummary, after: &ReportBody) -> Vec<AuditChange> {
    let (before, after) = (before.figures.score, after.figures.score);
    if before != after {
        let (before, after) = (Some(before.to_string()), Some(after.to_string()));
        changes.push(AuditChange { field: "score".to_owned(), before, after });
    }
    changes
}

fn readable(edited: &Edited) -> String {
    let id = &edited.report.head.id;
    if edited.changes.is_empty() {
        return format!("Report {id} is already like that; nothing changed.");
    }
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
    let row = |change: &AuditChange| vec![change.field.clone(), value(&change.before), value(&change.after)];
    let rows = table(&["FIELD", "BEFORE", "NOW"].map(Column::text), edited.changes.iter().map(row));
    format!("Edited report {id}; `posture report show` shows all of it.\n\n{rows}")
}

impl Edit {
    fn edit(self) -> anyhow::Result<ReportEdit> {
        let Self { control, admin, status, severity, current_state, why, suggested_fix, .. } = self;
        match (control, admin, status) {
            (Some(control), ..) => {
                let severity = severity.map(Some);
                let change = CheckChange { status, severity, current_state, why, suggested_fix, accepted_risk: None };
                Ok(ReportEdit::Check { control, change })
            }
            (None, Some(name), Some(status)) => Ok(ReportEdit::Administrator { name, status }),
            // The rules of the command line exclude it.
            (None, ..) => {
                anyhow::bail!("nothing to edit was named: set --control with its changes, or --admin with --status")
            }
        }
    }
}

/// Parses a value by its name on the wire, ignoring case.
fn wire_value<T: Choice + DeserializeOwned>(text: &str) -> Result<T, ValueError> {
    let name = text.to_ascii_uppercase().replace('-', "_");
    model::chosen(StrDeserializer::new(&name))
}
