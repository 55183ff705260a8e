//! `posture task`: tasks of controls.

mod list;
mod remove;
mod set;

use clap::Subcommand;
use model::Actor;
use operations::tasks;
use store::{Assignment, Organization, TaskError};

use super::controls::{Controls, OfTenant, OfTool};
use crate::arguments::now;
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set the owner, the day and a note of a control that does not meet best practice, in place of its earlier task
    ///
    /// The task is done once a report finds the control secure. Members see it; the API does not return it.
    Set(set::Set),
    /// List the open tasks, earliest due day first
    List(list::List),
    /// Remove tasks
    Remove(remove::Remove),
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

/// Sets the task of a control, or removes it.
async fn change(
    controls: Controls,
    of_tool: OfTool,
    session: &Session,
    assignment: Option<Assignment>,
) -> anyhow::Result<Exit> {
    let done = |of: &str| match assignment {
        Some(_) => format!("The task is set for {of}."),
        None => format!("The task is removed for {of}."),
    };
    let set = async |organization: &Organization, OfTenant { tenant, newest, control }: OfTenant<'_>| {
        let of = (&tenant.service_tenant_id, newest);
        tasks::set(organization, &Actor::operator(), of, control, assignment.as_ref(), now()).await
    };
    controls.change(of_tool, session, set, is_of_tenant, (done, "the task was not changed")).await
}

/// Returns whether another tenant may have something to do, or a task.
fn is_of_tenant(error: &TaskError) -> bool {
    use TaskError::{NoReport, NoSuchControl, NotFound, NotNewest, NothingToDo};
    matches!(error, NoReport | NoSuchControl(_) | NotNewest | NothingToDo | NotFound)
}
