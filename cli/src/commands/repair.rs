//! `posture repair`: mends damaged items of an organization.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use model::{OrganizationId, Timestamp, counted};
use operations::repair;
use serde::Serialize;
use store::{Discrepancy, PlannedChange, Repair as Planned, Repaired};

use crate::advice;
use crate::arguments::{OfOrganization, now};
use crate::confirmation::Confirmation;
use crate::connection::{Connection, Session, by_operator};
use crate::exit::{Exit, ended, print_hint};
use crate::output::Output;

const AFTER_HELP: &str = "\
Rebuilds what can be derived from the organization, its tenants and its reports: pointers, marks, look-ups, corrections \
of names and the register. Sets aside what cannot be derived: a report whose body is damaged, a day of usage or a \
recording of billable users with a broken item, a member, an entry of the audit trail. Shows the items first, and asks. \
Every item that is overwritten or deleted is written to FILE before. Items of a later release are left as they are. The \
service may run meanwhile. If the repair is interrupted, run it again: a second repair finds nothing.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Repair {
    #[command(flatten)]
    organization: OfOrganization,
    /// New file for the items as they were [default: posture-repair-ORG-TIME.jsonl in the current folder]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// A repair that is done.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Done<'a> {
    organization_id: &'a OrganizationId,
    changes: Vec<PlannedChange>,
    left: Vec<Discrepancy>,
    #[serde(flatten)]
    repaired: Repaired,
    /// The file with the items as they were; `None` if none was overwritten or deleted.
    file: Option<PathBuf>,
}

impl Repair {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |error| advice::about(error, &self.connection))
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let session = self.connection.open(self.output).await?;
        let now = now();
        let organization = session.store.organization(&self.organization.id);
        let planned = organization.plan_repair(now).await.context("the organization cannot be read")?;
        let done = self.repair(&session, planned, now).await?;
        session.output.show(&done, readable)?;
        if done.repaired.refused > 0 {
            print_hint("the service has changed items during the repair: run it again");
        }
        Ok(if done.left.is_empty() && done.repaired.refused == 0 { Exit::Done } else { Exit::Failed })
    }

    async fn repair(&self, session: &Session, planned: Planned, now: Timestamp) -> anyhow::Result<Done<'_>> {
        let (organization_id, changes, left) = (&self.organization.id, planned.changes(), planned.left().to_vec());
        if changes.is_empty() {
            return Ok(Done { organization_id, changes, left, repaired: Repaired::default(), file: None });
        }
        let path = self.file.clone().unwrap_or_else(|| default_file(organization_id, now));
        let file = planned.originals().next().map(|_| path.clone());
        let set_aside = changes.iter().filter(|change| change.is_set_aside).count();
        let question = format!(
            "{}\nRebuild {} and set aside {}? {} is written first.",
            lines(&changes).join("\n"),
            counted(changes.len() - set_aside, "item"),
            counted(set_aside, "item"),
            path.display()
        );
        self.confirmation.ask(&question)?;
        let writer = by_operator(&session.store.organization(organization_id));
        let repaired =
            repair::repair(&writer, planned, &path).await.context("the repair is not complete: run it again")?;
        Ok(Done { organization_id, changes, left, repaired, file })
    }
}

fn default_file(organization: &OrganizationId, now: Timestamp) -> PathBuf {
    format!("posture-repair-{organization}-{}.jsonl", now.to_datetime().format("%Y%m%dT%H%M%S%3fZ")).into()
}

fn lines(changes: &[PlannedChange]) -> Vec<String> {
    let verb = |is_set_aside| if is_set_aside { "set aside" } else { "rebuild" };
    changes.iter().map(|change| format!("{:9} {}", verb(change.is_set_aside), change.item)).collect()
}

fn readable(done: &Done<'_>) -> String {
    let Done { organization_id, left, repaired: Repaired { rebuilt, set_aside, refused }, .. } = done;
    let mut lines: Vec<_> = left.iter().map(|left| format!("Left as it is: {left}")).collect();
    if done.changes.is_empty() {
        lines.push(format!("Found nothing to repair in organization {organization_id}."));
        return lines.join("\n");
    }
    lines.extend(self::lines(&done.changes));
    let [rebuilt, set_aside] = [rebuilt, set_aside].map(|items| counted(*items, "item"));
    lines.push(format!("Rebuilt {rebuilt} and set aside {set_aside} of organization {organization_id}."));
    if *refused > 0 {
        lines.push(format!("Left {} that changed during the repair.", counted(*refused, "item")));
    }
    if let Some(file) = &done.file {
        let contains = "It contains names and addresses of people.";
        lines.push(format!("The items as they were are in {}. {contains}", file.display()));
    }
    lines.join("\n")
}
