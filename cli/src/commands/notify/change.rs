//! `posture notify change`.

use anyhow::Context;
use clap::Args;
use model::{DisplayName, EventRules, Pace, TargetShape, TargetUrl};
use store::TargetEdit;

use super::Of;
use super::rules::{Rules, choice};
use super::shown::changed;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Change {
    #[command(flatten)]
    of: Of,
    /// New name of the target
    #[arg(long)]
    name: Option<DisplayName>,
    /// New address
    #[arg(long, value_name = "URL")]
    url: Option<TargetUrl>,
    /// New form of the messages: webhook, slack or teams
    #[arg(long, value_parser = choice::<TargetShape>)]
    shape: Option<TargetShape>,
    /// Of a member: a mail for each event at once, or for those of a day or a week (UTC) after it has ended
    #[arg(long, value_name = "PERIOD", value_parser = choice::<Pace>, conflicts_with_all = ["url", "shape"])]
    every: Option<Pace>,
    /// Tell it of all events, at any time; without this option, given rules replace all of the target's
    #[arg(long, conflicts_with_all = ["kinds", "severity", "tools", "tenants", "labels", "quiet"])]
    all: bool,
    #[command(flatten)]
    rules: Rules,
}

impl Run for Change {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_CHANGED: &str = "the target was not changed";
        let organization = session.organization(&self.of.organization.id).await?;
        let rules = match (self.all, self.rules.are_given()) {
            (true, _) => Some(EventRules::default()),
            (false, true) => Some(self.rules.of(&organization).await.context(NOT_CHANGED)?),
            (false, false) => None,
        };
        let edit = TargetEdit { name: self.name, url: self.url, shape: self.shape, pace: self.every, rules };
        let target = by_operator(&organization).edit_target(&self.of.target, edit).await.context(NOT_CHANGED)?;
        session.output.show(&target, changed)?;
        Ok(Exit::Done)
    }
}
