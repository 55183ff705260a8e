//! Reads: a success is never wrong or incomplete.

use api::App;
use http_body_util::BodyExt;
use local::{Functions, Gateway, Limits, TEMPLATE};
use model::ReportBody;
use serde_json::Value;

use super::{A_WHILE, FOR_GOOD, Fault, FaultyStore, ONCE, cases, passes, target};
use crate::support::{Client, DASHBOARD, TestApp, baseline_report, by_operator, follow_up_report, time};

/// Requests that use every kind of read.
const REQUESTS: [&str; 18] = [
    "/v1/tenants",
    "/v1/usage",
    "/beta/billable-users?tenantId=ten_a1",
    "/v1/posture-reports",
    "/v1/posture-reports?latestOnly=false",
    "/v1/posture-reports?tenantId=ten_a1",
    "/v1/posture-reports?tenantId=ten_a1&latestOnly=false",
    "/v1/posture-reports/rpt_second",
    "/v1/posture-reports/rpt_unknown",
    "/v1/report-summaries?latestOnly=false",
    "/v1/report-summaries?tenantId=ten_a1",
    "/v1/controls",
    "/v1/controls/X.1",
    "/v1/controls/X.1?tool=scubagear&status=OPEN",
    "/v1/events",
    "/v1/trends?startDate=2025-08-01",
    "/v1/events?tenantId=ten_a1&kind=report.completed",
    "/v1/posture-reports?tenantId=61746573-7400-4000-8000-000000000000",
];

#[tokio::test]
async fn every_read_is_right_or_fails_cleanly() {
    let app = filled().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let client = faulty.client(&app);
    let is_read = |path: &String| {
        let path = path.replace("{reportId}", "rpt_second").replace("{controlId}", "X.1");
        REQUESTS.iter().any(|request| request.split('?').next() == Some(&path))
    };
    assert!(app.paths.iter().all(is_read), "a route of the template is not read: {:?}", app.paths);
    for request in REQUESTS {
        faulty.plan(Fault::Refused, 0..0);
        let right = response(&client, request).await;
        assert!(matches!(right.0, 200 | 404), "{request}");
        let calls = faulty.made();
        assert!(calls.len() >= 2, "{request} looks up the key and reads: {calls:?}");
        for (fault, attempts) in cases(&calls, &[ONCE, A_WHILE, FOR_GOOD]) {
            faulty.plan(fault, attempts.clone());
            let outcome = response(&client, request).await;
            let case = format!("{request}: {fault:?} at {attempts:?} of {:?}", faulty.made());
            judge(&case, passes(&attempts), outcome, &right);
        }
    }
}

#[tokio::test]
async fn every_conditional_read_is_right_or_fails_cleanly() {
    let app = filled().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let client = faulty.client(&app);
    let mut outdated = Vec::new();
    for request in REQUESTS {
        let tag = client.get(request).await.header("etag").map(str::to_owned);
        outdated.extend(tag.map(|tag| (request, tag)));
    }
    change_every_response(&app).await;
    let (mut unchanged, mut anew) = (0, 0);
    for (request, outdated) in outdated {
        faulty.forget();
        let current = client.get(request).await.header("etag").unwrap().to_owned();
        assert_ne!(current, outdated, "{request}");
        for (held, status) in [(current, 304), (outdated, 200)] {
            faulty.forget();
            let right = response_if_changed(&client, request, &held).await;
            assert_eq!(right.0, status, "{request}");
            for (fault, attempts) in cases(&faulty.made(), &[ONCE, FOR_GOOD]) {
                faulty.plan(fault, attempts.clone());
                let outcome = response_if_changed(&client, request, &held).await;
                let case = format!("{request}, {status}: {fault:?} at {attempts:?} of {:?}", faulty.made());
                judge(&case, passes(&attempts), outcome, &right);
                *(if status == 304 { &mut unchanged } else { &mut anew }) += 1;
            }
        }
    }
    eprintln!("{unchanged} faults with a current tag and {anew} with an outdated one");
    assert!(unchanged > 0 && anew > unchanged);
}

#[tokio::test]
async fn a_batch_is_read_to_its_end_while_it_goes_on_and_no_longer() {
    let app = TestApp::new().await;
    // Of the last batch, so many that one by one they take longer than a wait without progress.
    for number in 0..140 {
        let at = format!("2026-06-01T{:02}:{:02}:00.000Z", number / 60, number % 60);
        app.org_a.add_report(&app.org_a.tenants[0], &format!("rpt_{number:03}"), &baseline_report(&at)).await;
    }
    let faulty = FaultyStore::over(&app.engine).await;
    let client = faulty.client(&app);
    let all = "/v1/posture-reports?latestOnly=false&limit=500";
    let right = response(&client, all).await;
    for fault in [Fault::SlowBatch, Fault::StaleBatch] {
        faulty.plan(fault, 0..FOR_GOOD);
        let read = response(&client, all).await;
        assert!(read == right, "{fault:?}: status {}, {} bytes", read.0, read.1.len());
    }
    // Half of one item is none.
    faulty.plan(Fault::HalfBatch, 0..1_000);
    client.get("/v1/posture-reports").await.failure(503, "UNAVAILABLE");
}

/// Changes what every request reads.
async fn change_every_response(app: &TestApp) {
    let organization = &app.org_a.organization;
    let writer = by_operator(organization, time("2026-07-01T00:00:00Z"));
    writer.rename_tenant(&app.org_a.tenants[0], &"Renamed".parse().unwrap()).await.unwrap();
    let edit = |body: &mut ReportBody| {
        body.figures.score = 1;
        Ok::<_, std::convert::Infallible>(())
    };
    let edited = "rpt_second".parse().unwrap();
    writer.edit_report(&edited, edit).await.unwrap();
    target::record_usage_and_users(app).await;
}

/// A fault that passes must not show; one that stays must not make another response.
fn judge(case: &str, passes: bool, outcome: (u16, Vec<u8>), right: &(u16, Vec<u8>)) {
    if outcome == *right {
        return;
    }
    assert!(!passes, "{case}: status {}, {} bytes", outcome.0, outcome.1.len());
    let (status, body) = outcome;
    let read = serde_json::from_slice::<Value>(&body);
    match status {
        200 => assert!(read.is_err(), "{case}: a complete response where none was possible"),
        500 | 503 => {
            let error = &read.unwrap()["error"];
            assert!(matches!(error["code"].as_str(), Some("INTERNAL_ERROR" | "UNAVAILABLE")), "{case}: {error}");
        }
        _ => panic!("{case}: status {status}"),
    }
}

impl FaultyStore {
    /// Returns a client of the service over this connection.
    pub(crate) fn client(&self, app: &TestApp) -> Client {
        Self::client_of(&self.store, app)
    }

    /// Returns a client of the service on a store.
    pub(crate) fn client_of(store: &store::Store, app: &TestApp) -> Client {
        let over = App { clock: app.app.clock, ..App::new(store.clone(), DASHBOARD) };
        let gateway = Gateway::from_template(TEMPLATE, &Functions::of(&over), &Limits::Off).unwrap();
        Client::of(gateway.into_router(), &format!("Bearer {}", app.org_a.key))
    }

    /// Removes all faults and restarts the count.
    pub(crate) fn forget(&self) {
        self.plan(Fault::Refused, 0..0);
    }
}

/// Status and body of the response to a client that holds a tag.
async fn response_if_changed(client: &Client, request: &str, tag: &str) -> (u16, Vec<u8>) {
    let response = client.get_if_changed(request, tag).await;
    (response.status, response.body.to_vec())
}

/// Returns status and body of the response.
async fn response(client: &Client, request: &str) -> (u16, Vec<u8>) {
    let response = client.open(request).await;
    let status = response.status().as_u16();
    (status, response.into_body().collect().await.unwrap().to_bytes().to_vec())
}

/// Returns a service with data at every endpoint: enough reports for several batches.
async fn filled() -> TestApp {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    for number in 0..30 {
        let minute = format!("2026-06-01T10:{number:02}:00.000Z");
        app.org_a.add_report(first, &format!("rpt_{number:03}"), &baseline_report(&minute)).await;
    }
    app.org_a.add_report(second, "rpt_second", &follow_up_report("2026-06-02T00:00:00.000Z")).await;
    target::record_usage_and_users(&app).await;
    app
}
