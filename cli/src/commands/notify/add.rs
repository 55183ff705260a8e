//! `posture notify add`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, MemberId, Pace, TargetShape, TargetUrl};

use super::rules::{Rules, choice};
use super::shown::{WithSecret, changed};
use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Add {
    #[command(flatten)]
    organization: OfOrganization,
    /// HTTPS address that receives the messages
    #[arg(value_name = "URL", required_unless_present = "member")]
    url: Option<TargetUrl>,
    /// Member, by identifier, who receives them by mail, once the member has confirmed the address
    #[arg(long, value_name = "MEMBER", conflicts_with_all = ["url", "shape"])]
    member: Option<MemberId>,
    /// Events in a mail: event (each at once), or those of a day or a week (UTC)
    #[arg(long, value_parser = choice::<Pace>, requires = "member", default_value = "event")]
    every: Pace,
    /// Name of the target
    #[arg(long)]
    name: DisplayName,
    /// Form of the messages: webhook for programs, slack or teams for a channel
    #[arg(long, value_parser = choice::<TargetShape>, default_value = "webhook")]
    shape: TargetShape,
    #[command(flatten)]
    rules: Rules,
}

impl Run for Add {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_ADDED: &str = "the target was not added";
        let organization = session.organization(&self.organization.id).await?;
        let rules = self.rules.of(&organization).await.context(NOT_ADDED)?;
        let writer = by_operator(&organization);
        if let Some(member) = self.member {
            let added = writer.add_mail(self.name, member, self.every, rules).await.context(NOT_ADDED)?;
            session.output.show(&added, changed)?;
            return Ok(Exit::Done);
        }
        let url = self.url.context(NOT_ADDED)?;
        let added = writer.add_target(self.name, url, self.shape, rules).await.context(NOT_ADDED)?;
        session.output.show(&WithSecret::of(&added), WithSecret::readable)?;
        Ok(Exit::Done)
    }
}
