//! `posture key list`.

use anyhow::Context;
use clap::Args;
use model::Wire;
use store::ApiKeyListing;

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
        let keys = organization.keys().await.context("the keys cannot be listed")?;
        session.output.show(&keys, |keys| readable(keys))?;
        Ok(Exit::Done)
    }
}

fn readable(keys: &[ApiKeyListing]) -> String {
    if keys.is_empty() {
        return "The organization has no keys; `posture key create` creates one.".to_owned();
    }
    let row = |key: &ApiKeyListing| {
        let tenant = key.service_tenant_id.as_ref().map(ToString::to_string);
        vec![
            key.key_id.to_string(),
            Wire(key.scope).to_string(),
            tenant.unwrap_or_default(),
            key.description.clone().unwrap_or_default(),
            key.created_at.to_string(),
        ]
    };
    table(&["KEY", "SCOPE", "TENANT", "DESCRIPTION", "CREATED"].map(Column::text), keys.iter().map(row))
}
