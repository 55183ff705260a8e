//! Retention and what a restore does with access, under faults and kills: complete, or completed by another run.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use futures_util::FutureExt;
use model::{MemberId, Timestamp};
use operations::{grants, retention};
use store::{ReportError, Store, StoreError};

use super::target::{Subject, TENANT, Target};
use super::writes::{Write, all_wait_for_capacity};
use super::{A_WHILE, FEW, FOR_GOOD, Fault, FaultyStore, ONCE, cases, cases_in_turn, one_of, passes};
use crate::support::{TestApp, follow_up_report, later, time};

/// An organization with reports that share their checks, of which two are no longer kept.
#[derive(Clone)]
struct Grown(Target);

impl Subject for Grown {
    async fn prepared(store: &Store) -> Self {
        let target = Target::prepared(&store.clone().sharing_equal_bodies(true)).await;
        for (number, day) in (3..).zip(["06-09", "06-16"]) {
            let report = follow_up_report(&format!("2026-{day}T00:00:00.000Z"));
            target.put_report(&format!("rpt_{number}"), report).await.unwrap();
        }
        Self(target)
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self(self.0.over(faulty))
    }

    fn target(&self) -> &Target {
        &self.0
    }
}

impl Grown {
    /// Prunes as the command does.
    async fn prune(self) -> Result<(), StoreError> {
        let now: Timestamp = time("2026-09-15T12:00:00Z");
        let Some(tenant) = self.0.tenant(&TENANT.parse().unwrap()).await? else { panic!("it exists") };
        for report in retention::outdated(&self.0, tenant, "1".parse().unwrap(), now).await? {
            match retention::delete(&self.0, &report.report_id, now).await {
                Ok(_) => {}
                Err(ReportError::Store(error)) => return Err(error),
                Err(error) => panic!("{error}"),
            }
        }
        Ok(())
    }

    async fn is_pruned(&self) -> bool {
        let mut left = Vec::new();
        for number in 1..=4 {
            let id = format!("rpt_{number}").parse().unwrap();
            if self.0.report(&id).await.unwrap().is_some_and(|report| report.tail.inflate().is_ok()) {
                left.push(number);
            }
        }
        left == [1, 4]
    }
}

const PRUNE: Write<Grown> = Write {
    run: |grown| grown.prune().boxed(),
    done: |grown| async move { grown.is_pruned().await }.boxed(),
    in_steps: true,
};

#[tokio::test]
async fn a_prune_under_faults_is_completed_by_another_run() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    faulty.plan(Fault::Refused, 0..0);
    Grown::prepared(&app.app.store).await.over(&faulty).prune().await.unwrap();
    let calls = faulty.made();
    let cases = cases_in_turn(&calls, &[ONCE, A_WHILE, FOR_GOOD], FEW);
    for (number, (fault, attempts)) in cases.into_iter().enumerate() {
        let clean = Grown::prepared(&app.app.store).await;
        faulty.plan(fault, attempts.clone());
        let outcome = clean.over(&faulty).prune().await;
        let case = format!("case {number}, {fault:?} at {attempts:?} of {:?}", faulty.made());
        assert!(outcome.is_ok() || !passes(&attempts), "{case}: {outcome:?}");
        assert_eq!(clean.0.inspect().await.unwrap().discrepancies, [], "{case}");
        if outcome.is_err() {
            clean.clone().prune().await.unwrap();
            assert_eq!(clean.0.inspect().await.unwrap().discrepancies, [], "{case}: after another run");
        }
        assert!(clean.is_pruned().await, "{case}");
    }
}

#[tokio::test]
async fn a_throttled_prune_waits_and_completes() {
    all_wait_for_capacity([PRUNE]).await;
}

#[tokio::test]
async fn a_prune_that_is_killed_anywhere_is_completed_by_another_run() {
    let app = TestApp::new().await;
    for polls in (1..).step_by(one_of(FEW)) {
        let grown = Grown::prepared(&app.app.store).await;
        let mut left = polls;
        let ended = {
            let mut killed = pin!(grown.clone().prune());
            let ended = poll_fn(|context| {
                left -= 1;
                match killed.as_mut().poll(context) {
                    Poll::Pending if left > 0 => Poll::Pending,
                    polled => Poll::Ready(polled.is_ready()),
                }
            });
            ended.await
        };
        assert_eq!(grown.0.inspect().await.unwrap().discrepancies, [], "after {polls} polls");
        grown.clone().prune().await.unwrap();
        assert_eq!(grown.0.inspect().await.unwrap().discrepancies, [], "after {polls} polls and another run");
        assert!(grown.is_pruned().await, "after {polls} polls");
        if ended {
            assert!(polls > 10, "it was killed in too few places: {polls}");
            return;
        }
    }
}

/// An organization in which two members are signed in.
#[derive(Clone)]
struct SignedIn(Target);

impl Subject for SignedIn {
    async fn prepared(store: &Store) -> Self {
        let target = Target::prepared(store).await;
        for _ in 0..2 {
            let member = MemberId::generate(later());
            store.sessions(target.id()).begin(member, later()).await.unwrap();
        }
        Self(target)
    }

    fn over(&self, faulty: &FaultyStore) -> Self {
        Self(self.0.over(faulty))
    }

    fn target(&self) -> &Target {
        &self.0
    }
}

const END_SESSIONS: Write<SignedIn> = Write {
    run: |of| async move { of.0.store.sessions(of.0.id()).end_all().await.map(drop) }.boxed(),
    done: |of| async move { of.0.store.sessions(of.0.id()).open(later()).await.unwrap().is_empty() }.boxed(),
    in_steps: true,
};

#[tokio::test]
async fn the_end_of_all_sessions_is_completed_by_another_run() {
    END_SESSIONS.is_whole_or_not_at_all_and_completed_by_another_run().await;
    all_wait_for_capacity([END_SESSIONS]).await;
}

#[tokio::test]
async fn whatever_gives_access_is_listed_whole_or_not_at_all() {
    let app = TestApp::new().await;
    let signed_in = SignedIn::prepared(&app.app.store).await;
    let faulty = FaultyStore::over(&app.engine).await;
    let listed = async || {
        let grants = grants(&faulty.store, later()).await;
        grants.map(|grants| serde_json::to_value(grants).unwrap())
    };
    faulty.plan(Fault::Refused, 0..0);
    let right = listed().await.unwrap();
    let sessions = right.as_array().unwrap().iter().filter(|grant| grant["kind"] == "session");
    assert_eq!(sessions.count(), 2, "of {}", signed_in.0.id());
    for (fault, attempts) in cases(&faulty.made(), &[ONCE, A_WHILE, FOR_GOOD]) {
        faulty.plan(fault, attempts.clone());
        match listed().await {
            Ok(listed) => assert_eq!(listed, right, "{fault:?} at {attempts:?}"),
            Err(error) => assert!(!passes(&attempts), "{fault:?} at {attempts:?}: {error}"),
        }
    }
}
