//! Microsoft's limits, which the pace keeps.

use std::sync::Arc;

use futures_util::future::join_all;
use graph::{Collector, Pace};
use model::snapshot::endpoint;
use stand_in::Plan;
use tokio::time::Instant;

use crate::support::{Bench, id, tenant};

#[tokio::test(start_paused = true)]
async fn many_tenants_at_once_stay_within_the_limits() {
    let tenants = (0..150).map(|number| {
        let mut tenant = tenant(number, [5, 50, 300, 1_200][number % 4]);
        tenant.plan = [Plan::Free, Plan::P1, Plan::P2][number % 3];
        tenant
    });
    let bench = Bench::new(tenants.collect());
    let began = Instant::now();
    let ids: Vec<_> = (0..150).map(id).collect();
    let runs = join_all(ids.iter().map(|id| bench.run(id))).await;
    let counts = bench.stand_in.counts();
    assert!(runs.iter().all(|run| !run.refused().values().any(|outcome| outcome == "429")));
    assert_eq!(counts.throttled, 0, "of {} requests", counts.total());
    // At 12 requests of logs in a second, of which most tenants need four.
    assert_eq!(counts.requests["logs"], 624);
    assert_eq!(began.elapsed().as_secs(), 53);
}

/// The limit of conditional access is shared with others, and says no time to wait.
#[tokio::test(start_paused = true)]
async fn a_service_that_others_use_up_is_asked_later() {
    let bench = Bench::new(vec![tenant(1, 50)]);
    // A collector that does not know of the first, such as another process.
    let other = Bench {
        stand_in: Arc::clone(&bench.stand_in),
        collector: Collector { pace: Arc::new(Pace::default()), ..bench.collector.clone() },
    };
    let tenant = id(1);
    let (first, second) = tokio::join!(bench.run(&tenant), other.run(&tenant));
    for run in [first, second] {
        assert_eq!(run.outcomes(endpoint::CONDITIONAL_ACCESS_POLICIES), ["200"]);
        assert_eq!(run.refused(), [].into());
    }
    assert!(bench.stand_in.counts().throttled > 0);
}

#[tokio::test(start_paused = true)]
async fn other_applications_cost_waits_and_no_responses() {
    let mut busy = tenant(1, 50);
    busy.quirks.others_per_mille = 600;
    let bench = Bench::new(vec![busy]);
    let run = bench.run(&id(1)).await;
    assert_eq!(run.refused(), [].into());
    assert_eq!(bench.stand_in.counts().throttled, 1);
}

/// Returns how many requests are throttled if two processes collect 60 tenants, each at a pace.
async fn throttled(paces: [Pace; 2]) -> u64 {
    let bench = Bench::new((0..60).map(|number| tenant(number, 5)).collect());
    let processes = paces.map(|pace| Bench {
        stand_in: Arc::clone(&bench.stand_in),
        collector: Collector { pace: Arc::new(pace), ..bench.collector.clone() },
    });
    let ids: Vec<_> = (0..60).map(id).collect();
    let runs = ids.iter().enumerate().map(|(place, id)| processes[place % 2].run(id));
    join_all(runs).await;
    bench.stand_in.counts().throttled
}

#[tokio::test(start_paused = true)]
async fn processes_share_the_limits_of_the_application() {
    assert_eq!(throttled([Pace::of_one_in(2), Pace::of_one_in(2)]).await, 0);
    assert_ne!(throttled([Pace::default(), Pace::default()]).await, 0);
}
