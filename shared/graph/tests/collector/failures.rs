//! Servers that fail now and then.

use futures_util::future::join_all;
use stand_in::Quirks;

use crate::support::{Bench, id, tenant};

#[tokio::test(start_paused = true)]
async fn a_run_survives_failures_and_names_those_that_last() {
    let tenants = (0..40).map(|number| {
        let mut tenant = tenant(number, 120);
        tenant.quirks = Quirks { failures_per_mille: 150, ..Quirks::default() };
        tenant
    });
    let bench = Bench::new(tenants.collect());
    let ids: Vec<_> = (0..40).map(id).collect();
    let runs = join_all(ids.iter().map(|id| bench.run(id))).await;
    let responses = runs.iter().map(|run| run.responses.len()).sum::<usize>();
    let named: Vec<_> = runs.iter().flat_map(|run| run.refused().into_values()).collect();
    let reasons = ["500", "502", "503", "504", "Unreachable", "TimedOut", "Malformed"];
    assert!(named.iter().all(|reason| reasons.contains(&reason.as_str())), "{named:?}");
    // Three attempts fail in a row at 15 percent once in 300.
    assert!(named.len() * 100 < responses, "{} of {responses}", named.len());
    for run in &runs {
        assert_eq!(run.completion.responses, run.responses.len());
    }
}
