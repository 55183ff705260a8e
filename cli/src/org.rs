//! `posture org`: organizations, and their place in the gateway's usage plan.

use anyhow::{Context, bail};
use clap::Subcommand;
use model::{OrganizationId, Timestamp};
use serde::Serialize;
use store::{OrganizationError, OrganizationRecord, Store};

use crate::arguments::{display_name, now};
use crate::brand::OrgBrand;
use crate::command::Run;
use crate::connection::{InUsagePlan, Session};
use crate::exit::Exit;
use crate::gateway::{Admission, UsagePlan};
use crate::output::{Column, table};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create an organization
    Create {
        /// Its name, as usage reports show it
        #[arg(long, value_parser = display_name)]
        name: String,
        #[command(flatten)]
        usage_plan: InUsagePlan,
    },
    /// List all organizations, oldest first
    List,
    /// See to it that organizations are in the usage plan, which a request needs to pass the gateway
    ///
    /// Completes an interrupted `org create`, and admits all organizations to a new usage plan. What is in order is
    /// left as it is.
    Repair {
        /// An organization's identifier; all organizations without it
        #[arg(value_name = "ORG")]
        organization: Option<OrganizationId>,
        #[command(flatten)]
        usage_plan: InUsagePlan,
    },
    /// Show or change the brand of the documents for its clients: name, accent colour, footer, logo
    Brand(OrgBrand),
    /// Delete an organization with its keys, tenants, reports and usage, for good
    ///
    /// Its keys stop working at once. An interrupted deletion is completed by another.
    Delete {
        /// Its identifier
        #[arg(value_name = "ORG")]
        organization: OrganizationId,
        /// Really delete it
        #[arg(long, required = true)]
        yes: bool,
        #[command(flatten)]
        usage_plan: InUsagePlan,
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

/// An organization whose place in the usage plan is in order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Repaired {
    organization_id: OrganizationId,
    repaired: bool,
}

impl From<OrganizationRecord> for Shown {
    fn from(record: OrganizationRecord) -> Self {
        Self { organization_id: record.organization_id, name: record.name, created_at: record.created_at }
    }
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Create { name, usage_plan } => {
                // Before anything is written: whoever forgot the usage plan has nothing to repair.
                let usage_plan = session.usage_plan(&usage_plan)?;
                let created = create(&session.store, OrganizationId::generate(now()), name).await?;
                admit(usage_plan.as_ref(), &created).await?;
                session.output.show(&Shown::from(created), |created| {
                    format!("Created organization {}. Next: `posture key create`.", created.organization_id)
                })?;
            }
            Self::List => {
                let shown: Vec<Shown> = all(&session.store).await?.into_iter().map(Shown::from).collect();
                session.output.show(&shown, |shown| list(shown))?;
            }
            Self::Repair { organization, usage_plan } => {
                let repaired = repair(session, organization, &usage_plan).await?;
                session.output.show(&repaired, |repaired| repaired_in_words(repaired))?;
            }
            Self::Brand(brand) => brand.run(session).await?,
            Self::Delete { organization, usage_plan, .. } => {
                delete(session, &organization, &usage_plan).await?;
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
    store.create_organization(&record).await.map_err(|error| match error {
        OrganizationError::Exists => anyhow::anyhow!("there is an organization {} already", record.organization_id),
        error => anyhow::Error::new(error).context("the organization is not created"),
    })?;
    Ok(record)
}

/// Admits an organization to the usage plan, where there is one.
pub(crate) async fn admit(
    usage_plan: Option<&UsagePlan>,
    organization: &OrganizationRecord,
) -> anyhow::Result<Admission> {
    let Some(usage_plan) = usage_plan else { return Ok(Admission::Complete) };
    usage_plan.admit(organization).await.with_context(|| {
        let id = &organization.organization_id;
        format!("organization {id} is there, but the gateway does not know it yet; `posture org repair {id}` goes on")
    })
}

/// All organizations, oldest first.
pub(crate) async fn all(store: &Store) -> anyhow::Result<Vec<OrganizationRecord>> {
    store.organizations().await.context("the organizations cannot be listed")
}

/// 64 hexadecimal digits from the system's random source: the gateway takes 20 to 128 letters and digits.
fn usage_plan_key() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).context("the system's random source failed")?;
    Ok(hex::encode(bytes))
}

async fn repair(
    session: &Session,
    organization: Option<OrganizationId>,
    usage_plan: &InUsagePlan,
) -> anyhow::Result<Vec<Repaired>> {
    let usage_plan = session.usage_plan(usage_plan)?;
    let organizations = match organization {
        None => all(&session.store).await?,
        Some(id) => session.organization(&id).await?.record().await?.into_iter().collect(),
    };
    let mut repaired = Vec::with_capacity(organizations.len());
    for organization in organizations {
        let admission = admit(usage_plan.as_ref(), &organization).await?;
        let organization_id = organization.organization_id;
        repaired.push(Repaired { organization_id, repaired: admission == Admission::Repaired });
    }
    Ok(repaired)
}

fn repaired_in_words(organizations: &[Repaired]) -> String {
    let repaired = organizations.iter().filter(|organization| organization.repaired);
    let lines: Vec<_> = repaired.map(|organization| format!("Repaired {}.", organization.organization_id)).collect();
    format!("{}\n{} organizations are in order.", lines.join("\n"), organizations.len()).trim_start().to_owned()
}

/// Deletes the data first, since that ends access; then the gateway's key, also where the data are gone already.
async fn delete(session: &Session, id: &OrganizationId, usage_plan: &InUsagePlan) -> anyhow::Result<()> {
    let usage_plan = session.usage_plan(usage_plan)?;
    let context = "the organization is deleted in part; delete it again to go on";
    let existed = match session.store.delete_organization(id).await {
        Ok(()) => true,
        Err(OrganizationError::NotFound) => false,
        Err(error) => return Err(anyhow::Error::new(error).context(context)),
    };
    let dismissed = match usage_plan {
        Some(usage_plan) => usage_plan.dismiss(id).await.context(context)?,
        None => false,
    };
    if !existed && !dismissed {
        bail!("there is no organization {id}");
    }
    Ok(())
}

fn list(organizations: &[Shown]) -> String {
    if organizations.is_empty() {
        return "There are no organizations yet; `posture org create` makes one.".to_owned();
    }
    let row = |shown: &Shown| vec![shown.organization_id.to_string(), shown.name.clone(), shown.created_at.to_string()];
    table(&["ORGANIZATION", "NAME", "CREATED"].map(Column::text), organizations.iter().map(row))
}
