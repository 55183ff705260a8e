//! `posture schedule set`.

use clap::Args;
use model::{Every, Hours, Schedule};

use super::Of;
use crate::arguments::now;
use crate::connection::Session;
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Set {
    #[command(flatten)]
    of: Of,
    /// Days: daily, weekly:mon to weekly:sun, monthly:1 to monthly:31 (the last day of shorter months), or never
    // Its `From<String>` is for stored texts, and refuses none.
    #[arg(long, value_name = "DAYS", value_parser = str::parse::<Every>)]
    every: Every,
    /// Window in which reports are begun, in hours (UTC), such as 22-04
    #[arg(long, value_name = "HOURS", default_value_t)]
    between: Hours,
}

impl Run for Set {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { of, every, between } = self;
        of.change(session, Some(Schedule { every, between, since: now() })).await
    }
}
