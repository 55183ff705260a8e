//! `posture report import`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use futures_util::stream;
use model::{Actor, ReportId, Timestamp};
use operations::import::{self, BaselineChoice, ImportResult, Options};

use super::import_result::readable;
use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::{Exit, print_hint};
use crate::files;
use crate::lookup;
use crate::progress::Bars;
use crate::run::Run;

/// The choices of an import that its files do not contain.
pub(super) const HELP: &str = "\
The tool and its format are recognized from a file's content, and the tenant from the file if it names one. Files \
that belong together are imported together, and several runs oldest first. The first report of a tool for a tenant is \
its baseline; later ones compare with the newest baseline. A run that was imported before stays as it is, unless a larger copy of it replaces it. Exports of \
the directory among the files provide the administrators. The output folder of a tool, or a ZIP archive of it, makes \
one report for each run and tenant; other files in it are skipped, and the result says why. In folders, at any \
depth, hidden files and the results of imports (*.import.json) are omitted.";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("comparison").args(["baseline", "as_baseline"]))]
pub(crate) struct Import {
    #[command(flatten)]
    organization: OfOrganization,
    /// The tenant, by its identifier, its provider identifier or its name, if the files do not name it
    #[arg(long)]
    tenant: Option<String>,
    /// Compare with this earlier report of the same tenant and tool
    #[arg(long, value_name = "REPORT_ID")]
    baseline: Option<ReportId>,
    /// Start a new baseline instead of comparing
    #[arg(long)]
    as_baseline: bool,
    /// Days of activity that the tool covered, instead of the number in its file [default: that number, or 30]
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=365))]
    lookback_days: Option<u32>,
    /// End of the runs whose files do not contain it, such as 2026-05-01T09:00:00Z
    #[arg(long, value_name = "TIME")]
    completed_at: Option<Timestamp>,
    /// Create reports from parts of a run, such as ScubaGear's IndividualReports, if no file has the complete results;
    /// such a report is never a baseline, and a complete run of the same day is newer
    #[arg(long, conflicts_with = "as_baseline")]
    fragments: bool,
    /// Show the report of each run without storing it
    #[arg(long)]
    dry_run: bool,
    /// Result files, and folders and ZIP archives of them; `-` is the standard input
    #[arg(required = true, value_name = "FILE_OR_FOLDER")]
    files: Vec<PathBuf>,
}

impl Run for Import {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let tenant = match &self.tenant {
            Some(reference) => Some(lookup::tenant(&organization, reference).await?.service_tenant_id.to_string()),
            None => None,
        };
        let files = files::inputs(&self.files);
        let mut bars = Bars::reading(files.len());
        let actor = Actor::operator();
        let options = self.options(tenant);
        let imported = import::import(&organization, &actor, stream::iter(files), &options, &mut bars).await;
        drop(bars);
        let result = imported?;
        import::tell_failures(&organization, &actor, &result, &options, None).await?;
        if result.failures.iter().any(|failure| failure.cause.is_unknown_format()) {
            print_hint(&format!("the supported formats are: {}", formats()));
        }
        session.output.show(&result, readable)?;
        Ok(exit(&result))
    }
}

impl Import {
    fn options(self, tenant: Option<String>) -> Options {
        let baseline = match self.baseline {
            Some(id) => BaselineChoice::Report(id),
            None if self.as_baseline => BaselineChoice::AsBaseline,
            None => BaselineChoice::Newest,
        };
        let Self { lookback_days, completed_at, fragments, dry_run, .. } = self;
        Options { tenant, baseline, lookback_days, completed_at, fragments, dry_run, ..Options::at(now()) }
    }
}

fn formats() -> String {
    assessments::format_names().collect::<Vec<_>>().join("; ")
}

fn exit(result: &ImportResult) -> Exit {
    match (result.reports.len(), result.failures.len()) {
        (0, _) => Exit::Failed,
        (_, 0) => Exit::Done,
        _ => Exit::SomeFilesFailed,
    }
}
