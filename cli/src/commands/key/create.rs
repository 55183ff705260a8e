//! `posture key create`.

use anyhow::Context;
use clap::{Args, ValueEnum};
use model::DisplayName;
use serde::Serialize;
use store::{ApiKeyListing, KeyRights};

use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::{Exit, WrongOption};
use crate::lookup;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Create {
    #[command(flatten)]
    organization: OfOrganization,
    /// Purpose of the key
    #[arg(long, value_name = "TEXT")]
    description: Option<DisplayName>,
    /// The requests that the key may make
    #[arg(long, value_enum, default_value_t = ScopeName::Read)]
    scope: ScopeName,
    /// The only tenant that the key imports for, by identifier or name
    #[arg(long, value_name = "TENANT")]
    tenant: Option<String>,
}

/// A scope, as typed on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScopeName {
    /// Reads everything of the organization
    Read,
    /// Imports files, and reads nothing but what became of them
    Import,
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
        let rights = match (self.scope, &self.tenant) {
            (ScopeName::Read, None) => KeyRights::Read,
            (ScopeName::Read, Some(_)) => return Err(WrongOption::TenantOfReader.into()),
            (ScopeName::Import, None) => KeyRights::Import(None),
            (ScopeName::Import, Some(tenant)) => {
                KeyRights::Import(Some(lookup::tenant(&organization, tenant).await?.service_tenant_id))
            }
        };
        let created = by_operator(&organization).create_key_for(self.description, rights).await;
        let created = created.context("the key was not created")?;
        let new = NewKey { key: created.key.reveal(), listing: &created.listing };
        session.output.show(&new, |new| {
            format!("{}\n\nThis is key {}. It will not be shown again.", new.key, new.listing.key_id)
        })?;
        Ok(Exit::Done)
    }
}
