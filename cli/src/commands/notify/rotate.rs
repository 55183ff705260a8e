//! `posture notify rotate`.

use anyhow::Context;
use clap::Args;

use super::Of;
use super::shown::WithSecret;
use crate::connection::{Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    #[command(flatten)]
    of: Of,
}

impl Run for Rotate {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.of.organization.id).await?;
        let rotated = by_operator(&organization).rotate_secret(&self.of.target).await;
        let rotated = rotated.context("the target has its old secret")?;
        session.output.show(&WithSecret::of(&rotated), WithSecret::readable)?;
        Ok(Exit::Done)
    }
}
