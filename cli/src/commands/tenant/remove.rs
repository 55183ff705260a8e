//! `posture tenant remove`.

use anyhow::Context;
use clap::Args;
use store::TenantError;

use super::one::{INCOMPLETE, NOT_CHANGED, OneTenant, show};
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
        let (organization, tenant) = self.tenant.find_even_removed(session).await?;
        let id = &tenant.service_tenant_id;
        let name = plain(&tenant.name);
        self.confirmation.ask(&format!("Remove tenant {id}, \"{name}\", with its reports? This cannot be undone."))?;
        match by_operator(&organization).remove_tenant(id).await {
            // Nothing was left to complete.
            Err(error @ TenantError::NotFound(_)) => Err(error).context(NOT_CHANGED),
            removed => show(session, "Removed", removed.context(INCOMPLETE)?),
        }
    }
}
