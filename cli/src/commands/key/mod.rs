//! `posture key`: API keys. The person who runs the command acts as an Admin.

mod create;
mod delete;
mod list;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a key and show it once
    Create(create::Create),
    /// List the keys, oldest first; their text is not stored
    List(list::List),
    /// Delete a key; the next request with it fails
    Delete(delete::Delete),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Create(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::Delete(command) => command.run(session).await,
        }
    }
}
