//! `posture report`: posture reports, from the results of assessment tools.

mod compare;
mod delete;
mod edit;
mod import;
mod import_result;
mod list;
mod listed;
mod pdf;
#[cfg(feature = "pdf")]
mod pdf_all;
mod prune;
mod report_text;
mod request;
mod show;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

pub(super) use listed::{Listed, MOST, listing};
pub(super) use pdf::Options;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create reports from the result files of assessment tools
    #[command(after_long_help = import::HELP)]
    Import(import::Import),
    /// Request a report, which the service makes itself: it collects the tenant's configuration and judges it
    Request(request::Request),
    /// List the last request of each tenant, newest first
    Requests(request::Requests),
    /// List reports, newest first
    List(list::List),
    /// Show one report
    Show(show::Show),
    /// Compare two reports of a tenant and tool: which controls have another result, and the scores
    Compare(compare::Compare),
    /// Write a report or those of all tenants as PDFs, with the organization's brand and the JSON that the API returns
    Pdf(pdf::Pdf),
    /// Edit a check or an administrator of a report; the API returns the edited values at once
    Edit(edit::Edit),
    /// Delete a report; importing its file again recreates it
    Delete(delete::Delete),
    /// Delete old reports: keep every report of some months, then one a month
    #[command(after_help = prune::HELP)]
    Prune(prune::Prune),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Import(command) => command.run(session).await,
            Self::Request(command) => command.run(session).await,
            Self::Requests(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::Show(command) => command.run(session).await,
            Self::Compare(command) => command.run(session).await,
            Self::Pdf(command) => command.run(session).await,
            Self::Edit(command) => command.run(session).await,
            Self::Delete(command) => command.run(session).await,
            Self::Prune(command) => command.run(session).await,
        }
    }
}
