//! `posture text set`.

use anyhow::Context;
use clap::{ArgGroup, Args};
use operations::texts::texts;

use super::OfControl;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("texts").args(["why", "fix"]).required(true).multiple(true))]
pub(crate) struct Set {
    #[command(flatten)]
    of: OfControl,
    /// Reason why the control matters
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// The recommended change
    #[arg(long, value_name = "TEXT")]
    fix: Option<String>,
}

impl Run for Set {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let (why, fix) = (self.why.unwrap_or_default(), self.fix.unwrap_or_default());
        let texts = texts(&why, &fix).context("the text was not set")?;
        let organization = session.organization(&self.of.organization.id).await?;
        let of = (self.of.tool.as_deref(), &self.of.control);
        let set = by_operator(&organization).set_text(of, &texts, None).await;
        let text = set.context("the text was not set")?;
        let readable = format!("The text for {} of {} is set: later imports use it.", text.control_id, text.tool);
        session.output.show(&text, |_| readable)?;
        Ok(Exit::Done)
    }
}
