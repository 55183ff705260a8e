//! `posture org delete`.

use clap::Args;
use model::OrganizationId;
use operations::organizations;

use crate::confirmation::Confirmation;
use crate::connection::{InBuckets, InUsagePlan, Session};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Delete {
    /// Its identifier
    #[arg(value_name = "ORG")]
    organization: OrganizationId,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    usage_plan: InUsagePlan,
    #[command(flatten)]
    buckets: InBuckets,
}

impl Run for Delete {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { organization, confirmation, usage_plan, buckets } = self;
        let usage_plan = session.usage_plan(&usage_plan)?;
        let buckets = session.buckets(&buckets)?;
        confirmation
            .ask(&format!("Delete organization {organization} with all of its data? This cannot be undone."))?;
        organizations::delete(&session.store, usage_plan.as_ref(), buckets.as_ref(), &organization).await?;
        let result = serde_json::json!({ "organizationId": organization, "deleted": true });
        session.output.show(&result, |_| format!("Deleted organization {organization} with all of its data."))?;
        Ok(Exit::Done)
    }
}
