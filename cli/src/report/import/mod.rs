//! `posture report import`.

mod intake;
mod summary;

use std::path::PathBuf;

use assessments::DEFAULT_LOOKBACK_DAYS;
use clap::{ArgGroup, Args};
use model::{ProviderTenantId, ReportId, Timestamp};
use operations::import::{BaselineChoice, Options, oldest_first};
use store::Organization;

use self::intake::Intake;
use self::summary::Summary;
use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::{progress, tenant};

/// How an import decides what it is not told.
pub(super) const HELP: &str = "\
The tool and its format are recognized from a file's content, and the tenant from the file where it names one. Files \
that belong together are imported together, and several runs oldest first. The first report of a tool for a tenant is \
its baseline; later ones compare with the newest baseline. A run that is imported already is left as it is. Exports of \
the directory among the files tell the administrators. In folders, at any depth, hidden files and the results of \
imports (*.import.json) are passed over.";

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
    /// End of the runs whose files do not contain it, such as 2026-05-01T09:00:00Z
    #[arg(long, value_name = "TIME")]
    completed_at: Option<Timestamp>,
    /// Tell what each run alone would become, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Result files, and folders of them
    #[arg(required = true, value_name = "FILE_OR_FOLDER")]
    files: Vec<PathBuf>,
}

impl Import {
    pub(super) async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let imported_at = now();
        let mut summary = Summary::default();
        let tenant = self.provider_tenant(&organization).await?;
        let Intake { mut combined, files } = Intake::read(&self.files, |of, error| summary.fail(of, error));
        if let Some(time) = self.completed_at {
            combined.runs.iter_mut().for_each(|run| run.complete_at(time));
        }
        combined.leave_out_foreign_exports(tenant.as_ref());
        combined.review_admins(self.lookback_days.unwrap_or(DEFAULT_LOOKBACK_DAYS));
        oldest_first(&mut combined.runs, imported_at);

        let options = self.options(imported_at);
        let progress = progress::bar("Importing", combined.runs.len());
        for run in combined.runs {
            let imported = operations::import::import(&organization, &run, &options).await;
            progress.suspend(|| summary.take(run, &files, imported));
            progress.inc(1);
        }
        progress.finish_and_clear();
        summary.issues = combined.issues;
        session.output.show(&summary, Summary::readable)?;
        Ok(summary.exit())
    }

    /// Identifier at the provider of the tenant that the command line names.
    async fn provider_tenant(&self, organization: &Organization) -> anyhow::Result<Option<ProviderTenantId>> {
        let Some(reference) = &self.tenant else { return Ok(None) };
        Ok(Some(tenant::find(organization, reference).await?.provider_tenant_id))
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
