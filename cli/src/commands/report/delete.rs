//! `posture report delete`.

use anyhow::Context;
use clap::Args;
use model::ReportId;

use crate::arguments::OfOrganization;
use crate::confirmation::Confirmation;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::lookup;
use crate::output::plain;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    organization: OfOrganization,
    /// The report
    #[arg(value_name = "REPORT_ID")]
    report: ReportId,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Run for Delete {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_DELETED: &str = "the report was not deleted";
        let Self { organization, report: id, confirmation } = self;
        confirmation.required()?;
        let organization = session.organization(&organization.id).await?;
        let report = lookup::report_even_removed(&organization, &id).await.context(NOT_DELETED)?;
        let tenant = plain(&report.tenant_name);
        let completed_at = report.summary.figures.completed_at;
        confirmation.ask(&format!("Delete report {id} of \"{tenant}\", completed {completed_at}?"))?;
        by_operator(&organization).delete_report(&id).await.context(NOT_DELETED)?;
        let result = serde_json::json!({ "reportId": id, "deleted": true });
        session.output.show(&result, |_| format!("Deleted report {id}."))?;
        Ok(Exit::Done)
    }
}
