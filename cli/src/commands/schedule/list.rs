//! `posture schedule list`.

use anyhow::Context;
use clap::Args;
use futures_util::TryStreamExt;
use model::{Schedule, ServiceTenantId, Timestamp};
use operations::schedules::{halted, is_stale};
use serde::Serialize;
use store::{ReportSummary, Schedules, TenantRecord};

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

/// The schedule of a tenant as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    schedule: Option<Schedule>,
    /// Whether the schedule is the tenant's own, and not that of the organization.
    is_own: bool,
    is_paused: bool,
    next_at: Option<Timestamp>,
    /// Whether a report is missing that was due.
    is_stale: bool,
    /// Whether it makes no further requests, because the tenant did not let the service in.
    is_halted: bool,
}

impl Shown {
    fn of(schedules: Option<&Schedules>, tenant: TenantRecord, reports: &[ReportSummary], now: Timestamp) -> Self {
        let schedule = Schedules::of(schedules, &tenant);
        let next_at = schedule.filter(|_| !tenant.is_paused).and_then(|of| of.next(&tenant.service_tenant_id, now));
        Self {
            is_stale: is_stale(schedules, &tenant, reports, now),
            is_halted: false,
            is_own: tenant.schedule.is_some(),
            is_paused: tenant.is_paused,
            service_tenant_id: tenant.service_tenant_id,
            tenant_name: tenant.name,
            schedule,
            next_at,
        }
    }

    fn state(&self) -> &'static str {
        match self {
            Self { is_paused: true, .. } => "paused",
            Self { is_halted: true, .. } => "stopped: the tenant does not let the service in",
            Self { is_stale: true, .. } => "stale: the last report is missing",
            _ => "",
        }
    }
}

impl Run for List {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let read = async {
            let schedules = organization.schedules().await?;
            let reports = organization.newest_of_tools().await?;
            let tenants: Vec<_> = organization.tenants().try_concat().await?;
            let halted = halted(&organization, now()).await?;
            Ok::<_, store::StoreError>((schedules, reports, tenants, halted))
        };
        let (schedules, reports, tenants, halted) = read.await.context("the schedules cannot be listed")?;
        let of = |tenant: TenantRecord| {
            let own = reports.iter().filter(|report| report.service_tenant_id == tenant.service_tenant_id);
            let own: Vec<_> = own.cloned().collect();
            let is_halted = halted.contains(&tenant.service_tenant_id);
            Shown { is_halted, ..Shown::of(schedules.as_ref(), tenant, &own, now()) }
        };
        let shown: Vec<_> = tenants.into_iter().map(of).collect();
        session.output.show(&shown, |shown| readable(shown))?;
        Ok(Exit::Done)
    }
}

fn readable(shown: &[Shown]) -> String {
    if shown.iter().all(|tenant| tenant.schedule.is_none()) {
        return "No reports are scheduled; `posture schedule set` schedules them.".to_owned();
    }
    let row = |it: &Shown| {
        let whose = if it.is_own { "its own" } else { "the organization's" };
        let schedule = it.schedule.map(|schedule| schedule.to_string());
        let whose = if schedule.is_some() { whose } else { "" };
        vec![
            it.tenant_name.clone(),
            schedule.unwrap_or_default(),
            whose.to_owned(),
            it.next_at.map(|at| at.to_string()).unwrap_or_default(),
            it.state().to_owned(),
        ]
    };
    table(&["TENANT", "REPORTS", "SCHEDULE", "NEXT", "STATE"].map(Column::text), shown.iter().map(row))
}
