//! `posture task set`.

use anyhow::Context;
use chrono::NaiveDate;
use clap::{ArgGroup, Args};
use operations::tasks::assignment;

use super::change;
use crate::arguments::day;
use crate::commands::controls::{Controls, OfTool};
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("assignment").args(["owner", "due", "note"]).required(true).multiple(true))]
pub(crate) struct Set {
    #[command(flatten)]
    controls: Controls,
    #[command(flatten)]
    of_tool: OfTool,
    /// The responsible person: a member, or somebody at the client
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Day (UTC) by which it is due, in the form YYYY-MM-DD
    #[arg(long, value_name = "DATE", value_parser = day)]
    due: Option<NaiveDate>,
    /// A note
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

impl Run for Set {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let (owner, note) = (self.owner.unwrap_or_default(), self.note.unwrap_or_default());
        let assignment = assignment(&owner, self.due, &note).context("the task was not changed")?;
        change(self.controls, self.of_tool, session, Some(assignment)).await
    }
}
