//! `posture org create`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, OrganizationId};
use operations::organizations;

use super::shown::ShownOrganization;
use crate::arguments::now;
use crate::connection::{InUsagePlan, Session};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// Its name, as usage reports show it
    #[arg(long)]
    name: DisplayName,
    #[command(flatten)]
    usage_plan: InUsagePlan,
}

impl Run for Create {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        // Before anything is written, so a missing usage plan leaves nothing to repair.
        let usage_plan = session.usage_plan(&self.usage_plan)?;
        let now = now();
        let id = OrganizationId::generate(now);
        let created = organizations::create(&session.store, id, self.name, now).await;
        let created = created.context("the organization was not created")?;
        organizations::admit(usage_plan.as_ref(), &created).await?;
        session.output.show(&ShownOrganization::from(created), |created| {
            format!("Created organization {}. Next: `posture key create`.", created.organization_id)
        })?;
        Ok(Exit::Done)
    }
}
