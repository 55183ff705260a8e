//! Schedules: what is due is requested once, whoever is killed or comes in between.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::task::Poll;

use chrono::TimeDelta;
use model::{Actor, Admin, Every, Label, Schedule, ServiceTenantId, Timestamp};
use operations::Queues;
use operations::requests::{self, NOT_CONNECTED, RequestError};
use schedule::Scheduler;
use store::{AdminWriter, AuditAction, Organization, ReportRequest, RequestState, Schedules, Sighting};

use crate::night::Messages;
use crate::support::{TestApp, TestOrganization, provider_id, time};

/// When the schedules are set.
const SET: &str = "2026-07-15T12:00:00Z";

fn daily(between: &str) -> Schedule {
    Schedule { every: "daily".parse().unwrap(), between: between.parse().unwrap(), since: time(SET) }
}

pub(crate) fn admin(of: &Organization, at: &str) -> AdminWriter {
    of.by_admin(&Admin::operator(), time(at))
}

/// Connects a tenant, or sees what became of its connection.
async fn connect(of: &TestOrganization, tenant: &ServiceTenantId, sighting: Sighting, at: Timestamp) {
    let writer = of.organization.by_admin(&Admin::operator(), at);
    writer.connect_tenant(tenant, &provider_id(tenant).parse().unwrap(), sighting).await.unwrap();
}

pub(crate) fn scheduler(app: &TestApp) -> Scheduler {
    Scheduler { store: app.app.store.clone(), queues: Queues::default() }
}

pub(crate) async fn round(app: &TestApp, at: Timestamp) -> usize {
    scheduler(app).handle(at).await.unwrap()
}

async fn last_request(of: &TestOrganization, tenant: &ServiceTenantId) -> Option<ReportRequest> {
    of.organization.report_request(tenant, time("2026-07-30T00:00:00Z")).await.unwrap()
}

async fn end(of: &TestOrganization, tenant: &ServiceTenantId, at: Timestamp) {
    let request = last_request(of, tenant).await.unwrap();
    let failed = ReportRequest { state: RequestState::Failed, ..request };
    of.organization.by(&Actor::service(), at).continue_request(failed).await.unwrap().unwrap();
}

pub(crate) fn after(at: Timestamp, hours: i64) -> Timestamp {
    (at.to_datetime() + TimeDelta::hours(hours)).try_into().unwrap()
}

async fn next_at(of: &TestOrganization) -> Option<Timestamp> {
    of.organization.schedules().await.unwrap().unwrap().next_at
}

/// Lets a future be polled a number of times, then drops it. Returns whether it was ready.
pub(crate) async fn killed(polls: u32, future: impl Future) -> bool {
    let mut future = Box::pin(future);
    let mut left = polls;
    let ended = poll_fn(|context| {
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Pending if left > 0 => Poll::Pending,
            polled => Poll::Ready(polled.is_ready()),
        }
    });
    ended.await
}

#[tokio::test]
async fn a_report_is_requested_when_it_is_due_and_not_before() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    admin(&app.org_a.organization, SET).set_schedule(None, Some(daily("22-04"))).await.unwrap();
    let added = Some(time("2026-02-03T04:05:06.789Z"));
    assert_eq!(next_at(&app.org_a).await, added, "the next round finds the moments of the tenants");
    assert_eq!(round(&app, time(SET)).await, 0);
    let moment = |tenant| daily("22-04").next(tenant, time(SET)).unwrap();
    let (early, late) = if moment(first) < moment(second) { (first, second) } else { (second, first) };
    assert_eq!(next_at(&app.org_a).await, Some(time("2026-07-15T22:00:00Z")), "when the window opens");
    assert_eq!(round(&app, time("2026-07-15T22:00:00Z")).await, 0);
    assert_eq!(next_at(&app.org_a).await, Some(moment(early)));
    assert_eq!(round(&app, moment(early)).await, 1);
    let request = last_request(&app.org_a, early).await.unwrap();
    assert_eq!((request.due_at, &*request.by), (Some(moment(early)), "The service"));
    assert_eq!(last_request(&app.org_a, late).await, None);
    assert_eq!(next_at(&app.org_a).await, Some(moment(late)));
    assert_eq!([round(&app, moment(late)).await, round(&app, after(moment(late), 1)).await], [1, 0]);
    // On the next day again, if the first has ended.
    end(&app.org_a, early, moment(late)).await;
    assert_eq!(round(&app, after(moment(late), 24)).await, 1);
    assert_eq!(last_request(&app.org_a, early).await.unwrap().due_at, Some(after(moment(early), 24)));
    assert_eq!(app.org_b.organization.report_requests(time(SET)).await.unwrap(), []);
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn missed_reports_are_caught_up_once() {
    let app = TestApp::new().await;
    admin(&app.org_a.organization, SET).set_schedule(None, Some(daily("22-04"))).await.unwrap();
    round(&app, time(SET)).await;
    let later = time("2026-07-20T12:00:00Z");
    assert_eq!([round(&app, later).await, round(&app, after(later, 1)).await], [2, 0]);
    for tenant in &app.org_a.tenants {
        assert_eq!(last_request(&app.org_a, tenant).await.unwrap().due_at, daily("22-04").last(tenant, later));
    }
}

#[tokio::test]
async fn a_tenant_has_its_own_schedule_or_none() {
    let app = TestApp::new().await;
    let [own, never] = &app.org_a.tenants;
    let writer = admin(&app.org_a.organization, SET);
    writer.set_schedule(None, Some(daily("22-04"))).await.unwrap();
    writer.schedule_tenant(own, Some(daily("13-14"))).await.unwrap();
    let off = Schedule { every: Every::Never, ..daily("22-04") };
    writer.schedule_tenant(never, Some(off)).await.unwrap();
    round(&app, time(SET)).await;
    assert_eq!(round(&app, time("2026-07-15T14:00:00Z")).await, 1);
    assert_eq!(round(&app, time("2026-07-16T12:00:00Z")).await, 0);
    assert_eq!(last_request(&app.org_a, never).await, None);
    // Without its own, it has that of the organization again.
    writer.schedule_tenant(never, None).await.unwrap();
    assert_eq!(round(&app, time("2026-07-16T12:01:00Z")).await, 0, "nothing was missed before");
    assert_eq!(round(&app, time("2026-07-17T12:00:00Z")).await, 1);
    let (trail, _) = app.org_a.organization.audit_trail(None, 100, time(SET)).await.unwrap();
    let changes = trail.iter().filter(|entry| entry.action == AuditAction::ScheduleChanged);
    let mut changes: Vec<_> = changes.map(|entry| (&*entry.subject, entry.changes[0].after.as_deref())).collect();
    // They have the same time.
    changes.sort_unstable();
    let expected = [
        ("org_a", Some("daily 22-04 UTC")),
        (own.as_str(), Some("daily 13-14 UTC")),
        (never.as_str(), None),
        (never.as_str(), Some("never")),
    ];
    assert_eq!(changes, expected);
}

fn labels<const N: usize>(labels: [&str; N]) -> BTreeSet<Label> {
    labels.map(|label| label.parse().unwrap()).into()
}

#[tokio::test]
async fn the_first_label_by_name_comes_between_the_tenant_and_the_organization() {
    let app = TestApp::new().await;
    let [labelled, other] = &app.org_a.tenants;
    let organization = &app.org_a.organization;
    let writer = admin(organization, SET);
    let [gold, silver] = ["Gold", "Silver"].map(|label| label.parse::<Label>().unwrap());
    writer.label_tenant(labelled, &labels(["Silver", "Gold", "Berlin"])).await.unwrap();
    writer.set_schedule(None, Some(daily("22-04"))).await.unwrap();
    writer.set_schedule(Some(&silver), Some(daily("15-16"))).await.unwrap();
    let applies = async || {
        let (schedules, tenant) =
            (organization.schedules().await.unwrap(), organization.tenant(labelled).await.unwrap());
        Schedules::of(schedules.as_ref(), &tenant.unwrap()).unwrap().between.to_string()
    };
    assert_eq!(applies().await, "15-16");
    writer.set_schedule(Some(&gold), Some(daily("13-14"))).await.unwrap();
    assert_eq!(applies().await, "13-14", "the first by name");
    round(&app, time(SET)).await;
    assert_eq!(next_at(&app.org_a).await, Some(time("2026-07-15T13:00:00Z")), "when the first window opens");
    assert_eq!(round(&app, time("2026-07-15T14:00:00Z")).await, 1);
    assert_eq!(last_request(&app.org_a, labelled).await.unwrap().due_at, daily("13-14").next(labelled, time(SET)));
    assert_eq!(last_request(&app.org_a, other).await, None);
    writer.schedule_tenant(labelled, Some(daily("17-18"))).await.unwrap();
    assert_eq!(applies().await, "17-18");
    writer.schedule_tenant(labelled, None).await.unwrap();
    writer.set_schedule(Some(&gold), None).await.unwrap();
    assert_eq!(applies().await, "15-16");
    writer.set_schedule(Some(&silver), None).await.unwrap();
    assert_eq!(applies().await, "22-04");
    let (trail, _) = organization.audit_trail(None, 100, time(SET)).await.unwrap();
    let changes = trail.iter().filter(|entry| entry.action == AuditAction::ScheduleChanged);
    let fields: BTreeSet<_> = changes.map(|entry| (&*entry.subject, &*entry.changes[0].field)).collect();
    let of_labels = ["schedule of label Gold", "schedule of label Silver"].map(|field| ("org_a", field));
    let [gold, silver] = of_labels;
    assert_eq!(fields, [("org_a", "schedule"), gold, silver, (labelled.as_str(), "schedule")].into());
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_tenant_that_gets_a_label_with_a_schedule_is_looked_at_at_once() {
    let app = TestApp::new().await;
    let [tenant, _] = &app.org_a.tenants;
    let organization = &app.org_a.organization;
    let gold = "Gold".parse().unwrap();
    admin(organization, SET).label_tenant(tenant, &labels(["Silver"])).await.unwrap();
    let seen = organization.schedules().await.unwrap().unwrap();
    assert_eq!((seen.schedule, seen.version), (None, 1), "nothing is scheduled");
    admin(organization, SET).set_schedule(Some(&gold), Some(daily("22-04"))).await.unwrap();
    assert_eq!(round(&app, time(SET)).await, 0);
    let window = time("2026-07-15T22:00:00Z");
    assert_eq!(next_at(&app.org_a).await, Some(window), "a tenant may have it until then");
    assert_eq!(round(&app, window).await, 0);
    let labelled = time("2026-07-15T22:00:01Z");
    admin(organization, "2026-07-15T22:00:01Z").label_tenant(tenant, &labels(["Gold"])).await.unwrap();
    assert_eq!(next_at(&app.org_a).await, Some(labelled));
    round(&app, labelled).await;
    let moment = daily("22-04").next(tenant, window).unwrap();
    assert_eq!(next_at(&app.org_a).await, Some(moment));
    assert_eq!(round(&app, moment).await, 1);
    // Other labels change nothing.
    let before = organization.schedules().await.unwrap();
    admin(organization, SET).label_tenant(tenant, &labels(["Gold", "Iron"])).await.unwrap();
    assert_eq!(organization.schedules().await.unwrap(), before);
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_hundred_labels_have_schedules_at_most() {
    let app = TestApp::new().await;
    let writer = admin(&app.org_a.organization, SET);
    let label = |number: usize| format!("Label {number}").parse::<Label>().unwrap();
    for number in 0..100 {
        writer.set_schedule(Some(&label(number)), Some(daily("22-04"))).await.unwrap();
    }
    let refused = writer.set_schedule(Some(&label(100)), Some(daily("22-04"))).await.unwrap_err();
    assert_eq!(refused.to_string(), "100 labels have schedules already: remove one first");
    writer.set_schedule(Some(&label(99)), Some(daily("13-14"))).await.unwrap();
    writer.set_schedule(Some(&label(0)), None).await.unwrap();
    writer.set_schedule(Some(&label(100)), Some(daily("22-04"))).await.unwrap();
    assert_eq!(app.org_a.organization.schedules().await.unwrap().unwrap().labels.len(), 100);
}

#[tokio::test]
async fn paused_and_removed_tenants_are_left_out() {
    let app = TestApp::new().await;
    let [paused, removed] = &app.org_a.tenants;
    let writer = admin(&app.org_a.organization, SET);
    writer.schedule_tenant(paused, Some(daily("22-04"))).await.unwrap();
    writer.schedule_tenant(removed, Some(daily("22-04"))).await.unwrap();
    writer.pause_tenant(paused, true).await.unwrap();
    writer.remove_tenant(removed).await.unwrap();
    assert_eq!(round(&app, time("2026-07-16T12:00:00Z")).await, 0);
    writer.pause_tenant(paused, false).await.unwrap();
    assert_eq!(round(&app, time("2026-07-16T13:00:00Z")).await, 0, "nothing was missed while it was paused");
    assert_eq!(round(&app, time("2026-07-17T12:00:00Z")).await, 1, "it was not forgotten meanwhile");
    writer.schedule_tenant(paused, None).await.unwrap();
    assert_eq!(round(&app, time("2026-07-17T13:00:00Z")).await, 0);
    assert_eq!(next_at(&app.org_a).await, Some(time("2026-07-20T12:00:00Z")), "when the week is made");
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn an_open_request_serves_what_is_due_meanwhile() {
    let app = TestApp::new().await;
    let [tenant, _] = &app.org_a.tenants;
    let writer = admin(&app.org_a.organization, SET);
    writer.schedule_tenant(tenant, Some(daily("22-04"))).await.unwrap();
    round(&app, time(SET)).await;
    let (open, _) = writer.request_report(tenant).await.unwrap();
    assert_eq!(round(&app, time("2026-07-16T12:00:00Z")).await, 0);
    assert_eq!(last_request(&app.org_a, tenant).await, Some(open));
}

#[tokio::test]
async fn a_tenant_that_is_not_connected_fails_three_times_without_a_message_and_then_no_more() {
    let app = TestApp::new().await;
    let [connected, unconnected] = &app.org_a.tenants;
    admin(&app.org_a.organization, SET).set_schedule(None, Some(daily("22-04"))).await.unwrap();
    connect(&app.org_a, connected, Sighting::Open(None), time(SET)).await;
    let messages = Messages::default();
    let scheduler = Scheduler { queues: Queues { requests: messages.queue(), ..Queues::default() }, ..scheduler(&app) };
    scheduler.handle(time(SET)).await.unwrap();
    let day = |days: i64| after(time("2026-07-16T12:00:00Z"), days * 24);
    for days in 0..5 {
        scheduler.handle(day(days)).await.unwrap();
        end(&app.org_a, connected, day(days)).await;
        let request = last_request(&app.org_a, unconnected).await.unwrap();
        let last = daily("22-04").last(unconnected, day(days.min(2)));
        assert_eq!((request.state, request.due_at), (RequestState::Failed, last), "day {days}");
        assert_eq!(request.failure.as_deref(), Some(NOT_CONNECTED));
        assert_eq!(request.refusals, u32::try_from(days.min(2)).unwrap() + 1);
    }
    assert_eq!(messages.count(), 5, "of the connected tenant");
    let request = last_request(&app.org_a, unconnected).await.unwrap();
    assert!(request.is_halted(None));
    // On request, it is refused by name, and nothing is written.
    let tenant = app.org_a.organization.tenant(unconnected).await.unwrap().unwrap();
    let writer = app.org_a.organization.by(&Actor::operator(), day(5));
    let refused = requests::request(&writer, &tenant, &messages.queue(), day(5)).await;
    assert!(matches!(refused, Err(RequestError::NotConnected)));
    assert_eq!(last_request(&app.org_a, unconnected).await, Some(request));
    // Once it is connected, it goes on.
    connect(&app.org_a, unconnected, Sighting::Open(None), day(5)).await;
    scheduler.handle(day(6)).await.unwrap();
    let request = last_request(&app.org_a, unconnected).await.unwrap();
    assert_eq!((request.state, request.refusals, messages.count()), (RequestState::Waiting, 0, 7));
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn a_schedule_stops_after_three_refusals_until_the_tenant_is_seen_to_let_the_service_in() {
    let app = TestApp::new().await;
    let [tenant, _] = &app.org_a.tenants;
    let writer = admin(&app.org_a.organization, SET);
    writer.schedule_tenant(tenant, Some(daily("22-04"))).await.unwrap();
    round(&app, time(SET)).await;
    let day = |days: i64| after(time("2026-07-16T12:00:00Z"), days * 24);
    let refuse = async |at| {
        let refusal = Sighting::Refused("AADSTS700016".to_owned());
        connect(&app.org_a, tenant, refusal, at).await;
        let request = requests::refused(last_request(&app.org_a, tenant).await.unwrap(), "A reason".to_owned());
        app.org_a.organization.by(&Actor::service(), at).continue_request(request).await.unwrap().unwrap();
    };
    for days in 0..3 {
        assert_eq!(round(&app, day(days)).await, 1, "day {days}");
        refuse(day(days)).await;
    }
    assert_eq!(round(&app, day(3)).await, 0);
    let connection = async || app.org_a.organization.connection(tenant).await.unwrap();
    let is_halted = async || last_request(&app.org_a, tenant).await.unwrap().is_halted(connection().await.as_ref());
    connect(&app.org_a, tenant, Sighting::Open(None), day(2)).await;
    assert!(is_halted().await, "the refusal is as new");
    connect(&app.org_a, tenant, Sighting::Open(None), day(4)).await;
    assert!(!is_halted().await);
    assert_eq!(round(&app, day(5)).await, 1);
    refuse(day(5)).await;
    assert_eq!(round(&app, day(6)).await, 1, "it is refused once again");
    // A person may try at any time.
    refuse(day(6)).await;
    round(&app, day(7)).await;
    refuse(day(7)).await;
    assert_eq!(round(&app, day(8)).await, 0);
    let (request, is_new) = admin(&app.org_a.organization, SET).request_report(tenant).await.unwrap();
    assert_eq!((is_new, request.refusals), (true, 3));
}

#[tokio::test]
async fn a_schedule_that_changes_during_a_round_is_not_overlooked() {
    let app = TestApp::new().await;
    let [tenant, _] = &app.org_a.tenants;
    let writer = admin(&app.org_a.organization, SET);
    writer.set_schedule(None, Some(daily("22-04"))).await.unwrap();
    let seen = app.org_a.organization.schedules().await.unwrap().unwrap();
    writer.schedule_tenant(tenant, Some(daily("13-14"))).await.unwrap();
    assert!(!writer.settle_schedules(&seen, time("2026-07-15T22:00:00Z")).await.unwrap());
    assert_eq!(round(&app, time("2026-07-15T14:00:00Z")).await, 1);
}

#[tokio::test]
async fn a_round_that_ends_after_any_call_neither_loses_nor_doubles() {
    let app = TestApp::new().await;
    admin(&app.org_a.organization, SET).set_schedule(None, Some(daily("22-04"))).await.unwrap();
    admin(&app.org_b.organization, SET).set_schedule(None, Some(daily("22-04"))).await.unwrap();
    round(&app, time(SET)).await;
    let (mut requested, mut day) = (0, time("2026-07-16T12:00:00Z"));
    for polls in 1.. {
        // It is dropped where it waits for the table.
        let ended = killed(polls, scheduler(&app).handle(day)).await;
        round(&app, day).await;
        for organization in [&app.org_a, &app.org_b] {
            for tenant in &organization.tenants {
                let request = last_request(organization, tenant).await.unwrap();
                assert_eq!(request.due_at, daily("22-04").last(tenant, day), "after {polls} polls");
                end(organization, tenant, day).await;
                requested += 1;
            }
        }
        let mut entries = 0;
        for organization in [&app.org_a.organization, &app.org_b.organization] {
            let (trail, _) = organization.audit_trail(None, 1_000, time(SET)).await.unwrap();
            entries += trail.iter().filter(|entry| entry.action == AuditAction::ReportRequested).count();
        }
        assert_eq!(entries, requested, "after {polls} polls");
        if ended {
            assert!(polls > 5, "it was killed in {polls} places");
            return;
        }
        day = after(day, 24);
    }
}

#[tokio::test]
async fn one_organization_that_fails_does_not_stop_the_others() {
    let app = TestApp::new().await;
    for organization in [&app.org_a.organization, &app.org_b.organization] {
        admin(organization, SET).set_schedule(None, Some(daily("22-04"))).await.unwrap();
    }
    let mut damaged =
        app.items().await.into_iter().find(|item| {
            item["pk"].as_s().unwrap() == "ORG#org_a" && item["sk"].as_s().unwrap().starts_with("TENANT#")
        });
    damaged.as_mut().unwrap().remove("name");
    app.put(damaged.unwrap()).await;
    let day = time("2026-07-16T12:00:00Z");
    let error = scheduler(&app).handle(day).await.unwrap_err();
    assert_eq!(error.to_string(), "not everything that is due could be done in 1 organization");
    assert_eq!(app.org_b.organization.report_requests(day).await.unwrap().len(), 2);
    assert_eq!(app.app.store.due(day).await.unwrap(), [app.org_a.organization.id().clone()]);
}
