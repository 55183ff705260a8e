//! Schedules: requests the reports and documents that are due, and finds what waits for somebody.
//!
//! It finds reports that are missing, stale tenants, accepted risks that end soon, and sets of documents that nobody works
//! on, and makes the trends of weeks that have ended.

use std::collections::HashSet;

use assessments::Tool;
use chrono::TimeDelta;
use futures_util::{FutureExt, StreamExt, TryStreamExt, future, stream};
use model::{Actor, OrganizationId, ServiceTenantId, Timestamp};
use store::{Organization, ReportSummary, Schedules, Store, StoreError, TenantError, TenantRecord};

use super::Queues;
use super::documents;
use super::requests::{RequestError, request_due};
use super::trends;

/// Organizations that are looked at concurrently, and tenants of each.
const AT_ONCE: usize = 8;

/// The result of a round.
#[derive(Debug, Default)]
pub struct Round {
    /// Number of reports that were requested.
    pub requested: usize,
    /// Number of sets of documents that were requested.
    pub sets: usize,
    /// Number of tenants that were told to be stale.
    pub stale: usize,
    /// Number of accepted risks that were told to end soon.
    pub expiring: usize,
    /// The organizations in which not all of it could be done. The next round looks at them again.
    pub failed: Vec<(OrganizationId, RequestError)>,
    /// The organizations whose trend could not be made. They are looked at again an hour later.
    pub trends_failed: Vec<(OrganizationId, StoreError)>,
}

/// Requests the documents and reports that are due in all organizations, and tells once of each stale tenant and of each
/// accepted risk that ends soon.
///
/// A report is requested once, also if it was due several times since the last round. May be stopped at any time, and run
/// by several at once.
///
/// # Errors
/// If the store does not list the organizations.
pub async fn run(store: &Store, queues: &Queues, now: Timestamp) -> Result<Round, StoreError> {
    let organizations = store.due(now).await?.into_iter().map(|id| {
        let organization = store.organization(&id);
        async move { (id, look_at(&organization, queues, now).await) }.boxed()
    });
    let mut round = Round::default();
    let mut results = stream::iter(organizations).buffer_unordered(AT_ONCE);
    while let Some((id, found)) = results.next().await {
        match found {
            Ok(of_one) => {
                round.requested += of_one.requested;
                round.sets += of_one.sets;
                round.stale += of_one.stale;
                round.expiring += of_one.expiring;
                round.trends_failed.extend(of_one.trends_failed);
            }
            Err(error) => round.failed.push((id, error)),
        }
    }
    Ok(round)
}

/// Returns whether a report of a tenant is missing that its schedule made due, or the tenant was told to be stale.
/// `reports` are the newest of its tools.
pub fn is_stale(
    schedules: Option<&Schedules>,
    tenant: &TenantRecord,
    reports: &[ReportSummary],
    now: Timestamp,
) -> bool {
    let own = Tool::BuiltIn.to_string();
    let newest = reports.iter().filter(|report| report.tool == own).map(|report| report.figures.completed_at).max();
    let schedule = Schedules::of(schedules, tenant).filter(|_| !tenant.is_paused);
    let is_missing = schedule.is_some_and(|schedule| schedule.is_stale(&tenant.service_tenant_id, newest, now));
    is_missing || !tenant.is_paused && tenant.is_told_stale()
}

/// Returns the tenants whose schedules make no further requests, because the tenants did not let the service in.
///
/// # Errors
/// If the store fails.
pub async fn halted(organization: &Organization, now: Timestamp) -> Result<HashSet<ServiceTenantId>, StoreError> {
    let mut halted = HashSet::new();
    for request in organization.report_requests(now).await?.into_iter().filter(|request| request.is_halted(None)) {
        let connection = organization.connection(&request.service_tenant_id).await?;
        if request.is_halted(connection.as_ref()) {
            halted.insert(request.service_tenant_id);
        }
    }
    Ok(halted)
}

/// Requests the documents and reports that are due in an organization, tells of its stale tenants and of its accepted
/// risks that end soon, lets somebody work on forgotten sets of documents, makes the trends of weeks that have ended,
/// then writes when to look again.
async fn look_at(organization: &Organization, queues: &Queues, now: Timestamp) -> Result<Round, RequestError> {
    // Before the tenants: a schedule that changes from here on is noticed at the end.
    let Some(schedules) = organization.schedules().await? else {
        return Err(StoreError::Corrupt("an organization without schedules is listed as due").into());
    };
    let (tenants, kept): (Vec<_>, _) =
        future::try_join(organization.tenants().try_concat(), organization.all_kept_edits()).await?;
    let writer = organization.by(&Actor::service(), now);
    let (schedules, sets) = documents::request_due(&writer, schedules, &queues.documents).await?;
    let due = tenants.iter().filter(|tenant| !tenant.is_paused).filter_map(|tenant| {
        let due_at = Schedules::of(Some(&schedules), tenant)?.last(&tenant.service_tenant_id, now)?;
        (due_at > schedules.requested_until).then_some((tenant, due_at))
    });
    let requests = due.map(|(tenant, due_at)| request_due(&writer, tenant, due_at, &queues.requests, now).boxed());
    let mut results = stream::iter(requests.collect::<Vec<_>>()).buffer_unordered(AT_ONCE);
    let mut requested = 0;
    let mut failure = None;
    while let Some(result) = results.next().await {
        match result {
            Ok((_, is_new)) => requested += usize::from(is_new),
            // It was removed since the tenants were read.
            Err(RequestError::Tenant(TenantError::NotFound(_))) => {}
            // The others were requested nevertheless, so that one damaged tenant does not stop them.
            Err(error) => failure = Some(error),
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    // A tenant that was stale before is not new.
    let is_new = |at: &Timestamp| schedules.requested_until < *at && *at <= now;
    let stale = tenants.iter().filter(|tenant| schedules.stale_at(tenant).as_ref().is_some_and(is_new));
    let telling = stale.map(|tenant| writer.tell_stale(tenant).boxed()).collect::<Vec<_>>();
    let told: Vec<bool> = stream::iter(telling).buffer_unordered(AT_ONCE).try_collect().await?;
    let (ending, later): (Vec<_>, Vec<_>) =
        kept.iter().filter_map(|kept| Some((kept, kept.reminds_at()?))).partition(|(_, at)| *at <= now);
    let reminding = ending.into_iter().map(|(kept, _)| writer.tell_expiring(kept).boxed()).collect::<Vec<_>>();
    let reminded: Vec<bool> = stream::iter(reminding).buffer_unordered(AT_ONCE).try_collect().await?;
    let count = |told: Vec<bool>| told.into_iter().filter(|told| *told).count();
    let reminders = later.into_iter().map(|(_, at)| at);
    let sets_at = documents::resend(organization, &queues.documents, now).await?;
    let mut round = Round { requested, sets, stale: count(told), expiring: count(reminded), ..Round::default() };
    let (trends_from, trends_at) = match trends::follow(&writer, schedules.trends_from, &tenants, now).await {
        Ok((first, at)) => (Some(first), at),
        Err(error) => {
            // All else is settled nevertheless.
            round.trends_failed.push((organization.id().clone(), error));
            let later = (now.to_datetime() + TimeDelta::hours(1)).try_into().unwrap_or(now);
            (schedules.trends_from, later)
        }
    };
    let schedules = Schedules { trends_from, ..schedules };
    let next_at = reminders.chain(sets_at).chain(next_of(&schedules, &tenants, now)).fold(trends_at, Timestamp::min);
    writer.settle_schedules(&schedules, next_at).await?;
    Ok(round)
}

/// Returns when schedules next make something due, or a tenant stale.
fn next_of(schedules: &Schedules, tenants: &[TenantRecord], now: Timestamp) -> Option<Timestamp> {
    // Also of paused ones: nothing else notices when one is resumed.
    let next = |tenant: &TenantRecord| Schedules::of(Some(schedules), tenant)?.next(&tenant.service_tenant_id, now);
    let next_at = tenants.iter().filter_map(next);
    let stale_at = tenants.iter().filter_map(|tenant| schedules.stale_at(tenant)).filter(|at| *at > now);
    // With the windows, so that a tenant that is added or labelled until then is not missed. One that has its last report
    // from now on cannot be stale before the end.
    let ends = [schedules.opens(now), schedules.in_days(now)].into_iter().flatten();
    next_at.chain(stale_at).chain(ends).min()
}
