//! `posture risk accept`.

use chrono::NaiveDate;
use clap::Args;
use model::AcceptedRisk;

use super::change;
use crate::arguments::day;
use crate::commands::controls::{Controls, OfTool};
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Accept {
    #[command(flatten)]
    controls: Controls,
    #[command(flatten)]
    of_tool: OfTool,
    /// Why the risk is accepted; reports show it to their readers
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Day (UTC) on which it ends, at most a year ahead, in the form YYYY-MM-DD
    #[arg(long, value_name = "DATE", value_parser = day)]
    until: NaiveDate,
}

impl Run for Accept {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let risk = AcceptedRisk { reason: self.reason, until: self.until };
        change(self.controls, self.of_tool, session, Some(risk)).await
    }
}
