//! `posture notify test` and `posture notify send-again`.

use anyhow::Context;
use clap::Args;
use model::{EventId, Timestamp};
use operations::notifications;
use serde_json::json;

use super::Of;
use crate::arguments::now;
use crate::connection::{InNotifications, Session, by_operator};
use crate::exit::Exit;
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Test {
    #[command(flatten)]
    of: Of,
    #[command(flatten)]
    queue: InNotifications,
}

#[derive(Debug, Args)]
pub(crate) struct SendAgain {
    #[command(flatten)]
    of: Of,
    /// The events that were written at or after this moment, of the last 90 days
    #[arg(long, value_name = "TIME")]
    since: Timestamp,
    /// Only this event, also if the rules leave it out
    #[arg(long, value_name = "EVENT")]
    event: Option<EventId>,
    #[command(flatten)]
    queue: InNotifications,
}

impl Run for Test {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let queue = session.notifications(&self.queue)?;
        let organization = session.organization(&self.of.organization.id).await?;
        let (writer, target) = (by_operator(&organization), &self.of.target);
        let test = notifications::test(&writer, &queue, target, now()).await.context("the test was not sent")?;
        session.output.show(&json!({ "targetId": target, "eventId": test }), |_| {
            format!("Test {test} is on its way; `posture notify deliveries {target}` shows what became of it.")
        })?;
        Ok(Exit::Done)
    }
}

impl Run for SendAgain {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let queue = session.notifications(&self.queue)?;
        let organization = session.organization(&self.of.organization.id).await?;
        let (writer, target) = (by_operator(&organization), &self.of.target);
        let sent = notifications::send_again(&writer, &queue, target, self.since, self.event.as_ref(), now()).await;
        let sent = sent.context("not all events were sent again")?;
        session.output.show(&json!({ "targetId": target, "events": sent }), |_| {
            format!(
                "{} on the way; `posture notify deliveries {target}` shows what became of them.",
                model::counted(sent, "event")
            )
        })?;
        Ok(if sent == 0 { Exit::Failed } else { Exit::Done })
    }
}
