//! `posture notify add`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, TargetShape, TargetUrl};

use super::rules::{Rules, choice};
use super::shown::WithSecret;
use crate::arguments::OfOrganization;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Add {
    #[command(flatten)]
    organization: OfOrganization,
    /// HTTPS address that receives the messages
    #[arg(value_name = "URL")]
    url: TargetUrl,
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
        let added = by_operator(&organization).add_target(self.name, self.url, self.shape, rules).await;
        let added = added.context(NOT_ADDED)?;
        session.output.show(&WithSecret::of(&added), WithSecret::readable)?;
        Ok(Exit::Done)
    }
}
