//! `posture tenant rename`.

use anyhow::Context;
use clap::Args;
use model::DisplayName;

use super::one::{INCOMPLETE, OneTenant, show};
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Rename {
    #[command(flatten)]
    tenant: OneTenant,
    /// The new name
    #[arg(long)]
    name: DisplayName,
}

impl Run for Rename {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let (organization, tenant) = self.tenant.find_to_change(session).await?;
        let renamed = by_operator(&organization).rename_tenant(&tenant.service_tenant_id, &self.name).await;
        show(session, "Renamed", renamed.context(INCOMPLETE)?)
    }
}
