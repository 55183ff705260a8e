//! Schedules of documents: a set at each of its times, and once however many rounds look for it.

use model::{Hours, Label, Schedule};
use operations::Queues;
use schedule::Scheduler;
use store::{AuditAction, DocumentSchedule, DocumentSet, RequestState, Which};

use crate::night::Messages;
use crate::schedules::{admin, after, round, scheduler};
use crate::support::{TestApp, time};

#[tokio::test]
async fn documents_are_requested_once_a_month_with_the_reports_that_came_since() {
    let app = TestApp::new().await;
    let own = &app.org_a.organization;
    let every = |every: &str, since: &str| Schedule {
        every: every.parse().unwrap(),
        between: Hours::default(),
        since: time(since),
    };
    let gold: Label = "Gold".parse().unwrap();
    let of_all = |schedule| DocumentSchedule { label: None, schedule, only_new: true, choice: "{}".to_owned() };
    let set = "2026-01-20T12:00:00Z";
    let monthly = of_all(every("monthly:31", set));
    admin(own, set).schedule_documents(None, Some(&monthly)).await.unwrap();
    let of_gold = DocumentSchedule { label: Some(gold.clone()), only_new: false, ..of_all(every("monthly:15", set)) };
    admin(own, "2026-01-20T12:01:00Z").schedule_documents(Some(&gold), Some(&of_gold)).await.unwrap();
    let sets = async |at: &str| {
        let (earlier, later) = (time(at), after(time(at), 1));
        let before = own.document_sets(earlier).await.unwrap();
        // Several rounds at once, and another later.
        let (first, second) = (scheduler(&app), scheduler(&app));
        let _ = futures_util::future::join(first.handle(earlier), second.handle(earlier)).await;
        round(&app, earlier).await;
        round(&app, later).await;
        let sets = own.document_sets(later).await.unwrap();
        let new = sets.into_iter().filter(|set| !before.contains(set));
        new.map(|set| (set.which.label.is_some(), set.which.since.map(|at| at.to_string()), set.by)).collect::<Vec<_>>()
    };
    let expected = |since: &str| vec![(false, Some(since.to_owned()), "The service".to_owned())];
    assert_eq!(sets("2026-01-30T22:00:00Z").await, [], "nothing is due");
    // The month before, although the schedule is younger.
    assert_eq!(sets("2026-01-31T00:00:00Z").await, expected("2025-12-31T00:00:00.000Z"));
    assert_eq!(sets("2026-02-15T08:00:00Z").await, [(true, None, "The service".to_owned())]);
    // A shorter month has its last day.
    assert_eq!(sets("2026-02-28T00:00:00Z").await, expected("2026-01-31T00:00:00.000Z"));
    admin(own, "2026-03-01T00:00:00Z").schedule_documents(Some(&gold), None).await.unwrap();
    // Nobody looked for two months.
    assert_eq!(sets("2026-05-02T00:00:00Z").await, expected("2026-02-28T00:00:00.000Z"));
    assert_eq!(sets("2026-05-31T00:00:00Z").await, expected("2026-04-30T00:00:00.000Z"));
    admin(own, "2026-06-01T00:00:00Z").schedule_documents(None, None).await.unwrap();
    assert_eq!(sets("2026-07-01T00:00:00Z").await, []);
    let (entries, _) = own.audit_trail(None, 100, time("2026-07-01T02:00:00Z")).await.unwrap();
    let changes = entries.iter().filter(|entry| entry.action == AuditAction::ScheduleChanged);
    let changes: Vec<_> =
        changes.flat_map(|entry| &entry.changes).map(|it| (&*it.field, it.after.as_deref())).collect();
    let told = [
        ("documents", None),
        ("documents of label Gold", None),
        ("documents of label Gold", Some("monthly:15")),
        ("documents", Some("monthly:31")),
    ];
    assert_eq!(changes, told);
    let requested = entries.iter().filter(|entry| entry.action == AuditAction::DocumentsRequested).count();
    assert_eq!(requested, 5);
}

#[tokio::test]
async fn all_sets_that_are_due_are_requested_in_one_round_with_a_message_each() {
    let app = TestApp::new().await;
    let own = &app.org_a.organization;
    let messages = Messages::default();
    let queues = Queues { documents: messages.queue(), ..Queues::default() };
    let scheduler = Scheduler { queues, ..scheduler(&app) };
    let set = "2026-01-20T12:00:00Z";
    for label in [None, Some("Gold".parse().unwrap())] {
        let schedule = Schedule { every: "monthly:31".parse().unwrap(), between: Hours::default(), since: time(set) };
        let schedule = DocumentSchedule { label: label.clone(), schedule, only_new: false, choice: "{}".to_owned() };
        admin(own, set).schedule_documents(label.as_ref(), Some(&schedule)).await.unwrap();
    }
    let due = time("2026-01-31T00:00:00Z");
    scheduler.handle(due).await.unwrap();
    assert_eq!((own.document_sets(due).await.unwrap().len(), messages.count()), (2, 2));
}

#[tokio::test]
async fn a_set_of_documents_that_nobody_works_on_gets_a_message_every_half_hour() {
    let app = TestApp::new().await;
    let own = &app.org_a.organization;
    let messages = Messages::default();
    let queues = Queues { documents: messages.queue(), ..Queues::default() };
    let scheduler = Scheduler { queues, ..scheduler(&app) };
    let set = admin(own, "2026-07-01T09:00:00Z").request_documents(Which::default(), "{}".to_owned()).await.unwrap();
    for (at, count) in [("09:00:00", 0), ("09:29:59", 0), ("09:30:00", 1), ("09:59:59", 1), ("10:00:00", 2)] {
        scheduler.handle(time(&format!("2026-07-01T{at}Z"))).await.unwrap();
        assert_eq!(messages.count(), count, "{at}");
    }
    let writer = admin(own, "2026-07-01T10:10:00Z");
    let set = writer.continue_documents(set).await.unwrap().unwrap();
    scheduler.handle(time("2026-07-01T10:30:00Z")).await.unwrap();
    assert_eq!(messages.count(), 2, "somebody works on it");
    writer.continue_documents(DocumentSet { state: RequestState::Completed, ..set }).await.unwrap();
    scheduler.handle(time("2026-07-01T12:00:00Z")).await.unwrap();
    assert_eq!(messages.count(), 2, "it is made");
}
