//! `posture org repair`.

use anyhow::ensure;
use clap::Args;
use model::{OrganizationId, counted};
use operations::organizations::{self, Admission};
use serde::Serialize;

use crate::connection::{InUsagePlan, Session};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Repair {
    /// An organization's identifier; without it, all organizations
    #[arg(value_name = "ORG")]
    organization: Option<OrganizationId>,
    #[command(flatten)]
    usage_plan: InUsagePlan,
}

/// An organization that is now in the usage plan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Repaired {
    organization_id: OrganizationId,
    repaired: bool,
}

impl Run for Repair {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let usage_plan = session.usage_plan(&self.usage_plan)?;
        ensure!(usage_plan.is_some(), "the service on this machine has no usage plan: there is nothing to repair");
        let found = organizations::repair(&session.store, usage_plan.as_ref(), self.organization.as_ref()).await?;
        let found = found.into_iter();
        let repaired: Vec<_> = found
            .map(|(organization_id, admission)| Repaired {
                organization_id,
                repaired: admission == Admission::Repaired,
            })
            .collect();
        session.output.show(&repaired, |repaired| readable(repaired))?;
        Ok(Exit::Done)
    }
}

fn readable(organizations: &[Repaired]) -> String {
    let repaired = organizations.iter().filter(|organization| organization.repaired);
    let lines: Vec<_> = repaired.map(|organization| format!("Repaired {}.", organization.organization_id)).collect();
    format!("{}\nVerified {} in the usage plan.", lines.join("\n"), counted(organizations.len(), "organization"))
        .trim_start()
        .to_owned()
}
