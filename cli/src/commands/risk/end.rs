//! `posture risk end`.

use clap::Args;

use super::change;
use crate::commands::controls::{Controls, OfTool};
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct End {
    #[command(flatten)]
    controls: Controls,
    #[command(flatten)]
    of_tool: OfTool,
}

impl Run for End {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        change(self.controls, self.of_tool, session, None).await
    }
}
