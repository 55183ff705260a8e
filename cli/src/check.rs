//! `posture check`: whether what is stored agrees with itself.

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use shared::model::OrganizationId;
use shared::store::{Inspection, Organization};

use crate::connection::{Connection, Session};
use crate::exit::{Exit, ended};
use crate::org;
use crate::output::Output;

const AFTER_HELP: &str = "\
Pointers and reports agree, the newest report is the newest, keys that are listed give access, usage and users are \
whole, reports can be read. Changes nothing. What is written meanwhile can show as a discrepancy: check again.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Check {
    /// One organization, by its identifier; all of them without it
    #[arg(long = "org", value_name = "ORG", env = "POSTURE_ORG")]
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
        let mut checked = Vec::new();
        for organization in self.organizations(&session).await? {
            let inspection = organization.inspect().await.context("the organization cannot be checked")?;
            checked.push(Checked { organization_id: organization.id().clone(), inspection });
        }
        session.output.show(&checked, |checked| in_words(checked))?;
        let agree = checked.iter().all(|checked| checked.inspection.discrepancies.is_empty());
        Ok(if agree { Exit::Done } else { Exit::Failed })
    }

    async fn organizations(&self, session: &Session) -> anyhow::Result<Vec<Organization>> {
        match &self.organization {
            Some(id) => Ok(vec![session.organization(id).await?]),
            None => {
                let all = org::all(&session.store).await?;
                Ok(all.iter().map(|record| session.store.organization(&record.organization_id)).collect())
            }
        }
    }
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
