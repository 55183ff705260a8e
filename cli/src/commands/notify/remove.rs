//! `posture notify remove`.

use anyhow::Context;
use clap::Args;
use serde_json::json;

use super::Of;
use crate::confirmation::Confirmation;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Run for Remove {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { of, confirmation } = self;
        confirmation.required()?;
        let organization = session.organization(&of.organization.id).await?;
        confirmation.ask(&format!("Remove target {}? What waits for it is not sent.", of.target))?;
        by_operator(&organization).remove_target(&of.target).await.context("the target was not removed")?;
        let result = json!({ "targetId": of.target, "removed": true });
        session.output.show(&result, |_| format!("Removed target {}.", of.target))?;
        Ok(Exit::Done)
    }
}
