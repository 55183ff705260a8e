//! `posture text`: texts of the organization for controls.

mod list;
mod remove;
mod set;

use clap::{Args, Subcommand};
use model::ControlId;

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set why a control matters and its fix, for all tenants, in place of the earlier text
    ///
    /// Later imports use it for every tenant, unless an edit is kept for the tenant. Reports that exist stay as they
    /// are.
    Set(set::Set),
    /// List the texts, by tool and control
    List(list::List),
    /// Remove a text: later imports have the tool's values again
    Remove(remove::Remove),
}

/// A control of the organization.
#[derive(Debug, Args)]
struct OfControl {
    #[command(flatten)]
    organization: OfOrganization,
    /// The control, written as the reports do
    #[arg(long, value_name = "CONTROL_ID")]
    control: ControlId,
    /// The tool, written as the reports do, such as ScubaGear; needed only if several have the control
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Set(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::Remove(command) => command.run(session).await,
        }
    }
}
