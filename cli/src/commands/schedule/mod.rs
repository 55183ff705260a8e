//! `posture schedule`: when the service makes reports by itself.

mod documents;
mod list;
mod of;
mod remove;
mod set;
mod stale_after;

use clap::Subcommand;

use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;
use of::Of;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set when reports are due: of all tenants of an organization, or instead of those with a label, or of one of them
    ///
    /// A tenant's own schedule comes first, then that of its labels, of which the first by name wins, then that of the
    /// organization. Tenants are spread over the window, and each always has the same moment. A report that was missed
    /// is made once, as soon as possible.
    Set(set::Set),
    /// Set when the PDFs of many reports are made unasked, which are downloaded from the dashboard
    Documents(documents::Documents),
    /// List the schedules, and for each tenant its next report and whether its last one is missing
    List(list::List),
    /// Set after how many days without a report a tenant is stale, which the event tenant.stale tells
    StaleAfter(stale_after::After),
    /// Remove a schedule: tenants have that of a label or of their organization again
    Remove(Of),
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        match self {
            Self::Set(command) => command.run(session).await,
            Self::Documents(command) => command.run(session).await,
            Self::List(command) => command.run(session).await,
            Self::StaleAfter(command) => command.run(session).await,
            Self::Remove(of) => remove::run(&of, session).await,
        }
    }
}
