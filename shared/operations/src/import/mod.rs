//! Results of assessment tools become reports of an organization's tenants.
//!
//! [`import`] reads files, combines them into runs by [`assessments::combine`], and takes each run through
//! [`import_run`]. The same run makes the same report, however often it is imported.

mod error;
mod imported;
mod kept;
mod options;
mod progress;
mod reading;
mod record;
mod result;
mod run;

use assessments::{DEFAULT_LOOKBACK_DAYS, Run};
use futures_util::{Stream, StreamExt};
use model::Timestamp;
use store::Organization;

use crate::actor::Actor;
use crate::files::InputFile;
use reading::{FilesOfRuns, Reading};

pub use error::ImportError;
pub use imported::{Imported, Outcome};
pub use options::{BaselineChoice, Options};
pub use progress::Progress;
pub use record::import_and_record;
pub use result::{Cause, Failure, ImportResult, ImportedRun, Status};
pub use run::import_run;

/// Ends the name of the result that an import from a bucket writes beside a file. Such files are never imported.
pub const RESULT_SUFFIX: &str = ".import.json";

/// Imports files: whole runs, pieces that make runs together, and exports of the directory that name administrators.
///
/// A file or a run that fails is part of the result, and the others are imported all the same.
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
    let (mut combined, files) = reading.combined();
    combined.leave_out_foreign_exports(tenant.as_ref());
    combined.review_admins(options.lookback_days.unwrap_or(DEFAULT_LOOKBACK_DAYS));
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

/// Reads the files one after the other, so that a front end needs to hold only one at a time.
async fn read(
    files: impl Stream<Item = InputFile<'_>>,
    options: &Options,
    progress: &mut impl Progress,
    result: &mut ImportResult,
) -> Reading {
    let mut files = std::pin::pin!(files);
    let mut reading = Reading::new(options.completed_at);
    while let Some(file) = files.next().await {
        let name = file.name.clone();
        progress.reading(&name);
        match file.read() {
            Ok(contents) => reading.add(name, contents),
            Err(error) => result.fail(name, error, progress),
        }
        if options.stop_at_transient && result.is_transient() {
            break;
        }
    }
    reading
}

impl ImportResult {
    fn fail(&mut self, of: String, cause: impl Into<Cause>, progress: &mut impl Progress) {
        let failure = Failure { of, cause: cause.into() };
        progress.failed(&failure);
        self.failures.push(failure);
    }
}

/// Sorts runs by completion, since a follow-up needs its baseline first. A run without a time counts as one of the time
/// of import.
fn oldest_first(runs: &mut [Run], imported_at: Timestamp) {
    runs.sort_by_key(|run| run.completed.unwrap_or(imported_at));
}

/// Returns the words for a run: its tool, time and files.
fn label(run: &Run, files: &FilesOfRuns) -> String {
    let time = run.completed.map(|time| format!(" of {time}")).unwrap_or_default();
    format!("{} run{time} ({})", run.tool, files.of(run).join(", "))
}
