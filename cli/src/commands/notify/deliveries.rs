//! `posture notify deliveries`.

use anyhow::Context;
use clap::Args;
use model::Wire;
use store::Delivery;

use super::Of;
use crate::arguments::now;
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Deliveries {
    #[command(flatten)]
    of: Of,
    /// Maximum number of deliveries
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,
}

impl Run for Deliveries {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.of.organization.id).await?;
        let deliveries = organization.deliveries(&self.of.target, self.limit, now()).await;
        let deliveries = deliveries.context("the deliveries cannot be listed")?;
        session.output.show(&deliveries, |deliveries| readable(deliveries))?;
        Ok(Exit::Done)
    }
}

fn readable(deliveries: &[Delivery]) -> String {
    if deliveries.is_empty() {
        return "Nothing was sent to this target in the last 30 days; `posture notify test` sends a test.".to_owned();
    }
    let row = |it: &Delivery| {
        vec![
            it.event_id.to_string(),
            kind(it),
            Wire(it.state).to_string().to_lowercase(),
            it.attempts.to_string(),
            it.attempted_at.to_string(),
            it.status.map(|status| status.to_string()).unwrap_or_default(),
            it.problem.clone().unwrap_or_default(),
        ]
    };
    let columns = ["EVENT", "KIND", "STATE", "ATTEMPTS", "LAST ATTEMPT", "STATUS", "REASON"].map(Column::text);
    table(&columns, deliveries.iter().map(row))
}

fn kind(delivery: &Delivery) -> String {
    match (delivery.kind, delivery.events) {
        (Some(kind), _) => Wire(kind).to_string(),
        (None, Some(events)) => format!("mail of {events}"),
        (None, None) => "test".to_owned(),
    }
}
