//! Runs without disturbance.

use std::collections::BTreeSet;
use std::time::Duration;

use model::snapshot::endpoint;
use stand_in::Quirks;
use tokio::time::Instant;

use crate::support::{Bench, id, tenant};

#[tokio::test(start_paused = true)]
async fn every_endpoint_is_read_whole() {
    let bench = Bench::new(vec![tenant(1, 50)]);
    let run = bench.run(&id(1)).await;
    assert_eq!(run.refused(), [].into());
    assert_eq!(run.completion.responses, run.responses.len());
    assert_eq!(run.completion.activity_lookback_days, 30);
    let endpoints: BTreeSet<_> = run.responses.iter().map(|response| response.endpoint.as_str()).collect();
    for endpoint in [
        endpoint::ORGANIZATION,
        endpoint::CONDITIONAL_ACCESS_POLICIES,
        endpoint::OBJECTS_BY_ID,
        endpoint::SIGN_INS,
        endpoint::RISKY_USERS,
        "/v1.0/reports/getOffice365ActiveUserDetail(period='D90')",
        endpoint::DNS,
    ] {
        assert!(endpoints.contains(endpoint), "{endpoint}");
    }
    assert!(run.responses.iter().all(|response| response.body.get("@odata.nextLink").is_none()));
    // The sign-ins of all four administrators: three hold the role themselves, and one is eligible and in a group.
    let filter = &run.of(endpoint::SIGN_INS).next().unwrap().query;
    assert_eq!(filter.matches("userId eq").count(), 4, "{filter}");
    let lines = run.of("/v1.0/reports/getEmailAppUsageUserDetail(period='D30')").next().unwrap().body.clone();
    assert_eq!(lines.as_array().unwrap().len(), 51);
    assert!(lines[0].as_str().unwrap().starts_with("Report Refresh Date,"));
}

/// The figures of docs/COLLECTOR.md.
#[tokio::test(start_paused = true)]
async fn calls_and_time_grow_slowly_with_the_tenant() {
    let mut figures = Vec::new();
    for users in [50, 1_000, 20_000] {
        let bench = Bench::new(vec![tenant(1, users)]);
        let began = Instant::now();
        let run = bench.run(&id(1)).await;
        let counts = bench.stand_in.counts();
        assert_eq!(run.refused(), [].into());
        assert_eq!(run.ids(endpoint::USERS).len(), users);
        assert_eq!(counts.throttled, 0);
        figures.push((users, counts.calls, counts.requests["logs"], began.elapsed().as_secs()));
    }
    assert_eq!(figures, [(50, 24, 4, 2), (1_000, 25, 4, 2), (20_000, 63, 23, 41)]);
}

#[tokio::test(start_paused = true)]
async fn pages_may_repeat_rows_be_empty_or_expire() {
    for quirks in [
        Quirks { rows_repeat: true, ..Quirks::default() },
        Quirks { page_is_empty: true, ..Quirks::default() },
        Quirks { link_expires: true, ..Quirks::default() },
    ] {
        let mut changing = tenant(1, 2_500);
        changing.quirks = quirks;
        let run = Bench::new(vec![changing]).run(&id(1)).await;
        assert_eq!(run.refused(), [].into(), "{quirks:?}");
        let ids = run.ids(endpoint::USERS);
        let distinct: BTreeSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), 2_500, "{quirks:?}");
        let last = run.of(endpoint::USERS).filter(|page| !page.more).count();
        assert_eq!(last, 1, "{quirks:?}: only the last page says that there are no more");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_log_shortens_the_days_that_it_covers() {
    // The administrators of this tenant are in the log 20,000 times and more.
    let bench = Bench::new(vec![tenant(1, 50)]).through(crate::hostile::with_endless_sign_ins);
    let run = bench.run(&id(1)).await;
    assert_eq!(run.refused(), [].into());
    assert_eq!(run.of(endpoint::SIGN_INS).count(), 40, "20 pages of each query");
    assert_eq!(run.completion.activity_lookback_days, 9);
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_after_two_hours() {
    let bench = Bench::new(vec![tenant(1, 50)]);
    let mut position = bench.begin(&id(1));
    let first = bench.collector.advance(&mut position).await.unwrap().unwrap();
    assert_eq!(first.len(), 3);
    tokio::time::sleep(Duration::from_secs(2 * 3_600 + 1)).await;
    let mut rest = Vec::new();
    while let Some(responses) = bench.collector.advance(&mut position).await.unwrap() {
        rest.extend(responses);
    }
    assert!(rest.iter().all(|response| format!("{:?}", response.failure) == "Some(OutOfTime)"));
    assert_eq!(bench.stand_in.counts().calls, 1, "nothing more was asked");
}
