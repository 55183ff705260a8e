//! `posture task remove`.

use clap::Args;

use super::change;
use crate::commands::controls::{Controls, OfTool};
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    controls: Controls,
}

impl Run for Remove {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        change(self.controls, OfTool::default(), session, None).await
    }
}
