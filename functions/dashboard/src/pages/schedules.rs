//! When reports are due: of all tenants, for Admins, and of one tenant.

use axum::response::Response;
use model::{Hours, Schedule, ServiceTenantId, Timestamp};
use operations::schedules::is_stale;
use serde::Deserialize;
use store::{ReportSummary, Schedules, TenantRecord};
use web::failure::Failure;
use web::input::{Fields, Named};
use web::session::Viewer;
use web::{Dashboard, respond};

use crate::view::schedule::OfTenant;
use crate::view::{self, link};

/// A form as it was sent.
#[derive(Deserialize)]
pub(crate) struct Sent {
    /// Empty for no schedule.
    every: String,
    from: u32,
    hours: u32,
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

pub(crate) async fn show(dashboard: Dashboard, viewer: Viewer) -> Result<Response, Failure> {
    let schedules = viewer.organization.schedules().await?;
    let shell = viewer.shell(&dashboard).await?;
    let schedule = schedules.and_then(|schedules| schedules.schedule);
    Ok(respond::page(view::schedule::page(&shell, schedule.as_ref())))
}

pub(crate) async fn change(viewer: Viewer, Fields(sent): Fields<Sent>) -> Result<Response, Failure> {
    viewer.admin_writer()?.set_schedule(sent.schedule(viewer.now)?).await?;
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
        of_organization: schedules.and_then(|schedules| schedules.schedule),
        next_at: applies.and_then(|schedule| schedule.next(&tenant.service_tenant_id, now)),
        is_stale: is_stale(schedules, tenant, reports, now),
    }
}
