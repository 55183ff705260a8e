//! `posture org`: organizations, and their keys in API Gateway's usage plan.

mod brand;
mod create;
mod delete;
mod export;
mod import;
mod list;
mod repair;
mod shown;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an organization
    Create(create::Create),
    /// List all organizations, oldest first
    List,
    /// Ensure that organizations are in the usage plan; API Gateway refuses requests without it
    ///
    /// Completes an interrupted `org create`, and adds all organizations to a new usage plan. Does not change
    /// organizations that are already in the plan.
    Repair(repair::Repair),
    /// Show or change the brand of documents for the organization's clients: name, accent colour, footer, logo
    Brand(brand::OrgBrand),
    /// Write everything that an organization has to a file, to keep it or to import it elsewhere
    ///
    /// The file is a .tar.gz archive: stored items, and reports, billable users and outcomes of imports as JSON. It has
    /// one state of the organization: if something changes meanwhile, the export begins again, up to three times. Repeating
    /// an interrupted export continues it. API keys and sessions are not in it.
    Export(export::Export),
    /// Restore an organization from the file of an export, in a table that does not have it
    ///
    /// Identifiers, links and members stay the same; API keys have to be created again. Nothing is visible before all of it
    /// has arrived. Repeating an interrupted import continues it; `posture org delete` drops it.
    Import(import::Import),
    /// Delete an organization with its keys, tenants, reports, usage and uploaded files; this cannot be undone
    ///
    /// Its keys stop working at once. Repeating an interrupted deletion completes it.
    Delete(delete::Delete),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Create(command) => command.run(session).await,
            Self::List => list::run(session).await,
            Self::Repair(command) => command.run(session).await,
            Self::Brand(command) => command.run(session).await,
            Self::Export(command) => command.run(session).await,
            Self::Import(command) => command.run(session).await,
            Self::Delete(command) => command.run(session).await,
        }
    }
}
