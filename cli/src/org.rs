//! `posture org`: organizations.

use anyhow::{Context, bail};
use clap::Subcommand;
use serde::Serialize;
use shared::model::{OrganizationId, Timestamp};
use shared::store::{OrganizationRecord, Store};

use crate::arguments::{display_name, now};
use crate::command::Run;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an organization
    Create {
        /// Its name, as usage reports show it
        #[arg(long, value_parser = display_name)]
        name: String,
    },
    /// List all organizations, oldest first
    List,
    /// Delete an organization with its keys, tenants, reports and usage, for good
    Delete {
        /// Its identifier
        #[arg(value_name = "ORG")]
        organization: OrganizationId,
        /// Really delete it
        #[arg(long, required = true)]
        yes: bool,
    },
}

/// An organization as it is shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    organization_id: OrganizationId,
    name: String,
    created_at: Timestamp,
}

impl From<OrganizationRecord> for Shown {
    fn from(record: OrganizationRecord) -> Self {
        Self { organization_id: record.organization_id, name: record.name, created_at: record.created_at }
    }
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Create { name } => {
                let record = create(&session.store, OrganizationId::generate(), name).await?;
                session.output.show(&Shown::from(record), |created| {
                    format!(
                        "Created organization {}. Next: `posture key create`, `posture tenant add`.",
                        created.organization_id
                    )
                })?;
            }
            Self::List => {
                let records = session.store.organizations().await.context("the organizations cannot be listed")?;
                let shown: Vec<Shown> = records.into_iter().map(Shown::from).collect();
                session.output.show(&shown, |shown| list(shown))?;
            }
            Self::Delete { organization, .. } => {
                let deleted = session.store.delete_organization(&organization).await;
                let context = "the organization is deleted in part; delete it again to go on";
                if !deleted.context(context)? {
                    bail!("there is no organization {organization}");
                }
                let result = serde_json::json!({ "organizationId": organization, "deleted": true });
                session.output.show(&result, |_| format!("Deleted organization {organization} with all its data."))?;
            }
        }
        Ok(Exit::Done)
    }
}

/// Creates an organization with a fresh key for the gateway's usage plan.
pub(crate) async fn create(store: &Store, id: OrganizationId, name: String) -> anyhow::Result<OrganizationRecord> {
    let record = OrganizationRecord { organization_id: id, name, usage_plan_key: usage_plan_key()?, created_at: now() };
    if !store.create_organization(&record).await.context("the organization is not created")? {
        bail!("there is an organization {} already", record.organization_id);
    }
    Ok(record)
}

/// 64 hexadecimal digits from the system's random source: the gateway takes 20 to 128 letters and digits.
fn usage_plan_key() -> anyhow::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the system's random source failed")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn list(organizations: &[Shown]) -> String {
    if organizations.is_empty() {
        return "There are no organizations yet; `posture org create` makes one.".to_owned();
    }
    let row = |shown: &Shown| vec![shown.organization_id.to_string(), shown.name.clone(), shown.created_at.to_string()];
    table(&[Column::text("ORGANIZATION"), Column::text("NAME"), Column::text("CREATED")], organizations.iter().map(row))
}
