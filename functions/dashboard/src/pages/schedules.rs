//! When reports are due: of all tenants and of those with a label, for Admins, and of one tenant.

use std::collections::BTreeMap;

use axum::response::Response;
use futures_util::TryStreamExt;
use model::{Hours, Label, Schedule, ServiceTenantId, StaleAfter, Timestamp};
use operations::schedules::is_stale;
use serde::Deserialize;
use store::{ReportSummary, Schedules, TenantRecord};
use web::failure::Failure;
use web::input::{Asked, Fields, Named};
use web::session::Viewer;
use web::{Dashboard, respond};

use crate::view::schedule::OfTenant;
use crate::view::{self, link};

/// A form as it was sent.
#[derive(Deserialize)]
pub(crate) struct Sent {
    /// The label, if the form is that of one.
    label: Option<Label>,
    /// Empty for no schedule.
    every: String,
    from: u32,
    hours: u32,
}

/// The days without a report after which a tenant is stale, as they were sent.
#[derive(Deserialize)]
pub(crate) struct Days {
    days: StaleAfter,
}

/// The label that the page is about, if any.
#[derive(Deserialize)]
pub(crate) struct Of {
    label: Option<Label>,
}

impl Sent {
    fn schedule(&self, now: Timestamp) -> Result<Option<Schedule>, Failure> {
        if self.every.is_empty() {
            return Ok(None);
        }
        let every = self.every.parse().map_err(|_| Failure::incomplete())?;
        let between = Hours::new(self.from, self.hours).map_err(|_| Failure::incomplete())?;
        Ok(Some(Schedule { every, between, since: now }))
    }
}

pub(crate) async fn show(
    dashboard: Dashboard,
    viewer: Viewer,
    Asked(Of { label }): Asked<Of>,
) -> Result<Response, Failure> {
    let schedules = viewer.organization.schedules().await?;
    let shell = viewer.shell(&dashboard).await?;
    let stale_after = schedules.as_ref().and_then(|of| of.stale_after).unwrap_or_default();
    let (of_all, scheduled) = schedules.map(|of| (of.schedule, of.labels)).unwrap_or_default();
    if let Some(label) = label {
        let of_label = scheduled.iter().find(|of| of.label == label).map(|of| &of.schedule);
        return Ok(respond::page(view::schedule::page_of_label(&shell, &label, of_label, of_all.as_ref())));
    }
    let tenants: Vec<_> = viewer.organization.tenants().try_concat().await?;
    let mut labels: BTreeMap<_, _> = scheduled.into_iter().map(|of| (of.label, (0, Some(of.schedule)))).collect();
    for label in tenants.into_iter().flat_map(|tenant| tenant.labels) {
        labels.entry(label).or_insert((0, None)).0 += 1;
    }
    Ok(respond::page(view::schedule::page(&shell, of_all.as_ref(), &labels, stale_after)))
}

pub(crate) async fn change(viewer: Viewer, Fields(sent): Fields<Sent>) -> Result<Response, Failure> {
    viewer.admin_writer()?.set_schedule(sent.label.as_ref(), sent.schedule(viewer.now)?).await?;
    Ok(respond::see("/settings/schedule"))
}

pub(crate) async fn change_days(viewer: Viewer, Fields(sent): Fields<Days>) -> Result<Response, Failure> {
    viewer.admin_writer()?.set_stale_after(sent.days).await?;
    Ok(respond::see("/settings/schedule"))
}

pub(crate) async fn change_of_tenant(
    viewer: Viewer,
    Named(tenant): Named<ServiceTenantId>,
    Fields(sent): Fields<Sent>,
) -> Result<Response, Failure> {
    viewer.writer().schedule_tenant(&tenant, sent.schedule(viewer.now)?).await?;
    Ok(respond::see(&link::tenant(&tenant)))
}

/// Returns the schedule of a tenant with these reports. `is_halted` says that it makes no further requests.
pub(super) fn of_tenant(
    schedules: Option<&Schedules>,
    tenant: &TenantRecord,
    reports: &[ReportSummary],
    is_halted: bool,
    now: Timestamp,
) -> OfTenant {
    let applies = Schedules::of(schedules, tenant).filter(|_| !tenant.is_paused);
    OfTenant {
        is_halted,
        own: tenant.schedule,
        inherited: schedules.and_then(|schedules| schedules.inherited(tenant)).map(|(of, it)| (of.cloned(), it)),
        next_at: applies.and_then(|schedule| schedule.next(&tenant.service_tenant_id, now)),
        is_stale: is_stale(schedules, tenant, reports, now),
    }
}
