//! `posture report show`.

use anyhow::Context;
use clap::Args;
use model::ReportId;

use super::report_text::{as_returned, readable};
use crate::arguments::{Dashboard, OfOrganization};
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    organization: OfOrganization,
    #[command(flatten)]
    dashboard: Dashboard,
    /// The report
    #[arg(value_name = "REPORT_ID")]
    report: ReportId,
}

impl Run for Show {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let stored = lookup::report(&organization, &self.report).await.context("the report cannot be shown")?;
        session.output.show(&as_returned(&session.report_links(&self.dashboard)?, stored)?, readable)?;
        Ok(Exit::Done)
    }
}
