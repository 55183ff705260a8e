//! `posture report list`.

use anyhow::Context;
use clap::Args;
use store::{ListedReport, Organization, Selection};

use super::listed::{Listed, MOST, listing};
use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::{Exit, print_hint};
use crate::lookup;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
    /// Only reports of this tenant, by its identifier, its provider identifier or its name
    #[arg(long)]
    tenant: Option<String>,
    /// Maximum number of reports to list [default: 100, and all with --json]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let reports = self.reports(&organization).await.context("the reports cannot be listed")?;
        // A person can read the hint below a table; a script gets what it does not limit.
        let default = if session.output.is_json() { MOST } else { 100 };
        let (all, limit) = (reports.len(), self.limit.map_or(default, |limit| limit as usize));
        let listed: Vec<_> = reports.into_iter().take(limit).map(Listed::from).collect();
        session.output.show(&listed, |listed| readable(listed))?;
        if all > limit {
            print_hint(&format!("these are {limit} of {all} reports; --limit {all} lists all of them"));
        }
        Ok(Exit::Done)
    }
}

impl List {
    async fn reports(&self, organization: &Organization) -> anyhow::Result<Vec<ListedReport>> {
        let selection = Selection::history(MOST);
        let selection = match &self.tenant {
            Some(reference) => selection.of(lookup::tenant(organization, reference).await?),
            None => selection,
        };
        Ok(organization.select(selection).listed().await?)
    }
}

fn readable(reports: &[Listed]) -> String {
    match reports {
        [] => "There are no reports; `posture report import` creates them.".to_owned(),
        reports => listing(reports),
    }
}
