//! `posture usage`: the usage of an organization's tenants per day.

mod record;
mod show;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Record the usage of a day, replacing an earlier recording of it
    #[command(after_help = record::FILES)]
    Record(record::Recording),
    /// Show the usage of a day
    Show(show::Show),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Record(command) => command.run(session).await,
            Self::Show(command) => command.run(session).await,
        }
    }
}
