//! `posture task list`.

use anyhow::Context;
use clap::Args;
use futures_util::future::try_join;
use model::{ControlId, ServiceTenantId};
use serde::Serialize;
use store::{Assignment, Task};

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

/// A task as listed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    control_id: ControlId,
    #[serde(flatten)]
    assignment: Assignment,
    /// Whether its day has passed.
    is_overdue: bool,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let read = try_join(lookup::tenant_names(&organization), organization.all_tasks());
        let (names, tasks) = read.await.context("the tasks cannot be listed")?;
        let now = now();
        let listed = tasks.into_iter().filter(Task::is_open).filter_map(|task| {
            // Without a name, the tenant is being removed.
            let tenant_name = names.get(&task.service_tenant_id)?.clone();
            let is_overdue = task.is_overdue(now);
            let Task { service_tenant_id, control_id, assignment, .. } = task;
            Some(Listed { service_tenant_id, tenant_name, control_id, assignment, is_overdue })
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_by_key(|task| (task.assignment.due.is_none(), task.assignment.due));
        session.output.show(&listed, |listed| readable(listed))?;
        Ok(Exit::Done)
    }
}

fn readable(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "There is no task; `posture task set` sets one.".to_owned();
    }
    let row = |task: &Listed| {
        let Assignment { owner, due, note } = task.assignment.clone();
        let due = due.map(|due| if task.is_overdue { format!("{due} (overdue)") } else { due.to_string() });
        let texts = [due, owner, note].map(Option::unwrap_or_default);
        [vec![task.tenant_name.clone(), task.control_id.to_string()], texts.to_vec()].concat()
    };
    table(&["TENANT", "CONTROL", "DUE", "OWNER", "NOTE"].map(Column::text), listed.iter().map(row))
}
