//! `posture key create`.

use anyhow::Context;
use clap::Args;
use model::DisplayName;
use serde::Serialize;
use store::ApiKeyListing;

use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Create {
    #[command(flatten)]
    organization: OfOrganization,
    /// Purpose of the key
    #[arg(long, value_name = "TEXT")]
    description: Option<DisplayName>,
}

/// A new key with its text.
#[derive(Serialize)]
struct NewKey<'a> {
    key: &'a str,
    #[serde(flatten)]
    listing: &'a ApiKeyListing,
}

impl Run for Create {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let created = by_operator(&organization).create_key(self.description).await;
        let created = created.context("the key was not created")?;
        let new = NewKey { key: created.key.reveal(), listing: &created.listing };
        session.output.show(&new, |new| {
            format!("{}\n\nThis is key {}. It will not be shown again.", new.key, new.listing.key_id)
        })?;
        Ok(Exit::Done)
    }
}
