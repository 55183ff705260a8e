//! `posture check`: whether what is stored agrees with itself.

use std::collections::BTreeMap;

use anyhow::Context;
use clap::Args;
use model::OrganizationId;
use serde::Serialize;
use store::{Discrepancy, Inspection, Organization, Store};

use crate::connection::Connection;
use crate::exit::{Exit, ended};
use crate::org;
use crate::output::Output;

const AFTER_HELP: &str = "\
Pointers and reports agree, the newest report is the newest, reports can be read, usage and users are whole, and keys \
that are listed give access. Without --org, also the other way round, for which the whole table is read. Changes \
nothing. What is written meanwhile can show as a discrepancy: check again.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Check {
    // Not from the environment: who exported one organization would believe that all were checked.
    /// One organization, by its identifier; all of them without it
    #[arg(long = "org", value_name = "ORG")]
    organization: Option<OrganizationId>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// What was found in one organization.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    organization_id: OrganizationId,
    #[serde(flatten)]
    inspection: Inspection,
}

impl Check {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |error| self.connection.advice(error))
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let session = self.connection.open(self.output).await?;
        let checked = match &self.organization {
            Some(id) => vec![check(&session.organization(id).await?).await?],
            None => check_all(&session.store).await?,
        };
        session.output.show(&checked, |checked| in_words(checked))?;
        let agree = checked.iter().all(|checked| checked.inspection.discrepancies.is_empty());
        Ok(if agree { Exit::Done } else { Exit::Failed })
    }
}

async fn check(organization: &Organization) -> anyhow::Result<Checked> {
    let inspection = organization.inspect().await.context("the organization cannot be checked")?;
    Ok(Checked { organization_id: organization.id().clone(), inspection })
}

/// All organizations, by identifier.
async fn check_all(store: &Store) -> anyhow::Result<Vec<Checked>> {
    let mut checked = BTreeMap::new();
    for record in org::all(store).await? {
        let of_one = check(&store.organization(&record.organization_id)).await?;
        checked.insert(record.organization_id, of_one.inspection);
    }
    for key in store.unlisted_keys().await.context("the keys cannot be checked")? {
        // Also where the organization itself is gone.
        let of_one: &mut Inspection = checked.entry(key.organization_id).or_default();
        let what = "the key gives access and is not listed";
        of_one.discrepancies.push(Discrepancy { subject: key.key_id.to_string(), what });
    }
    let checked = checked.into_iter();
    Ok(checked.map(|(organization_id, inspection)| Checked { organization_id, inspection }).collect())
}

fn in_words(checked: &[Checked]) -> String {
    let mut lines = Vec::new();
    for Checked { organization_id, inspection } in checked {
        lines.extend(inspection.discrepancies.iter().map(|found| format!("{organization_id}: {found}")));
        let Inspection { tenants, reports, keys, discrepancies } = inspection;
        let found = discrepancies.len();
        lines.push(format!(
            "Checked {organization_id}: {tenants} tenants, {reports} reports, {keys} keys, {found} discrepancies."
        ));
    }
    if lines.is_empty() {
        lines.push("There are no organizations to check.".to_owned());
    }
    lines.join("\n")
}
