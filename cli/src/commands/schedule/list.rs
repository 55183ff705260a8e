//! `posture schedule list`.

use anyhow::Context;
use clap::Args;
use futures_util::TryStreamExt;
use model::{Every, Label, Schedule, ServiceTenantId, StaleAfter, Timestamp};
use operations::schedules::{halted, is_stale};
use serde::Serialize;
use store::{DocumentSchedule, LabelSchedule, ReportSummary, Schedules, TenantRecord};

use crate::arguments::{OfOrganization, now};
use crate::connection::Session;
use crate::exit::Exit;
use crate::output::{Column, plain, table};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    organization: OfOrganization,
}

/// The schedules as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    /// That of the organization.
    schedule: Option<Schedule>,
    /// Those of labels.
    labels: Vec<LabelSchedule>,
    /// Those of the PDFs of many reports.
    documents: Vec<OfDocuments>,
    /// Days without a report.
    stale_after: StaleAfter,
    tenants: Vec<Shown>,
}

/// A schedule of PDFs as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfDocuments {
    label: Option<Label>,
    every: Every,
    only_new: bool,
    next_at: Option<Timestamp>,
}

impl OfDocuments {
    fn of(of: &DocumentSchedule) -> Self {
        let DocumentSchedule { label, schedule, only_new, .. } = of;
        Self { label: label.clone(), every: schedule.every, only_new: *only_new, next_at: schedule.opens(now()) }
    }
}

/// The schedule of a tenant as shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    service_tenant_id: ServiceTenantId,
    tenant_name: String,
    schedule: Option<Schedule>,
    /// Whether the schedule is the tenant's own, and not that of a label or the organization.
    is_own: bool,
    /// The label whose schedule it is.
    label: Option<Label>,
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
        let inherited = schedules.and_then(|schedules| schedules.inherited(&tenant));
        let inherited = inherited.filter(|_| tenant.schedule.is_none());
        let next_at = schedule.filter(|_| !tenant.is_paused).and_then(|of| of.next(&tenant.service_tenant_id, now));
        Self {
            is_stale: is_stale(schedules, &tenant, reports, now),
            is_halted: false,
            is_own: tenant.schedule.is_some(),
            label: inherited.and_then(|(label, _)| label.cloned()),
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
            Self { is_stale: true, .. } => "stale: an expected report is missing",
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
        let tenants = tenants.into_iter().map(of).collect();
        let stale_after = schedules.as_ref().and_then(|of| of.stale_after).unwrap_or_default();
        let documents = schedules.iter().flat_map(|of| &of.documents).map(OfDocuments::of).collect();
        let (schedule, labels) = schedules.map(|of| (of.schedule, of.labels)).unwrap_or_default();
        session.output.show(&Listed { schedule, labels, documents, stale_after, tenants }, readable)?;
        Ok(Exit::Done)
    }
}

fn readable(listed: &Listed) -> String {
    let Listed { schedule, labels, documents, tenants, .. } = listed;
    let is_empty = schedule.is_none() && labels.is_empty() && documents.is_empty();
    if is_empty && tenants.iter().all(|tenant| tenant.schedule.is_none()) {
        return "No reports are scheduled; `posture schedule set` schedules them.".to_owned();
    }
    let of_all = schedule.iter().map(|schedule| format!("All tenants: {schedule}"));
    let of_labels = labels.iter().map(|of| format!("Label \"{}\": {}", plain(of.label.as_str()), of.schedule));
    let of_documents = documents.iter().map(|of| {
        let label =
            of.label.as_ref().map_or_else(String::new, |label| format!(" of label \"{}\"", plain(label.as_str())));
        format!("PDFs{label}{}: {}", if of.only_new { " of new reports" } else { "" }, of.every)
    });
    let rows = tenants.iter().map(|it| {
        let whose = match (&it.label, it.is_own) {
            _ if it.schedule.is_none() => String::new(),
            (_, true) => "its own".to_owned(),
            (Some(label), _) => format!("label \"{label}\""),
            (None, _) => "the organization's".to_owned(),
        };
        let schedule = it.schedule.map(|schedule| schedule.to_string()).unwrap_or_default();
        let next_at = it.next_at.map(|at| at.to_string()).unwrap_or_default();
        vec![it.tenant_name.clone(), schedule, whose, next_at, it.state().to_owned()]
    });
    let columns = ["TENANT", "REPORTS", "SCHEDULE", "NEXT", "STATE"].map(Column::text);
    of_all
        .chain(of_labels)
        .chain(of_documents)
        .chain([String::new(), table(&columns, rows)])
        .collect::<Vec<_>>()
        .join("\n")
}
