//! `posture key delete`.

use anyhow::Context;
use clap::Args;
use model::KeyId;

use crate::arguments::OfOrganization;
use crate::confirmation::Confirmation;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    organization: OfOrganization,
    /// The key's identifier, as listed
    #[arg(value_name = "KEY_ID")]
    key: KeyId,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Run for Delete {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { organization, key, confirmation } = self;
        confirmation.required()?;
        let organization = session.organization(&organization.id).await?;
        confirmation.ask(&format!("Delete key {key}? The next request with it fails."))?;
        by_operator(&organization).delete_key(&key).await.context("the key was not deleted")?;
        let result = serde_json::json!({ "keyId": key, "deleted": true });
        session.output.show(&result, |_| format!("Deleted key {key}; the next request with it fails."))?;
        Ok(Exit::Done)
    }
}
