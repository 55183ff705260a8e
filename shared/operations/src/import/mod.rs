//! Turns results of assessment tools into reports of an organization's tenants.
//!
//! [`import`] reads files, combines them into runs by [`assessments::combine`], and takes each run through
//! [`import_run`]. The same run makes the same report, however often it is imported.

mod copies;
mod error;
mod imported;
pub mod jobs;
mod kept;
mod options;
mod progress;
mod reading;
mod record;
mod result;
mod run;
mod same_run;
mod told;
mod upload;

use assessments::Run;
use futures_util::{Stream, StreamExt};
use model::{Actor, Timestamp};
use store::Organization;

use crate::files::InputFile;
use reading::{FilesOfRuns, Read, Reading};

pub use error::ImportError;
pub use imported::{Imported, Outcome};
pub use options::{BaselineChoice, Options};
pub use progress::Progress;
pub use record::import_and_record;
pub use result::{Cause, ImportFailure, ImportResult, ImportedRun, SkippedFile, Status};
pub use run::import_run;
pub use told::tell_failures;
pub use upload::Upload;

pub use crate::files::RESULT_SUFFIX;

/// Imports files: complete runs, pieces that form runs together, and exports of the directory that name administrators.
///
/// A file or a run that fails is part of the result; the others are imported nevertheless. An archive is read like the
/// folder that was packed. If several files contain the same run, one makes its report; the others are skipped, and so
/// are files in folders that contain no results.
///
/// # Errors
/// If the named tenant does not exist, or the store fails before any file is read.
pub async fn import(
    organization: &Organization,
    actor: &Actor,
    files: impl Stream<Item = InputFile<'_>>,
    options: &Options,
    progress: &mut impl Progress,
) -> Result<ImportResult, ImportError> {
    let tenant = match &options.tenant {
        Some(reference) => Some(run::find_tenant(organization, reference).await?.provider_tenant_id),
        None => None,
    };
    let mut result = ImportResult::default();
    let reading = read(files, options, progress, &mut result).await;
    if options.stop_at_transient && result.is_transient() {
        return Ok(result);
    }
    let Read { mut combined, mut files, skipped, parts } = reading.finish();
    result.skipped.extend(skipped);
    for (mut part, of_part) in parts {
        if !options.fragments {
            result.fail(of_part.join(", "), ImportError::OnlyPart, progress);
            continue;
        }
        part.count_from_start_of_day();
        files.note(&part, of_part);
        combined.runs.push(part);
    }
    combined.leave_out_foreign_exports(tenant.as_ref());
    combined.report_exports_alone();
    combined.review_admins(options.lookback_days);
    oldest_first(&mut combined.runs, options.imported_at);
    result.issues = combined.issues;
    progress.importing(combined.runs.len());
    for run in &combined.runs {
        match import_run(organization, actor, run, options).await {
            Ok(imported) => result.reports.push(ImportedRun { files: files.of(run).to_vec(), imported }),
            Err(error) => result.fail(label(run, &files), error, progress),
        }
        if options.stop_at_transient && result.is_transient() {
            break;
        }
        progress.run_done();
    }
    Ok(result)
}

/// Reads the files one by one, so that a front end needs to keep only one at a time.
async fn read(
    files: impl Stream<Item = InputFile<'_>>,
    options: &Options,
    progress: &mut impl Progress,
    result: &mut ImportResult,
) -> Reading {
    let mut files = std::pin::pin!(files);
    let mut reading = Reading::new(options);
    while let Some(file) = files.next().await {
        progress.reading(&file.name);
        for file in file.unpacked() {
            let name = file.name.clone();
            let is_found = file.is_found;
            let completed_at = file.completed_at;
            match file.read() {
                Ok(contents) => reading.add(name, contents, completed_at),
                Err(error) => match error.beside_results().filter(|_| is_found) {
                    Some(kind) => result.skipped.push(SkippedFile { of: name, reason: kind.to_owned() }),
                    None => result.fail(name, error, progress),
                },
            }
        }
        if options.stop_at_transient && result.is_transient() {
            break;
        }
    }
    reading
}

impl ImportResult {
    fn fail(&mut self, of: String, cause: impl Into<Cause>, progress: &mut impl Progress) {
        let failure = ImportFailure { of, cause: cause.into() };
        progress.failed(&failure);
        self.failures.push(failure);
    }
}

/// Sorts runs by completion, because a follow-up needs its baseline first. A run without a time counts as a run at the
/// time of the import.
fn oldest_first(runs: &mut [Run], imported_at: Timestamp) {
    runs.sort_by_key(|run| run.completed.unwrap_or(imported_at));
}

/// Returns the description of a run: its tool, time and files.
fn label(run: &Run, files: &FilesOfRuns) -> String {
    let time = run.completed.map(|time| format!(" of {time}")).unwrap_or_default();
    format!("{} run{time} ({})", run.tool, files.of(run).join(", "))
}
