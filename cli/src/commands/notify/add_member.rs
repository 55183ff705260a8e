//! `posture notify add-member`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, MemberId, Pace};

use super::rules::{Rules, choice};
use super::shown::changed;
use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct AddMember {
    #[command(flatten)]
    organization: OfOrganization,
    /// The member's identifier, as listed
    #[arg(value_name = "MEMBER")]
    member: MemberId,
    /// Name of the target
    #[arg(long)]
    name: DisplayName,
    /// A mail for each event at once, or for those of a day or a week (UTC) after it has ended
    #[arg(long, value_name = "PERIOD", value_parser = choice::<Pace>, default_value = "event")]
    every: Pace,
    #[command(flatten)]
    rules: Rules,
}

impl Run for AddMember {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_ADDED: &str = "the member was not added as a target";
        let organization = session.organization(&self.organization.id).await?;
        let rules = self.rules.of(&organization).await.context(NOT_ADDED)?;
        let added = by_operator(&organization).add_mail(self.name, self.member, self.every, rules).await;
        session.output.show(&added.context(NOT_ADDED)?, changed)?;
        Ok(Exit::Done)
    }
}
