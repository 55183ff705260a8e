//! Events of changes on the embedded engine: one for each change, and a drift once.

use std::cell::Cell;
use std::collections::BTreeSet;

use assessments::{Administrator, Run};
use chrono::TimeDelta;
use model::{Actor, Admin, Event, EventKind, MfaEnforcement, MfaMethod, ReportId, ServiceTenantId, Status, Timestamp};
use operations::edits::{self, CheckChange, EditOptions, ReportEdit};
use operations::import::{self, BaselineChoice, Cause, ImportResult, Imported};
use store::{AdminWriter, EventPosition, EventSelection, ReportRequest, RequestState};

use crate::support::{PROVIDER_ID, World, at, options, run};

use EventKind::{
    AdminAdded, AssessmentFailed, ControlDrifted, ControlFixed, CoverageLost, ImportFailed, ReportCompleted,
    ReportDeleted, ReportEdited, ReportReplaced, ScoreDropped, TenantAdded, TenantErased, TenantPaused, TenantRemoved,
    TenantRenamed, TenantResumed,
};
use Status::{NotAssessed, Open, Secure};

thread_local! {
    static SECONDS: Cell<i64> = const { Cell::new(0) };
}

/// Returns a time, each a second after the one before.
fn now() -> Timestamp {
    let seconds = SECONDS.replace(SECONDS.get() + 1);
    (options().imported_at.to_datetime() + TimeDelta::seconds(seconds)).try_into().unwrap()
}

impl World {
    /// Returns the changes of an Admin, a second after the ones before.
    fn then(&self) -> AdminWriter {
        self.organization.by_admin(&Admin::operator(), now())
    }

    async fn add_other_tenant(&self, provider_id: &str) -> ServiceTenantId {
        let (at, name) = (now(), "Lakeside Law".parse().unwrap());
        let id = ServiceTenantId::generate(at);
        self.organization
            .by(&Actor::operator(), at)
            .add_tenant(id.clone(), name, provider_id.parse().unwrap())
            .await
            .unwrap();
        id
    }

    async fn import_then(&self, run: &Run, baseline: BaselineChoice) -> Imported {
        let options = import::Options { baseline, ..import::Options::at(now()) };
        import::import_run(&self.organization, &Actor::operator(), run, &options).await.unwrap()
    }

    /// Returns all events but that of the tenant, which was added months before.
    async fn events(&self) -> Vec<Event> {
        let all = EventSelection { limit: 10_000, ..EventSelection::default() };
        let page = self.organization.events(&all, options().imported_at).await.unwrap();
        assert!(page.is_last);
        let ids: BTreeSet<_> = page.events.iter().map(|event| event.id.clone()).collect();
        assert_eq!(ids.len(), page.events.len(), "no identifier occurs twice");
        page.events
    }

    /// Returns the kinds of the events after a number of earlier ones.
    async fn kinds_after(&self, earlier: usize) -> Vec<EventKind> {
        self.events().await[earlier..].iter().map(|event| event.kind).collect()
    }

    async fn of_kind(&self, kind: EventKind) -> Vec<Event> {
        self.events().await.into_iter().filter(|event| event.kind == kind).collect()
    }

    /// Imports a run, and returns the kinds of its events.
    async fn imported(&self, run: &Run) -> Vec<EventKind> {
        let earlier = self.events().await.len();
        self.import_then(run, BaselineChoice::Newest).await;
        self.kinds_after(earlier).await
    }

    async fn set_status(&self, report: &ReportId, status: Status) -> Vec<EventKind> {
        let earlier = self.events().await.len();
        let change = CheckChange { status: Some(status), ..CheckChange::default() };
        let edit = ReportEdit::Check { control: "MS.AAD.1.0".to_owned(), change };
        let (actor, options, at) = (Actor::operator(), EditOptions::default(), now());
        edits::edit(&self.organization, &actor, report, &edit, options, at).await.unwrap();
        self.kinds_after(earlier).await
    }
}

#[tokio::test]
async fn a_drift_opens_once_and_is_closed_under_the_same_identifier() {
    let world = World::new().await;
    assert_eq!(world.imported(&run(1, &[Secure, Open, Secure])).await, [ReportCompleted]);
    let drifting = [Open, Open, Secure];
    assert_eq!(world.imported(&run(2, &drifting)).await, [ReportCompleted, ControlDrifted, ScoreDropped]);
    for day in 1..=30 {
        let mut same = run(3, &drifting);
        same.run_id = format!("run of day {day}");
        same.completed = Some(at(&format!("2026-03-{day:02}T00:00:00Z")));
        assert_eq!(world.imported(&same).await, [ReportCompleted], "day {day}");
    }
    let [opened] = &world.of_kind(ControlDrifted).await[..] else { panic!("it drifted once") };
    let drifted = opened.control.clone().unwrap();
    assert_eq!((drifted.id.as_str(), drifted.drift_id.as_ref()), ("MS.AAD.1.0", Some(&opened.id)));
    let [dropped] = &world.of_kind(ScoreDropped).await[..] else { panic!("the score dropped once") };
    let report = dropped.report.clone().unwrap();
    assert_eq!((report.score_before, report.score), (Some(66), 33));

    assert_eq!(world.imported(&run(4, &[Secure, Secure, Secure])).await, [ReportCompleted, ControlFixed, ControlFixed]);
    let fixed = world.of_kind(ControlFixed).await;
    let fixed: Vec<_> = fixed.iter().map(|event| event.control.as_ref().unwrap()).collect();
    assert_eq!(fixed[0].drift_id.as_ref(), Some(&opened.id), "it closes the drift");
    assert_eq!((fixed[1].id.as_str(), &fixed[1].drift_id), ("MS.AAD.1.1", &None), "it had never been secure");

    assert_eq!(world.imported(&run(5, &drifting)).await[1..], [ControlDrifted, ControlDrifted, ScoreDropped]);
    let again = &world.of_kind(ControlDrifted).await[1];
    assert_ne!(again.id, opened.id, "another drift is another pair");
}

#[tokio::test]
async fn what_was_not_assessed_meanwhile_is_compared_with_what_was_known_before() {
    let world = World::new().await;
    world.imported(&run(1, &[Secure, Secure, Open])).await;
    assert_eq!(world.imported(&run(2, &[NotAssessed, Secure, Open])).await[1..], [ScoreDropped, CoverageLost]);
    assert_eq!(world.imported(&run(3, &[NotAssessed, Secure, Open])).await, [ReportCompleted], "it is told once");
    let lost = world.of_kind(CoverageLost).await.remove(0);
    assert_eq!(lost.controls.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["MS.AAD.1.0"]);
    let kinds = world.imported(&run(4, &[Open, Secure, Open])).await;
    assert_eq!(kinds[..2], [ReportCompleted, ControlDrifted]);
    // A control that the run does not contain is lost as well.
    assert_eq!(world.imported(&run(5, &[Open, Secure])).await[1..], [CoverageLost], "it rose by the loss");
    let mut revised = run(6, &[Open, Open, Open]);
    revised.findings[1].revision = 2;
    assert!(!world.imported(&revised).await.contains(&ControlDrifted), "another revision has another meaning");
}

#[tokio::test]
async fn a_run_before_the_newest_changes_nothing_that_is_known() {
    let world = World::new().await;
    world.imported(&run(5, &[Secure])).await;
    assert_eq!(world.imported(&run(2, &[Open])).await, [ReportCompleted]);
    assert_eq!(world.events().await.pop().unwrap().report.unwrap().score_before, None);
    assert_eq!(world.imported(&run(6, &[Secure])).await, [ReportCompleted]);
}

#[tokio::test]
async fn edits_deletions_and_copies_are_told() {
    let world = World::new().await;
    world.imported(&run(1, &[Secure, Secure])).await;
    let drifted = world.import_then(&run(2, &[Open, Secure]), BaselineChoice::Newest).await.report_id;
    assert_eq!(world.set_status(&drifted, Secure).await, [ReportEdited, ControlFixed]);
    let edited = world.of_kind(ReportEdited).await.remove(0);
    assert_eq!(edited.report.as_ref().unwrap().id, drifted);
    assert_eq!((edited.report.as_ref().unwrap().score_before, edited.report.unwrap().score), (Some(50), 100));
    assert_eq!(edited.controls.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["MS.AAD.1.0"]);
    assert_eq!(world.set_status(&drifted, Open).await, [ReportEdited, ControlDrifted, ScoreDropped]);

    let mut larger = run(2, &[Open, Secure, Secure]);
    larger.rows.total = 3;
    assert_eq!(world.imported(&larger).await[..1], [ReportReplaced]);
    assert_eq!(world.imported(&larger).await, [], "the same copy again changes nothing");

    let earlier = world.events().await.len();
    world.then().delete_report(&drifted).await.unwrap();
    assert_eq!(world.kinds_after(earlier).await, [ReportDeleted]);
    assert_eq!(world.imported(&larger).await, [ReportCompleted], "what was told is not told again");
    assert_eq!(world.imported(&run(3, &[Secure, Secure, Secure])).await, [ReportCompleted, ControlFixed]);
    assert_eq!(world.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn new_administrators_are_told_once_a_complete_list_was_known() {
    let world = World::new().await;
    let admin = |name: &str| Administrator {
        user_principal_name: name.to_owned(),
        mfa_enforcement: MfaEnforcement::Unknown,
        mfa_method: MfaMethod::PhishingResistant,
        password_age_days: None,
        failed_sign_ins: 0,
    };
    let with = |month, names: &[&str], complete| {
        let mut run = run(month, &[Secure]);
        run.admins.admins = names.iter().map(|name| admin(name)).collect();
        run.admins.complete = complete;
        run
    };
    assert_eq!(world.imported(&with(1, &["a@x.example"], true)).await, [ReportCompleted]);
    assert_eq!(world.imported(&with(2, &["a@x.example", "b@x.example"], true)).await[1..], [AdminAdded]);
    assert_eq!(world.of_kind(AdminAdded).await[0].administrators, ["b@x.example"]);
    assert_eq!(world.imported(&with(3, &["c@x.example"], false)).await, [ReportCompleted], "the list is incomplete");
    assert_eq!(world.imported(&with(4, &["b@x.example"], true)).await, [ReportCompleted], "one was removed");
}

#[tokio::test]
async fn changes_of_tenants_and_failures_are_told() {
    let world = World::new().await;
    let id = world.tenant.clone();
    world.then().rename_tenant(&id, &"Harbour Dental Group".parse().unwrap()).await.unwrap();
    world.then().pause_tenant(&id, true).await.unwrap();
    world.then().pause_tenant(&id, false).await.unwrap();
    world.then().lead_tenant(&id, Some("ScubaGear")).await.unwrap();

    let named = import::Options { tenant: Some(id.to_string()), ..import::Options::at(now()) };
    let failed = ImportResult::failed("broken.json", Cause::Other("It is broken.".to_owned()));
    let tell = async |options: &import::Options| {
        let actor = Actor::bucket();
        import::tell_failures(&world.organization, &actor, &failed, options, Some("file 1")).await.unwrap();
    };
    tell(&import::Options { dry_run: true, ..options() }).await;
    tell(&named).await;
    tell(&named).await;
    let (request, _) = world.then().request_report(&id).await.unwrap();
    let failed = ReportRequest { state: RequestState::Failed, failure: Some("No consent.".to_owned()), ..request };
    world.then().continue_request(failed).await.unwrap().unwrap();
    world.then().remove_tenant(&id).await.unwrap();

    let events = world.events().await;
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    let expected = [TenantRenamed, TenantPaused, TenantResumed, ImportFailed, AssessmentFailed, TenantRemoved];
    assert_eq!(kinds, expected);
    assert!(events.iter().all(|event| event.tenant.as_ref().unwrap().service_tenant_id == id));
    let name = |event: &Event| event.tenant.as_ref().unwrap().name.clone().unwrap();
    assert!(events.iter().all(|event| name(event) == "Harbour Dental Group"));
    let failures: Vec<_> = events.iter().flat_map(|event| &event.failures).map(|failure| &failure.reason).collect();
    assert_eq!(failures, ["It is broken.", "No consent."]);

    let other = world.add_other_tenant(PROVIDER_ID).await;
    world.then().erase_tenant(&id).await.unwrap();
    let events = world.events().await;
    let left: Vec<_> = events.iter().map(|event| (event.kind, event.tenant.clone().unwrap())).collect();
    assert_eq!(left.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [TenantAdded, TenantErased]);
    assert_eq!((&left[0].1.service_tenant_id, &left[1].1.service_tenant_id), (&other, &id));
    assert_eq!((&left[1].1.name, &left[1].1.provider_tenant_id), (&None, &None));
}

#[tokio::test]
async fn pages_of_every_size_have_every_event_once_and_in_order() {
    let world = World::new().await;
    for (month, status) in [(1, Secure), (2, Open), (3, Secure), (4, Open)] {
        world.imported(&run(month, &[status, status, Secure])).await;
    }
    let all = world.events().await;
    assert_eq!(all.len(), 4 + 3 * 2 + 2);
    for limit in 1..=all.len() + 1 {
        let mut after: Option<EventPosition> = None;
        let mut read = Vec::new();
        loop {
            let selection = EventSelection { after, limit, ..EventSelection::default() };
            let page = world.organization.events(&selection, options().imported_at).await.unwrap();
            assert!(page.is_last || page.events.len() == limit);
            read.extend(page.events);
            after = page.next;
            if page.is_last {
                break;
            }
        }
        assert!(read == all, "pages of {limit}");
    }
    let drifts = EventSelection { kind: Some(ControlDrifted), limit: 100, ..EventSelection::default() };
    assert_eq!(world.organization.events(&drifts, options().imported_at).await.unwrap().events.len(), 4);
    let other = world.add_other_tenant("21111111-2222-3333-4444-555555555555").await;
    let of_other = EventSelection { tenant: Some(other), limit: 100, ..EventSelection::default() };
    assert_eq!(world.organization.events(&of_other, options().imported_at).await.unwrap().events.len(), 1);
}

#[tokio::test]
async fn results_that_an_earlier_release_stored_are_known_from_its_newest_report() {
    let world = World::new().await;
    world.imported(&run(1, &[Secure])).await;
    world.forget_known_results().await;
    assert_eq!(world.imported(&run(2, &[Open])).await, [ReportCompleted, ControlDrifted, ScoreDropped]);
    let as_baseline = world.import_then(&run(3, &[Open]), BaselineChoice::AsBaseline).await;
    assert_eq!(as_baseline.drifted, [], "a baseline has no drifted results");
    assert_eq!(world.imported(&run(4, &[Secure])).await, [ReportCompleted, ControlFixed]);
}
