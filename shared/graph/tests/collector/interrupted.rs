//! Runs that are killed: another process goes on from the stored position, and the snapshot is the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending};
use graph::{Body, Broken, Position, Transport};
use hyper::{Request, Response};
use tokio::time::timeout;

use crate::support::{Bench, Run, id, tenant};

/// Stops for ever at a request.
struct StopsAt {
    inner: Arc<dyn Transport>,
    left: AtomicUsize,
}

impl Transport for StopsAt {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>> {
        match self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
            Ok(_) => self.inner.send(request),
            Err(_) => pending().boxed(),
        }
    }
}

fn bench() -> Bench {
    Bench::new(vec![tenant(1, 150)])
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_killed_at_any_request_goes_on_to_the_same_snapshot() {
    let whole = bench().run(&id(1)).await;
    let requests = usize::try_from(bench_calls().await).unwrap();
    for kill in 0..requests {
        let stops = |inner| -> Arc<dyn Transport> { Arc::new(StopsAt { inner, left: AtomicUsize::new(kill) }) };
        let first = bench().through(stops);
        let mut position = first.begin(&id(1));
        let mut parts = std::collections::BTreeMap::new();
        // A request that takes half a minute is the one that it was killed at.
        while let Ok(advanced) = timeout(Duration::from_secs(30), first.collector.advance(&mut position)).await {
            let place = position.advances();
            parts.insert(place, advanced.unwrap().unwrap());
        }
        let stored = serde_json::to_string(&position).unwrap();
        let mut position: Position = serde_json::from_str(&stored).unwrap();
        let second = bench();
        while let Some(responses) = second.collector.advance(&mut position).await.unwrap() {
            parts.insert(position.advances(), responses);
        }
        let completion = position.completion(second.collector.clock.now().try_into().unwrap()).unwrap();
        let run = Run { responses: parts.into_values().flatten().collect(), completion };
        assert_eq!(run.bodies(), whole.bodies(), "killed at request {kill}");
        assert_eq!(run.completion.responses, whole.completion.responses);
        assert_eq!(run.completion.activity_lookback_days, whole.completion.activity_lookback_days);
    }
}

async fn bench_calls() -> u64 {
    let bench = bench();
    bench.run(&id(1)).await;
    bench.stand_in.counts().calls
}

#[tokio::test(start_paused = true)]
async fn a_position_of_another_plan_is_refused() {
    let bench = bench();
    let mut stored = serde_json::to_value(bench.begin(&id(1))).unwrap();
    stored["plan"] = 0.into();
    let mut position: Position = serde_json::from_value(stored).unwrap();
    assert_eq!(bench.collector.advance(&mut position).await, Err(graph::CollectError::OtherPlan));
}

#[test]
fn a_position_shows_neither_links_nor_people() {
    let position = bench().begin(&id(1));
    assert_eq!(format!("{position:?}"), "Position { step: 0, advances: 0, .. }");
}
