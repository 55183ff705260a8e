//! `posture member role`.

use anyhow::Context;
use clap::Args;
use model::{MemberId, Role};

use super::role_name::RoleName;
use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct ChangeRole {
    #[command(flatten)]
    organization: OfOrganization,
    /// The member's identifier, as listed
    #[arg(value_name = "MEMBER_ID")]
    member: MemberId,
    /// The new role
    role: RoleName,
}

impl Run for ChangeRole {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { organization, member, role } = self;
        let organization = session.organization(&organization.id).await?;
        let role = Role::from(role);
        let changed = by_operator(&organization).change_role(&member, role).await;
        let before = changed.context("the role was not changed")?.role;
        let result = serde_json::json!({ "memberId": member, "role": role, "before": before });
        session.output.show(&result, |_| format!("Changed the role of {member} from {before} to {role}."))?;
        Ok(Exit::Done)
    }
}
