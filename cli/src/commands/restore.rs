//! `posture restore`: prepares a restored table for service.

use std::collections::HashSet;

use anyhow::Context;
use clap::Args;
use model::{Timestamp, counted};
use operations::{Grant, GrantKind, grants};
use serde::Serialize;
use store::Store;

use crate::advice;
use crate::arguments::now;
use crate::connection::Connection;
use crate::exit::{Exit, ended, print_hint};
use crate::output::{Column, Output, table};
use crate::table::{Made, Setting, Table};

const AFTER_HELP: &str = "\
DynamoDB restores items, and not the settings of their table. This turns on time to live, point-in-time recovery and \
deletion protection, copies stream and tags with --from, and reads back whether they are in effect. Repeating it does no \
harm. Alarms and functions change to the table with the deployment that puts it into service.

The list shows whatever gives access again: keys, open invitations and sessions from before. With --from, it says which \
of them the other table no longer has, so they may have been withdrawn since. Withdraw them by `posture key delete`, \
`posture member revoke` and --end-sessions.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Restore {
    /// Table that was in service before: copies its tags and its stream, and compares what gives access
    #[arg(long, value_name = "TABLE")]
    from: Option<String>,
    /// End all sessions in the restored table, so that all members sign in again
    #[arg(long)]
    end_sessions: bool,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: Connection,
}

/// A restored table.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Restored<'a> {
    table: &'a str,
    settings: Vec<Made>,
    /// Number of sessions that were ended.
    ended_sessions: usize,
    access: Vec<Listed>,
}

/// Something that gives access.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    #[serde(flatten)]
    grant: Grant,
    /// Whether the table that was in service before has it, too; `None` if none is named.
    still_in_from: Option<bool>,
}

impl Restore {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |error| advice::about(error, &self.connection))
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let name = self.connection.named_table()?;
        let session = self.connection.open(self.output).await?;
        let (restored, from) = (session.table(name)?, self.from.as_ref().map(|from| session.table(from)).transpose()?);
        let settings = settings(&restored, from.as_ref()).await?;
        let ended_sessions = if self.end_sessions { end_sessions(&session.store).await? } else { 0 };
        let access = access(&session.store, from.as_ref()).await?;
        let restored = Restored { table: name, settings, ended_sessions, access };
        session.output.show(&restored, readable)?;
        let failed = restored.settings.iter().filter(|made| made.failure.is_some()).count();
        if failed > 0 {
            print_hint(&format!("{} could not be made: run the command again", counted(failed, "setting")));
            return Ok(Exit::Failed);
        }
        Ok(Exit::Done)
    }
}

async fn settings(restored: &Table, from: Option<&Table>) -> anyhow::Result<Vec<Made>> {
    let mut wanted = Vec::from(Setting::OF_EVERY_TABLE);
    if let Some(from) = from {
        wanted.extend(from.handed_on().await?);
    }
    let mut made = Vec::with_capacity(wanted.len());
    for setting in &wanted {
        made.push(restored.ensure(setting).await);
    }
    Ok(made)
}

async fn end_sessions(restored: &Store) -> anyhow::Result<usize> {
    let mut ended = 0;
    for organization in restored.as_operator().organization_ids().await? {
        ended += restored.sessions(&organization).end_all().await.context("not all sessions were ended")?;
    }
    Ok(ended)
}

/// Lists whatever gives access in the restored table, compared with the table before.
async fn access(restored: &Store, from: Option<&Table>) -> anyhow::Result<Vec<Listed>> {
    let now = now();
    let before = match from {
        Some(from) => Some(grants(&from.store(), now).await.context("keys of the table before cannot be listed")?),
        None => None,
    };
    let before = before.as_ref().map(|before| before.iter().map(Grant::identity).collect::<HashSet<_>>());
    let still = |grant: &Grant| before.as_ref().map(|before| before.contains(&grant.identity()));
    let grants = grants(restored, now).await.context("keys of the restored table cannot be listed")?;
    Ok(grants.into_iter().map(|grant| Listed { still_in_from: still(&grant), grant }).collect())
}

fn readable(Restored { table: name, settings, ended_sessions, access }: &Restored<'_>) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "off".to_owned());
    let row = |made: &Made| {
        let after = made.failure.clone().map_or_else(|| value(&made.after), |failure| format!("FAILED: {failure}"));
        vec![made.setting.clone(), value(&made.before), after]
    };
    let columns = ["SETTING", "BEFORE", "AFTER"].map(Column::text);
    let mut parts = vec![format!("Table {name}"), table(&columns, settings.iter().map(row))];
    if *ended_sessions > 0 {
        parts.push(format!("\nEnded {}.", counted(*ended_sessions, "session")));
    }
    parts.push(match access.is_empty() {
        true => "\nNo key, open invitation or session gives access.".to_owned(),
        false => format!("\n{}", access_table(access)),
    });
    parts.join("\n")
}

fn access_table(access: &[Listed]) -> String {
    let row = |Listed { grant, still_in_from }: &Listed| {
        let kind = match grant.kind {
            GrantKind::Key => "key",
            GrantKind::Invitation => "invitation",
            GrantKind::Session => "session of",
        };
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
        let since = still_in_from.map(|still| if still { "" } else { "no longer in the other table" });
        let organization = grant.organization_id.to_string();
        let (created, ends) = (time(grant.created_at), time(grant.expires_at));
        vec![organization, kind.to_owned(), grant.id.clone(), created, ends, since.unwrap_or_default().to_owned()]
    };
    table(&["ORGANIZATION", "ACCESS", "ID", "CREATED", "ENDS", "SINCE"].map(Column::text), access.iter().map(row))
}
