//! `posture member list`.

use anyhow::Context;
use clap::Args;
use model::{MemberId, Role, Timestamp};
use serde::Serialize;
use store::MemberRecord;

use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

/// A member as listed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    member_id: MemberId,
    name: String,
    email: Option<String>,
    role: Role,
    joined_at: Timestamp,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let members = organization.members().await.context("the members cannot be listed")?;
        let members: Vec<_> = members.into_iter().map(Listed::from).collect();
        session.output.show(&members, |members| readable(members))?;
        Ok(Exit::Done)
    }
}

impl From<MemberRecord> for Listed {
    fn from(member: MemberRecord) -> Self {
        let MemberRecord { member_id, name, email, role, joined_at, .. } = member;
        Self { member_id, name, email, role, joined_at }
    }
}

fn readable(members: &[Listed]) -> String {
    if members.is_empty() {
        return "The organization has no members; `posture member invite` creates an invitation link.".to_owned();
    }
    let row = |member: &Listed| {
        let id = member.member_id.to_string();
        let email = member.email.clone().unwrap_or_default();
        vec![id, member.name.clone(), email, member.role.to_string(), member.joined_at.to_string()]
    };
    let columns = ["MEMBER", "NAME", "E-MAIL", "ROLE", "JOINED"].map(Column::text);
    table(&columns, members.iter().map(row))
}
