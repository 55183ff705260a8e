//! `posture member remove`.

use anyhow::Context;
use clap::Args;
use model::MemberId;

use crate::arguments::OfOrganization;
use crate::confirmation::Confirmation;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    organization: OfOrganization,
    /// The member's identifier, as listed
    #[arg(value_name = "MEMBER_ID")]
    member: MemberId,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Run for Remove {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { organization, member, confirmation } = self;
        confirmation.required()?;
        let organization = session.organization(&organization.id).await?;
        confirmation.ask(&format!("Remove member {member}? The member's next request is refused."))?;
        let removed = by_operator(&organization).remove_member(&member).await;
        removed.context("the member was not removed")?;
        let result = serde_json::json!({ "memberId": member, "removed": true });
        session.output.show(&result, |_| format!("Removed member {member}; the next request is refused."))?;
        Ok(Exit::Done)
    }
}
