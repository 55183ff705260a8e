//! `posture check`: checks that the stored data is consistent.

use std::collections::BTreeMap;

use anyhow::Context;
use clap::Args;
use model::{OrganizationId, counted};
use serde::Serialize;
use store::{Inspection, Organization, Store, StoreError};

use crate::advice;
use crate::connection::{Connection, Session};
use crate::exit::{Exit, ended, print_hint};
use crate::output::Output;

const AFTER_HELP: &str = "\
Checks that every item can be read and belongs to its key, that pointers and reports agree, that the newest report of \
each tenant is known, that reports can be read, that usage and users are complete, that listed keys give access, and \
that members, invitations, kept edits and imports are consistent. Without --org, reads the whole table and also checks \
that keys and invitations that give access are listed. Changes nothing. A write during the check can show as a \
discrepancy: check again.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Check {
    // Not from the environment: a user who exported one organization would believe that all were checked.
    /// One organization, by its identifier; without it, all of them
    #[arg(long = "org", value_name = "ORG")]
    organization: Option<OrganizationId>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// The discrepancies of one organization.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    /// `None` for items outside of organizations that do not say whose they are.
    organization_id: Option<OrganizationId>,
    #[serde(flatten)]
    inspection: Inspection,
}

impl Check {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |error| advice::about(error, &self.connection))
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let session = self.connection.open(self.output).await?;
        let checked = match &self.organization {
            Some(id) => vec![check(&existing(&session, id).await?).await?],
            None => check_all(&session.store).await?,
        };
        session.output.show(&checked, |checked| readable(checked))?;
        let agree = checked.iter().all(|checked| checked.inspection.discrepancies.is_empty());
        if !agree {
            print_hint("`posture repair --org ORG` rebuilds what can be derived, and sets the rest aside into a file");
        }
        Ok(if agree { Exit::Done } else { Exit::Failed })
    }
}

/// Returns an organization that exists. It may be damaged itself.
async fn existing(session: &Session, id: &OrganizationId) -> anyhow::Result<Organization> {
    let organization = session.store.organization(id);
    match organization.record().await {
        Err(StoreError::Damaged(_)) => Ok(organization),
        _ => session.organization(id).await,
    }
}

async fn check(organization: &Organization) -> anyhow::Result<Checked> {
    let inspection = organization.inspect().await.context("the organization cannot be checked")?;
    Ok(Checked { organization_id: Some(organization.id().clone()), inspection })
}

/// Checks all organizations, ordered by identifier, and the items outside of them.
async fn check_all(store: &Store) -> anyhow::Result<Vec<Checked>> {
    let mut checked = BTreeMap::new();
    for id in store.as_operator().organization_ids().await.context("the organizations cannot be listed")? {
        let of_one = check(&store.organization(&id)).await?;
        checked.insert(Some(id), of_one.inspection);
    }
    for (organization, stray) in store.inspect_outside().await.context("the look-ups cannot be checked")? {
        // Listed even if the organization itself no longer exists.
        let of_one: &mut Inspection = checked.entry(organization).or_default();
        // A damaged look-up that its organization lists is already known.
        if !of_one.discrepancies.contains(&stray) {
            of_one.discrepancies.push(stray);
        }
    }
    let checked = checked.into_iter();
    Ok(checked.map(|(organization_id, inspection)| Checked { organization_id, inspection }).collect())
}

fn readable(checked: &[Checked]) -> String {
    let mut lines = Vec::new();
    for Checked { organization_id, inspection } in checked {
        let organization_id = organization_id.as_ref().map_or("outside of organizations", OrganizationId::as_str);
        lines.extend(inspection.discrepancies.iter().map(|found| format!("{organization_id}: {found}")));
        let Inspection { tenants, reports, keys, discrepancies } = inspection;
        lines.push(format!(
            "Checked {organization_id}: {}, {}, {}, {}.",
            counted(*tenants, "tenant"),
            counted(*reports, "report"),
            counted(*keys, "key"),
            counted(discrepancies.len(), "discrepancy")
        ));
    }
    if lines.is_empty() {
        lines.push("There are no organizations to check.".to_owned());
    }
    lines.join("\n")
}
