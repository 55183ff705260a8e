//! `posture key create`.

use anyhow::Context;
use clap::Args;
use operations::{Admin, DisplayName, keys};
use serde::Serialize;
use store::ApiKeyListing;

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
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
        let description = self.description.map(Into::into);
        let created = keys::create(&organization, &Admin::operator(), description, now()).await;
        let created = created.context("the key was not created")?;
        let new = NewKey { key: created.key.reveal(), listing: &created.listing };
        session.output.show(&new, |new| {
            format!("{}\n\nThis is key {}. It will not be shown again.", new.key, new.listing.key_id)
        })?;
        Ok(Exit::Done)
    }
}
