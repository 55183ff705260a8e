//! Requests for reports, schedules and connections, as writes under faults, and whether each is done.

use model::Schedule;
use operations::Queues;
use operations::requests::RequestError;
use operations::schedules;
use store::{ReportRequest, RequestState, ScheduleError, Sighting, StoreError, TenantError};

use super::target::{TENANT, Target, done};
use crate::support::{later, provider_id, time};

/// When what is due is requested.
const ROUND: &str = "2026-07-20T12:00:00Z";

fn daily() -> Schedule {
    let (every, between) = ("daily".parse().unwrap(), "22-04".parse().unwrap());
    Schedule { every, between, since: time("2026-07-01T00:00:00Z") }
}

pub(super) async fn request(org: Target) -> Result<(), StoreError> {
    done(org.writer().request_report(&TENANT.parse().unwrap()).await)
}

pub(super) async fn schedule(org: Target) -> Result<(), StoreError> {
    done(org.writer().schedule_tenant(&TENANT.parse().unwrap(), Some(daily())).await)
}

pub(super) async fn is_scheduled(org: Target) -> bool {
    let tenant = org.tenant(&TENANT.parse().unwrap()).await.unwrap().unwrap();
    tenant.schedule == Some(daily()) && org.store.due(later()).await.unwrap().contains(org.id())
}

pub(super) async fn schedule_all(org: Target) -> Result<(), StoreError> {
    match org.writer().set_schedule(None, Some(daily())).await {
        Ok(()) => Ok(()),
        Err(ScheduleError::Store(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

pub(super) async fn is_all_scheduled(org: Target) -> bool {
    let schedules = org.schedules().await.unwrap().unwrap();
    schedules.schedule == Some(daily()) && org.store.due(later()).await.unwrap().contains(org.id())
}

/// Requests what is due, as a round does that another may have begun.
pub(super) async fn request_due(org: Target) -> Result<(), StoreError> {
    if org.schedules().await?.is_none_or(|schedules| schedules.schedule.is_none()) {
        schedule_all(org.clone()).await?;
    }
    let round = schedules::run(&org.store, &Queues::default(), time(ROUND)).await?;
    match round.failed.into_iter().find(|(id, _)| id == org.id()) {
        Some((_, RequestError::Tenant(TenantError::Store(error)))) => Err(error),
        Some((_, error)) => panic!("{error}"),
        None => Ok(()),
    }
}

pub(super) async fn is_due_requested(org: Target) -> bool {
    let requests = org.report_requests(later()).await.unwrap();
    let last = |request: &ReportRequest| daily().last(&request.service_tenant_id, time(ROUND));
    let schedules = org.schedules().await.unwrap().unwrap();
    requests.len() == 2
        && requests.iter().all(|request| request.version == 1 && request.due_at == last(request))
        && schedules.next_at > Some(time(ROUND))
}

async fn last_request(org: &Target) -> Option<ReportRequest> {
    org.report_request(&TENANT.parse().unwrap(), later()).await.unwrap()
}

pub(super) async fn is_requested(org: Target) -> bool {
    last_request(&org).await.is_some_and(|request| request.state == RequestState::Waiting && request.version == 1)
}

pub(super) async fn fail_request(org: Target) -> Result<(), StoreError> {
    request(org.clone()).await?;
    let request = org.report_request(&TENANT.parse().unwrap(), later()).await?.unwrap();
    org.writer().continue_request(ReportRequest { state: RequestState::Failed, ..request }).await.map(drop)
}

pub(super) async fn has_failed_request(org: Target) -> bool {
    last_request(&org).await.is_some_and(|request| request.state == RequestState::Failed)
}

pub(super) async fn connect(org: Target) -> Result<(), StoreError> {
    let tenant = TENANT.parse().unwrap();
    let proved = provider_id(&tenant).parse().unwrap();
    done(org.writer().connect_tenant(&tenant, &proved, Sighting::Open(None)).await)
}

pub(super) async fn is_connected(org: Target) -> bool {
    org.connection(&TENANT.parse().unwrap()).await.unwrap().is_some_and(|connection| connection.is_open())
}
