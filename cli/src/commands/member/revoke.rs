//! `posture member revoke`.

use anyhow::Context;
use clap::Args;
use model::InvitationId;

use crate::arguments::OfOrganization;
use crate::confirmation::Confirmation;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    #[command(flatten)]
    organization: OfOrganization,
    /// The invitation's identifier, as `member invite` and `restore` show it
    #[arg(value_name = "INVITATION_ID")]
    invitation: InvitationId,
    #[command(flatten)]
    confirmation: Confirmation,
}

impl Run for Revoke {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { organization, invitation, confirmation } = self;
        confirmation.required()?;
        let organization = session.organization(&organization.id).await?;
        confirmation.ask(&format!("Revoke invitation {invitation}? Its link no longer works."))?;
        let revoked = by_operator(&organization).revoke_invitation(&invitation).await;
        revoked.context("the invitation was not revoked")?;
        let result = serde_json::json!({ "invitationId": invitation, "revoked": true });
        session.output.show(&result, |_| format!("Revoked invitation {invitation}; its link no longer works."))?;
        Ok(Exit::Done)
    }
}
