//! `posture key list`.

use anyhow::Context;
use clap::Args;
use model::Wire;
use store::KeyInUse;

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let keys = organization.keys_in_use().await.context("the keys cannot be listed")?;
        session.output.show(&keys, |keys| readable(keys))?;
        Ok(Exit::Done)
    }
}

fn readable(keys: &[KeyInUse]) -> String {
    if keys.is_empty() {
        return "The organization has no keys; `posture key create` creates one.".to_owned();
    }
    let row = |KeyInUse { listing: key, last_used_on }: &KeyInUse| {
        let tenant = key.service_tenant_id.as_ref().map(ToString::to_string);
        vec![
            key.key_id.to_string(),
            Wire(key.scope).to_string(),
            tenant.unwrap_or_default(),
            key.description.clone().unwrap_or_default(),
            key.created_at.to_string(),
            last_used_on.map_or_else(|| "never".to_owned(), |day| day.to_string()),
        ]
    };
    let columns = ["KEY", "SCOPE", "TENANT", "DESCRIPTION", "CREATED", "LAST USED"].map(Column::text);
    table(&columns, keys.iter().map(row))
}
