//! `posture member`: the people of an organization, who use the dashboard. The person who runs the command acts as an
//! Admin.

mod invite;
mod list;
mod remove;
mod revoke;
mod role;
mod role_name;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create a link with which one person becomes a member, and show it once
    Invite(invite::Invite),
    /// Revoke an open invitation; its link no longer works
    Revoke(revoke::Revoke),
    /// List the members, in the order in which they joined
    List(list::List),
    /// Change the role of a member; it applies to the member's next request
    Role(role::ChangeRole),
    /// Remove a member; the member's next request is refused
    Remove(remove::Remove),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Invite(command) => command.run(session).await,
            Self::Revoke(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::Role(command) => command.run(session).await,
            Self::Remove(command) => command.run(session).await,
        }
    }
}
