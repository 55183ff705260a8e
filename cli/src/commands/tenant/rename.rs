//! `posture tenant rename`.

use anyhow::Context;
use clap::Args;
use operations::{Actor, DisplayName, tenants};

use super::one::{INCOMPLETE, OneTenant, show};
use crate::arguments::now;
use crate::connection::Session;
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
        let (organization, tenant) = self.tenant.find(session).await?;
        let id = &tenant.service_tenant_id;
        let renamed = tenants::rename(&organization, &Actor::operator(), id, &self.name, now()).await;
        show(session, "Renamed", renamed.context(INCOMPLETE)?)
    }
}
