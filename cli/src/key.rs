//! `posture key`: API keys. Whoever operates the service acts as an Admin.

use anyhow::Context;
use clap::Subcommand;
use model::KeyId;
use serde::Serialize;
use store::{ApiKeyListing, CreatedKey, Organization};

use crate::arguments::{OfOrganization, display_name, now};
use crate::command::Run;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key and show it, this once
    Create {
        #[command(flatten)]
        organization: OfOrganization,
        /// What the key is for
        #[arg(long, value_name = "TEXT", value_parser = display_name)]
        description: Option<String>,
    },
    /// List the keys, oldest first; their text is not kept anywhere
    List {
        #[command(flatten)]
        organization: OfOrganization,
    },
    /// Delete a key; its next request fails
    Delete {
        #[command(flatten)]
        organization: OfOrganization,
        /// The key's identifier, as listed
        #[arg(value_name = "KEY_ID")]
        key: KeyId,
    },
}

/// A new key with its text.
#[derive(Serialize)]
struct Shown<'a> {
    key: &'a str,
    #[serde(flatten)]
    listing: &'a ApiKeyListing,
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Create { organization, description } => {
                let organization = session.organization(&organization.id).await?;
                let created = create(&organization, description).await?;
                let shown = Shown { key: created.key.reveal(), listing: &created.listing };
                session.output.show(&shown, |shown| {
                    format!("{}\n\nThis is key {}. It is not shown again.", shown.key, shown.listing.key_id)
                })?;
            }
            Self::List { organization } => {
                let organization = session.organization(&organization.id).await?;
                let keys = organization.keys().await.context("the keys cannot be listed")?;
                session.output.show(&keys, |keys| list(keys))?;
            }
            Self::Delete { organization, key } => {
                let organization = session.organization(&organization.id).await?;
                organization.delete_key(&key).await.context("the key is not deleted")?;
                let result = serde_json::json!({ "keyId": key, "deleted": true });
                session.output.show(&result, |_| format!("Deleted key {key}; its next request fails."))?;
            }
        }
        Ok(Exit::Done)
    }
}

/// Creates a key.
pub(crate) async fn create(organization: &Organization, description: Option<String>) -> anyhow::Result<CreatedKey> {
    organization.create_key(description, now()).await.context("the key is not created")
}

fn list(keys: &[ApiKeyListing]) -> String {
    if keys.is_empty() {
        return "The organization has no keys; `posture key create` makes one.".to_owned();
    }
    let row = |key: &ApiKeyListing| {
        vec![key.key_id.to_string(), key.description.clone().unwrap_or_default(), key.created_at.to_string()]
    };
    table(&[Column::text("KEY"), Column::text("DESCRIPTION"), Column::text("CREATED")], keys.iter().map(row))
}
