//! The work on a request for a report under faults: the report comes once, from one run that goes on from its last step.

use std::ops::Range;

use collect::{WorkError, Worker};
use futures_util::FutureExt;
use operations::requests::Message;
use serde_json::{Value, json};
use store::{AuditAction, RequestState};

use super::{A_WHILE, FEW, FOR_GOOD, Fault, FaultyStore, ONCE, cases_in_turn, passes};
use crate::requests::Bench;
use crate::support::later;

/// Calls of the longest step, all of which are made again if it is not stored.
const LONGEST_STEP: u64 = 3;

impl Bench {
    /// Works on a request over a connection with faults.
    async fn work_over(&self, faulty: &FaultyStore, message: &Message) -> Result<(), WorkError> {
        let worker = Worker { store: faulty.store.clone(), ..self.worker() };
        // Unoptimized, the work on several requests would not fit a test's stack.
        worker.work(message, None).boxed().await
    }

    /// Returns everything that a completed request leaves, without identifiers and times of steps.
    async fn left(&self) -> Value {
        let (request, report) = (self.state().await, self.report().await);
        assert_eq!((&json!(request.report_id), request.state), (&report["id"], RequestState::Completed));
        assert!(request.position.is_empty());
        let client = self.app.org_a();
        let usage = client.get("/v1/usage?asOf=2026-07-15").await.json();
        let users = client.get(&format!("/beta/billable-users?tenantId={}", self.tenant)).await.json();
        let trail = self.app.org_a.organization.audit_trail(None, 100, later()).await.unwrap().0;
        let added = trail.iter().filter(|entry| entry.action == AuditAction::ReportAdded).count();
        let snapshots = self.snapshots().iter().filter(|name| name.ends_with(".jsonl.gz")).count();
        let discrepancies = self.app.org_a.organization.inspect().await.unwrap().discrepancies;
        json!({
            "steps": [request.done, request.steps],
            "report": [report["createdAt"], report["checks"], report["globalAdmins"], report["score"]],
            "usage": usage["tenants"],
            "users": users["users"],
            "added": added,
            "snapshots": snapshots,
            "discrepancies": discrepancies.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }
}

/// Works on a request under a fault, and once more if its message is delivered again. Returns whether it was.
async fn is_delivered_again(fault: Fault, attempts: Range<usize>, right: &Value, asked: u64) -> bool {
    let bench = Bench::new().await;
    let (message, faulty) = (bench.request().await, FaultyStore::over(&bench.app.engine).await);
    faulty.plan(fault, attempts.clone());
    let outcome = bench.work_over(&faulty, &message).await;
    let case = format!("{fault:?} at {attempts:?} of {:?}", faulty.made());
    assert!(outcome.is_ok() || !passes(&attempts), "{case}: {outcome:?}");
    if outcome.is_err() {
        bench.worker().work(&message, None).boxed().await.unwrap();
    }
    assert_eq!(bench.left().await, *right, "{case}");
    let (again, calls) = (outcome.is_err(), bench.stand_in.counts().calls);
    assert!(calls <= asked + u64::from(again) * LONGEST_STEP, "{case}: {calls} calls, a step was lost");
    again
}

#[tokio::test(start_paused = true)]
async fn a_request_becomes_one_report_whatever_call_fails() {
    let bench = Bench::new().await;
    let (message, faulty) = (bench.request().await, FaultyStore::over(&bench.app.engine).await);
    bench.work_over(&faulty, &message).await.unwrap();
    let (calls, right, asked) = (faulty.made(), bench.left().await, bench.stand_in.counts().calls);
    assert!(right["users"].as_array().is_some_and(|users| !users.is_empty()));
    let (mut tried, mut again) = (0, 0);
    for (fault, attempts) in cases_in_turn(&calls, &[ONCE, A_WHILE, FOR_GOOD], 2 * FEW) {
        tried += 1;
        again += usize::from(is_delivered_again(fault, attempts, &right, asked).boxed().await);
    }
    eprintln!("{tried} faults at {} calls: {again} messages were delivered again", calls.len());
    assert!(again > 0);
}
