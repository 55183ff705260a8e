//! `posture schedule documents`.

use anyhow::Context;
use clap::Args;
use model::{Every, Hours, Label, Schedule};
use operations::documents::{Choice, stored};
use serde_json::json;
use store::DocumentSchedule;

use crate::arguments::{OfOrganization, now};
use crate::commands::report::Options;
use crate::connection::{Session, by_operator};
use crate::exit::{Exit, WrongOption};
use crate::output::plain;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Documents {
    #[command(flatten)]
    organization: OfOrganization,
    /// Days: daily, weekly:mon to weekly:sun, monthly:1 to monthly:31 (the last day of shorter months), or never, which
    /// ends it
    #[arg(long, value_name = "DAYS", value_parser = str::parse::<Every>)]
    every: Every,
    /// Only of tenants with this label; each label, and all tenants, has one schedule
    #[arg(long)]
    label: Option<Label>,
    /// Only of reports that were added since the time before
    #[arg(long)]
    new: bool,
    #[command(flatten)]
    options: Options,
}

impl Run for Documents {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self { organization, every, label, new, options } = self;
        let choice = options.choice();
        if every == Every::Never && (new || choice != Choice::default()) {
            return Err(WrongOption::OfEnded.into());
        }
        let organization = session.organization(&organization.id).await?;
        let schedule = (every != Every::Never).then(|| DocumentSchedule {
            label: label.clone(),
            schedule: Schedule { every, between: Hours::default(), since: now() },
            only_new: new,
            choice: stored(&choice),
        });
        let changed = by_operator(&organization).schedule_documents(label.as_ref(), schedule.as_ref()).await;
        changed.context("the schedule was not changed")?;
        let changed = json!({ "organizationId": organization.id(), "label": label, "every": every, "onlyNew": new });
        session.output.show(&changed, |_| {
            let of = label.as_ref().map_or_else(
                || format!("the tenants of {}", organization.id()),
                |label| format!("the tenants with the label \"{}\"", plain(label.as_str())),
            );
            format!("PDFs of {of} are made: {every}.")
        })?;
        Ok(Exit::Done)
    }
}
