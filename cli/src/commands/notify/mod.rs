//! `posture notify`: who is told of events.

mod add;
mod add_member;
mod change;
mod deliveries;
mod list;
mod of;
mod remove;
mod rotate;
mod rules;
mod send;
mod shown;
mod switch;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;
use of::Of;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a target, and show the secret that signs its messages once
    Add(add::Add),
    /// Add a member as a target, who receives mail once the address is confirmed
    AddMember(add_member::AddMember),
    /// Change a target's name, address, form or rules
    Change(change::Change),
    /// List the targets, oldest first, without their secrets
    List(list::List),
    /// Send a test to a target
    Test(send::Test),
    /// List the last deliveries to a target, of the newest event first
    Deliveries(deliveries::Deliveries),
    /// Send events again that a target is told of
    SendAgain(send::SendAgain),
    /// Give a target a new secret and show it once; the one before signs for another 24 hours
    Rotate(rotate::Rotate),
    /// Pause a target: it is not told of what happens until it is resumed
    Pause(Of),
    /// Resume a target that was paused or switched off
    Resume(Of),
    /// Remove a target; what waits for it is not sent
    Remove(remove::Remove),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Add(command) => command.run(session).await,
            Self::AddMember(command) => command.run(session).await,
            Self::Change(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::Test(command) => command.run(session).await,
            Self::Deliveries(command) => command.run(session).await,
            Self::SendAgain(command) => command.run(session).await,
            Self::Rotate(command) => command.run(session).await,
            Self::Pause(of) => switch::run(&of, true, session).await,
            Self::Resume(of) => switch::run(&of, false, session).await,
            Self::Remove(command) => command.run(session).await,
        }
    }
}
