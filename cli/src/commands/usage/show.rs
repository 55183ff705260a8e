//! `posture usage show`.

use anyhow::Context;
use chrono::NaiveDate;
use clap::Args;
use futures_util::TryStreamExt;
use model::{UsageHead, UsageTenant};
use serde::Serialize;

use crate::arguments::{OfOrganization, now, past_day};
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table, wire_name};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    organization: OfOrganization,
    /// The day, YYYY-MM-DD: the newest usage recorded until then is shown [default: today, UTC]
    #[arg(long, value_name = "DATE", value_parser = past_day)]
    date: Option<NaiveDate>,
}

/// The usage of a day, as the API returns it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    #[serde(flatten)]
    head: UsageHead,
    tenants: Vec<UsageTenant>,
    total_tenants: usize,
}

impl Run for Show {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let until = self.date.unwrap_or_else(|| now().date());
        let usage = organization.usage(until).await.context("the usage cannot be read")?;
        let usage = usage.with_context(|| {
            format!("no usage is recorded for {until} or a day before it; `posture usage record` records it")
        })?;
        let head = usage.head(organization.name().await?);
        let tenants: Vec<_> = usage.tenants.try_concat().await.context("the usage cannot be read")?;
        session.output.show(&Shown { head, total_tenants: tenants.len(), tenants }, readable)?;
        Ok(Exit::Done)
    }
}

fn readable(shown: &Shown) -> String {
    let row = |tenant: &UsageTenant| {
        vec![
            tenant.service_tenant_id.to_string(),
            tenant.display_name.clone(),
            wire_name(&tenant.billable_status),
            tenant.first_billable_date.to_string(),
            tenant.total_licensed_users.to_string(),
            tenant.billable_users_this_month.to_string(),
            format!("{} %", tenant.prorating_percentage_this_month),
        ]
    };
    let columns = [
        Column::text("TENANT"),
        Column::text("NAME"),
        Column::text("STATUS"),
        Column::text("BILLABLE FROM"),
        Column::number("LICENSED USERS"),
        Column::number("BILLABLE THIS MONTH"),
        Column::number("PRORATED"),
    ];
    let rows = table(&columns, shown.tenants.iter().map(row));
    format!("Usage of {}, recorded {}\n\n{rows}", shown.head.as_of, shown.head.report_generated_at)
}
