//! `posture risk list`.

use anyhow::Context;
use chrono::NaiveDate;
use clap::Args;
use futures_util::future::try_join;
use model::{ControlId, ServiceTenantId};
use serde::Serialize;

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

/// An accepted risk as listed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    control_id: ControlId,
    reason: String,
    until: NaiveDate,
    /// Whether its day has come, so that the next report ends it.
    is_over: bool,
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let read = try_join(lookup::tenant_names(&organization), organization.all_kept_edits());
        let (names, kept) = read.await.context("the accepted risks cannot be listed")?;
        let listed = kept.into_iter().filter_map(|kept| {
            let risk = kept.values.accepted_risk?;
            // Without a name, the tenant is being removed.
            let tenant_name = names.get(&kept.service_tenant_id)?.clone();
            let is_over = risk.is_over(now());
            let (service_tenant_id, control_id) = (kept.service_tenant_id, kept.control_id);
            Some(Listed { service_tenant_id, tenant_name, control_id, reason: risk.reason, until: risk.until, is_over })
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_by_key(|risk| risk.until);
        session.output.show(&listed, |listed| readable(listed))?;
        Ok(Exit::Done)
    }
}

fn readable(listed: &[Listed]) -> String {
    if listed.is_empty() {
        return "No risk is accepted; `posture risk accept` accepts one.".to_owned();
    }
    let row = |risk: &Listed| {
        let until = if risk.is_over { format!("{} (over)", risk.until) } else { risk.until.to_string() };
        vec![risk.tenant_name.clone(), risk.control_id.to_string(), until, risk.reason.clone()]
    };
    table(&["TENANT", "CONTROL", "UNTIL", "REASON"].map(Column::text), listed.iter().map(row))
}
