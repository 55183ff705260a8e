//! `posture member invite`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, InvitationId, Role, Timestamp};
use operations::invitation_link;
use serde::Serialize;

use super::role_name::RoleName;
use crate::arguments::{Dashboard, OfOrganization};
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Invite {
    #[command(flatten)]
    organization: OfOrganization,
    /// Role of the new member
    #[arg(long)]
    role: RoleName,
    /// Name of the person, shown in the list of open invitations
    #[arg(long, value_name = "TEXT")]
    note: Option<DisplayName>,
    #[command(flatten)]
    dashboard: Dashboard,
}

/// A new invitation with its link.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invited {
    link: String,
    invitation_id: InvitationId,
    role: Role,
    expires_at: Option<Timestamp>,
}

impl Run for Invite {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let dashboard = session.dashboard(&self.dashboard)?;
        let invited = by_operator(&organization).invite(self.role.into(), self.note).await;
        let (secret, invitation) = invited.context("the invitation was not created")?;
        let invited = Invited {
            link: invitation_link(&dashboard, &secret),
            expires_at: invitation.expires(),
            invitation_id: invitation.invitation_id,
            role: invitation.role,
        };
        session.output.show(&invited, readable)?;
        Ok(Exit::Done)
    }
}

fn readable(invited: &Invited) -> String {
    let link = &invited.link;
    let role = invited.role;
    let until = invited.expires_at.map(|time| format!(" before {time}")).unwrap_or_default();
    format!(
        "{link}\n\nThe first person who signs in with this link{until} joins as {role}. It will not be shown again."
    )
}
