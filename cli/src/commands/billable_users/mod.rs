//! `posture billable-users`: the billable users of a tenant.

mod record;
mod show;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Record the users of a tenant, replacing the previous recording
    #[command(after_help = record::FILES)]
    Record(record::Recording),
    /// Show the users that are billed for a tenant
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
