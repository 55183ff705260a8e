//! `posture tenant erase`.

use anyhow::Context;
use clap::Args;
use operations::uploads;

use super::one::{INCOMPLETE, OneTenant};
use crate::confirmation::Confirmation;
use crate::connection::{InBuckets, Session, by_operator};
use crate::exit::Exit;
use crate::output::plain;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Erase {
    #[command(flatten)]
    tenant: OneTenant,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    buckets: InBuckets,
}

impl Run for Erase {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        self.confirmation.required()?;
        let buckets = session.buckets(&self.buckets)?;
        let (organization, tenant) = self.tenant.find_even_removed(session).await?;
        let id = &tenant.service_tenant_id;
        let name = plain(&tenant.name);
        let question =
            format!("Erase tenant {id} with everything about it? This cannot be undone. Its name, \"{name}\":");
        self.confirmation.ask_for_name(&question, &name)?;
        uploads::erase_tenant(&by_operator(&organization), buckets.as_ref(), id).await.context(INCOMPLETE)?;
        let result = serde_json::json!({ "serviceTenantId": id, "erased": true });
        session.output.show(&result, |_| format!("Erased tenant {id}."))?;
        Ok(Exit::Done)
    }
}
