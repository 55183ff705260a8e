//! Writes: complete or without effect, and completed by running them again.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use store::StoreError;

use super::requests::{
    connect, fail_request, has_failed_request, is_all_scheduled, is_connected, is_due_requested, is_requested,
    is_scheduled, request, request_due, schedule, schedule_all,
};
use super::target::{
    Recorded, Subject, Target, add_report, add_third_tenant, add_trend, create_key, create_other, delete, delete_key,
    delete_removed, delete_report, edit_report, erase, has_deleted_removed, has_no_key, has_one_report, has_other,
    has_report, has_third_tenant, has_trend, has_two_keys, has_usage, has_users, is_deleted, is_edited, is_erased,
    is_paused, is_removed, is_renamed, pause, record_usage, record_users, remove, rename,
};
use super::{A_WHILE, FEW, FOR_GOOD, Fault, FaultyStore, ONCE, THROTTLED_LONG, cases, cases_in_turn, ends, passes};
use crate::formats::Item;
use crate::support::TestApp;

/// A write that is tried under faults.
pub(super) struct Write<S = Target> {
    /// Performs it. Finding it already done is also a success.
    pub(super) run: fn(S) -> BoxFuture<'static, Result<(), StoreError>>,
    /// Whether it is done.
    pub(super) done: fn(S) -> BoxFuture<'static, bool>,
    /// Whether it writes many items of which a reader may see a part, by design.
    pub(super) in_steps: bool,
}

impl<S: Subject> Write<S> {
    pub(super) async fn is_whole_or_not_at_all_and_completed_by_another_run(&self) {
        let app = TestApp::new().await;
        let faulty = FaultyStore::over(&app.engine).await;
        let clean = S::prepared(&app.app.store).await;
        faulty.plan(Fault::Refused, 0..0);
        (self.run)(clean.over(&faulty)).await.unwrap();
        let calls = faulty.made();
        assert!((self.done)(clean).await, "without a fault");
        let durations = &[ONCE, A_WHILE, FOR_GOOD];
        let cases = if self.in_steps { cases_in_turn(&calls, durations, FEW) } else { cases(&calls, durations) };
        for (fault, attempts) in cases.into_iter().chain(ends(&calls)) {
            let clean = S::prepared(&app.app.store).await;
            let before = stored(&app, clean.target()).await;
            faulty.plan(fault, attempts.clone());
            let outcome = (self.run)(clean.over(&faulty)).await;
            let case = format!("{fault:?} at {attempts:?} of {:?}", faulty.made());
            assert!(outcome.is_ok() || !passes(&attempts), "{case}: {outcome:?}");
            if outcome.is_err() && S::IS_RECORDED {
                let after = stored(&app, clean.target()).await;
                let changed = [(&before.0, &after.0), (&after.0, &before.0)];
                let changed = changed.map(|(of, others)| of.iter().filter(|item| !others.contains(item)));
                let changed: Vec<_> = changed.into_iter().flatten().map(Item::kind).collect();
                assert!(changed.is_empty() || after.1 > before.1, "{case}: no entry tells of {changed:?}");
            }
            if outcome.is_ok() || !self.in_steps {
                assert_eq!(clean.target().inspect().await.unwrap().discrepancies, [], "{case}");
            }
            if outcome.is_err() {
                (self.run)(clean.clone()).await.unwrap();
                assert_eq!(clean.target().inspect().await.unwrap().discrepancies, [], "{case}: after another run");
            }
            assert!((self.done)(clean).await, "{case}: not done");
        }
    }
}

/// Returns the items of an organization without its audit trail, and the number of entries in that. Left out is what
/// follows from the others or is nobody's change: marks, the list of controls, the outcome of an import, and when somebody
/// looks at the schedules.
async fn stored(app: &TestApp, target: &Target) -> (Vec<Item>, usize) {
    let (trail, others): (Vec<_>, Vec<_>) =
        target.items(app).await.into_iter().partition(|item| item.kind() == "AUDIT");
    let is_left_out = |item: &Item| ["CHANGED", "CONTROLS", "IMPORT", "SCHEDULES"].contains(&&*item.kind());
    (others.into_iter().filter(|item| !is_left_out(item)).collect(), trail.len())
}

/// Returns every write, with the check that it is done.
fn all() -> [Write; 21] {
    [
        Write { run: |org| create_key(org).boxed(), done: |org| has_two_keys(org).boxed(), in_steps: false },
        Write { run: |org| delete_key(org).boxed(), done: |org| has_no_key(org).boxed(), in_steps: false },
        Write { run: |org| add_third_tenant(org).boxed(), done: |org| has_third_tenant(org).boxed(), in_steps: false },
        Write { run: |org| pause(org).boxed(), done: |org| is_paused(org).boxed(), in_steps: false },
        Write { run: |org| rename(org).boxed(), done: |org| is_renamed(org).boxed(), in_steps: false },
        Write { run: |org| remove(org).boxed(), done: |org| is_removed(org).boxed(), in_steps: true },
        Write { run: |org| erase(org).boxed(), done: |org| is_erased(org).boxed(), in_steps: true },
        Write { run: |org| delete_removed(org).boxed(), done: |org| has_deleted_removed(org).boxed(), in_steps: true },
        Write { run: |org| add_report(org).boxed(), done: |org| has_report(org).boxed(), in_steps: false },
        Write { run: |org| add_trend(org).boxed(), done: |org| has_trend(org).boxed(), in_steps: false },
        Write { run: |org| edit_report(org).boxed(), done: |org| is_edited(org).boxed(), in_steps: false },
        Write { run: |org| record_usage(org).boxed(), done: |org| has_usage(org).boxed(), in_steps: false },
        Write { run: |org| record_users(org).boxed(), done: |org| has_users(org).boxed(), in_steps: false },
        Write { run: |org| request(org).boxed(), done: |org| is_requested(org).boxed(), in_steps: false },
        Write { run: |org| fail_request(org).boxed(), done: |org| has_failed_request(org).boxed(), in_steps: false },
        Write { run: |org| schedule(org).boxed(), done: |org| is_scheduled(org).boxed(), in_steps: false },
        Write { run: |org| schedule_all(org).boxed(), done: |org| is_all_scheduled(org).boxed(), in_steps: false },
        Write { run: |org| request_due(org).boxed(), done: |org| is_due_requested(org).boxed(), in_steps: true },
        Write { run: |org| connect(org).boxed(), done: |org| is_connected(org).boxed(), in_steps: false },
        Write { run: |org| create_other(org).boxed(), done: |org| has_other(org).boxed(), in_steps: false },
        Write { run: |org| delete(org).boxed(), done: |org| is_deleted(org).boxed(), in_steps: true },
    ]
}

#[tokio::test]
async fn a_throttled_write_waits_and_completes() {
    all_wait_for_capacity(all()).await;
}

/// Tries writes with every way and every pattern of throttling.
pub(super) async fn all_wait_for_capacity<S: Subject>(writes: impl IntoIterator<Item = Write<S>>) {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let throttled = [Fault::Throttled, Fault::ThrottledTransaction];
    for (number, write) in writes.into_iter().enumerate() {
        for fault in throttled {
            for pattern in ["the first", "every second", "all but the last"] {
                let clean = S::prepared(&app.app.store).await;
                match pattern {
                    "the first" => faulty.plan(fault, 0..ONCE),
                    "every second" => faulty.plan_every_second(fault),
                    // Per call: far longer than the SDK alone retries.
                    _ => faulty.plan(fault, 0..THROTTLED_LONG),
                }
                let outcome = (write.run)(clean.over(&faulty)).await;
                let case = format!("write {number}, {fault:?} {pattern}: {:?}", faulty.made().len());
                assert!(outcome.is_ok(), "{case}: {outcome:?}");
                assert!((write.done)(clean.clone()).await, "{case}: not done");
                assert_eq!(clean.target().inspect().await.unwrap().discrepancies, [], "{case}");
            }
        }
    }
}

#[tokio::test]
async fn creating_a_key_is_complete_or_has_no_effect() {
    let write = Write { run: |org| create_key(org).boxed(), done: |org| has_two_keys(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn deleting_a_key_is_complete_or_has_no_effect() {
    let write = Write { run: |org| delete_key(org).boxed(), done: |org| has_no_key(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn adding_a_trend_is_complete_or_has_no_effect() {
    let write = Write { run: |org| add_trend(org).boxed(), done: |org| has_trend(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn connecting_a_tenant_is_complete_or_has_no_effect() {
    let write = Write { run: |org| connect(org).boxed(), done: |org| is_connected(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn adding_a_tenant_is_complete_or_has_no_effect() {
    let write =
        Write { run: |org| add_third_tenant(org).boxed(), done: |org| has_third_tenant(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn pausing_a_tenant_is_complete_or_has_no_effect() {
    let write = Write { run: |org| pause(org).boxed(), done: |org| is_paused(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn renaming_a_tenant_is_complete_or_has_no_effect() {
    let write = Write { run: |org| rename(org).boxed(), done: |org| is_renamed(org).boxed(), in_steps: true };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn removing_a_tenant_is_complete_or_has_no_effect() {
    let write = Write { run: |org| remove(org).boxed(), done: |org| is_removed(org).boxed(), in_steps: true };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn erasing_a_tenant_is_complete_or_completed_by_another_run() {
    let write = Write { run: |org| erase(org).boxed(), done: |org| is_erased(org).boxed(), in_steps: true };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn adding_a_report_is_complete_or_has_no_effect() {
    let write = Write { run: |org| add_report(org).boxed(), done: |org| has_report(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn editing_a_report_is_complete_or_has_no_effect() {
    let write = Write { run: |org| edit_report(org).boxed(), done: |org| is_edited(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn deleting_a_report_is_complete_or_has_no_effect() {
    let write =
        Write { run: |org| delete_report(org).boxed(), done: |org| has_one_report(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn recording_usage_is_complete_or_has_no_effect() {
    let write: Write<Recorded> =
        Write { run: |of| record_usage(of.0).boxed(), done: |of| has_usage(of.0).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn recording_billable_users_is_complete_or_has_no_effect() {
    let write: Write<Recorded> =
        Write { run: |of| record_users(of.0).boxed(), done: |of| has_users(of.0).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn requesting_a_report_is_complete_or_has_no_effect() {
    let write = Write { run: |org| request(org).boxed(), done: |org| is_requested(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn ending_a_request_is_complete_or_has_no_effect() {
    let write =
        Write { run: |org| fail_request(org).boxed(), done: |org| has_failed_request(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn creating_an_organization_is_complete_or_has_no_effect() {
    let write = Write { run: |org| create_other(org).boxed(), done: |org| has_other(org).boxed(), in_steps: false };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}

#[tokio::test]
async fn deleting_the_organization_is_complete_or_has_no_effect() {
    let write = Write { run: |org| delete(org).boxed(), done: |org| is_deleted(org).boxed(), in_steps: true };
    write.is_whole_or_not_at_all_and_completed_by_another_run().await;
}
