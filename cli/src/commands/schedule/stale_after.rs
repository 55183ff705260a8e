//! `posture schedule stale-after`.

use anyhow::Context;
use clap::Args;
use model::StaleAfter;
use serde_json::json;

use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct After {
    #[command(flatten)]
    organization: OfOrganization,
    /// Days without a report, from 1 to 365
    days: StaleAfter,
}

impl Run for After {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        by_operator(&organization).set_stale_after(self.days).await.context("the days were not changed")?;
        let changed = json!({ "organizationId": organization.id(), "staleAfter": self.days });
        session.output.show(&changed, |_| {
            let days = u16::from(self.days).into();
            format!(
                "A tenant of {} is stale after {} without a report.",
                organization.id(),
                model::counted(days, "day")
            )
        })?;
        Ok(Exit::Done)
    }
}
