//! `posture tenant remove`.

use anyhow::Context;
use clap::Args;

use super::one::{INCOMPLETE, OneTenant, show};
use crate::confirmation::Confirmation;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::output::plain;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    tenant: OneTenant,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Run for Remove {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        self.confirmation.required()?;
        let (organization, tenant) = self.tenant.find_to_remove(session).await?;
        let id = &tenant.service_tenant_id;
        let name = plain(&tenant.name);
        self.confirmation.ask(&format!("Remove tenant {id}, \"{name}\", with its reports? This cannot be undone."))?;
        let removed = by_operator(&organization).remove_tenant(id).await;
        show(session, "Removed", removed.context(INCOMPLETE)?)
    }
}
