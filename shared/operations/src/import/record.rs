//! Records imports, so that people can look up the outcome of their files.

use assessments::{Issue, IssueKind, LeftOut};
use futures_util::stream;
use model::{Actor, ImportId};
use store::{ImportDetails, ImportedReport, Organization, Waiting};

use super::error::ImportError;
use super::imported::Outcome;
use super::options::Options;
use super::result::{ImportResult, ImportedRun};
use super::upload::Upload;

/// Imports an upload as [`import`](super::import) does, and records the outcome. The files are kept for a day while runs
/// have no tenant.
///
/// # Errors
/// As [`import`](super::import), or if the record cannot be written; the reports then exist nevertheless.
pub async fn import_and_record(
    organization: &Organization,
    actor: &Actor,
    mut upload: Upload,
    options: &Options,
) -> Result<(ImportId, ImportResult), ImportError> {
    let files = stream::iter(upload.inputs());
    let result = super::import(organization, actor, files, options, &mut ()).await?;
    super::tell_failures(organization, actor, &result, options, None).await?;
    let writer = organization.by(actor, options.imported_at);
    let waiting = upload.settle(&writer, &result, options).await?;
    let id = writer.record_import(upload.names().count(), &details(&result, waiting)).await?;
    Ok((id, result))
}

fn details(result: &ImportResult, waiting: Option<Waiting>) -> ImportDetails {
    let failures = result.failures.iter().map(|failure| (failure.of.clone(), failure.cause.to_string()));
    ImportDetails {
        reports: result.reports.iter().map(report).collect(),
        failures: failures.collect(),
        issues: texts(&result.issues),
        skipped: result.skipped.iter().map(|file| (file.of.clone(), file.reason.clone())).collect(),
        waiting,
    }
}

fn report(ImportedRun { files, imported }: &ImportedRun) -> ImportedReport {
    let left_out = |LeftOut { control_id, name, reason }: &LeftOut| (control_id.clone(), name.clone(), reason.clone());
    let figures = &imported.figures;
    ImportedReport {
        files: files.clone(),
        already_there: imported.outcome == Outcome::AlreadyThere,
        replaced: imported.outcome == Outcome::Replaced,
        report_id: imported.report_id.clone(),
        service_tenant_id: imported.service_tenant_id.clone(),
        tool: imported.tool.clone(),
        report_type: figures.report_type,
        completed_at: figures.completed_at,
        score: figures.score,
        grade: figures.grade,
        previous_score: figures.previous_score,
        controls: figures.controls,
        coverage: figures.coverage.clone(),
        // `left_out` names them.
        issues: texts(imported.issues.iter().filter(|issue| issue.kind != IssueKind::OutOfScope)),
        left_out: imported.left_out.iter().map(left_out).collect(),
    }
}

fn texts<'a>(issues: impl IntoIterator<Item = &'a Issue>) -> Vec<String> {
    issues.into_iter().map(ToString::to_string).collect()
}
