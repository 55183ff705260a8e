//! `posture tenant`: tenants of an organization.

mod add;
mod erase;
mod label;
mod list;
mod one;
mod pause;
mod remove;
mod rename;
mod show;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;
use one::OneTenant;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a tenant
    Add(add::Add),
    /// List the tenants, without removed ones
    List(list::List),
    /// Show a tenant and the newest report of each of its tools
    Show(OneTenant),
    /// Pause a tenant: it stays listed and has no billable users
    Pause(OneTenant),
    /// Resume a paused tenant
    Resume(OneTenant),
    /// Remove a tenant with its reports; this cannot be undone
    Remove(remove::Remove),
    /// Erase a tenant: everything about it, in the table and in the bucket; this cannot be undone
    ///
    /// Also takes the identifier of a removed tenant. Deletes its reports, users, kept edits and uploaded files, its part of
    /// the usage, the outcomes of imports that name it, and the values in the audit trail's entries about it. Repeating an
    /// interrupted erasure completes it.
    Erase(erase::Erase),
    /// Rename a tenant, also in all of its reports
    Rename(rename::Rename),
    /// Give a tenant labels, by which lists are filtered
    Label(label::GiveLabels),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Add(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::Show(tenant) => show::run(&tenant, session).await,
            Self::Pause(tenant) => pause::run(&tenant, session, true).await,
            Self::Resume(tenant) => pause::run(&tenant, session, false).await,
            Self::Remove(command) => command.run(session).await,
            Self::Erase(command) => command.run(session).await,
            Self::Rename(command) => command.run(session).await,
            Self::Label(command) => command.run(session).await,
        }
    }
}
