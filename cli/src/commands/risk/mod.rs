//! `posture risk`: accepted risks.

mod accept;
mod end;
mod list;

use clap::Subcommand;
use model::{AcceptedRisk, Actor};
use operations::edits::{NewestError, Refusal};
use operations::risks;
use store::Organization;

use super::controls::{Controls, OfTenant, OfTool};
use crate::arguments::now;
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

/// Accepts the risk of a control, or ends this.
async fn change(
    controls: Controls,
    of_tool: OfTool,
    session: &Session,
    risk: Option<AcceptedRisk>,
) -> anyhow::Result<Exit> {
    let done = |of: &str| match &risk {
        Some(risk) => format!("The risk is accepted until {} for {of}.", risk.until),
        None => format!("The accepted risk has ended for {of}."),
    };
    let accept = async |organization: &Organization, of: OfTenant<'_>| {
        let edited =
            risks::accept(organization, &Actor::operator(), of.newest, of.control, risk.clone(), now()).await?;
        Ok(Some(edited.report.summary.report_id))
    };
    controls.change(of_tool, session, accept, is_of_tenant, (done, "the risk was not changed")).await
}

/// Returns whether another tenant may have the risk.
fn is_of_tenant(error: &NewestError) -> bool {
    use Refusal::{NoSuchControl, NotAccepted, NothingToAccept};
    matches!(error, NewestError::NoReport | NewestError::Refused(NoSuchControl(_) | NothingToAccept | NotAccepted))
}
