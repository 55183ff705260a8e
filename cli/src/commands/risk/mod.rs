//! `posture risk`: accepted risks.

mod accept;
mod change;
mod end;
mod list;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Accept the risk of a control that does not meet best practice, in newest reports and later ones
    ///
    /// The status and the score stay as the tool found them. The risk leaves the top risks and the events. It ends on its
    /// day, and as soon as a report finds the control secure.
    Accept(accept::Accept),
    /// List the accepted risks
    List(list::List),
    /// End accepted risks, in newest reports and later ones
    End(end::End),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Accept(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::End(command) => command.run(session).await,
        }
    }
}
