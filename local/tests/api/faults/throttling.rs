//! The service on a table with limits. The numbers are small, so that every change can run this; the variables below
//! set larger ones.

use std::io::BufReader;
use std::time::{Duration, SystemTime};

use api::App;
use aws_sdk_dynamodb::config::AsyncSleep;
use flate2::bufread::GzDecoder;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use model::{ReportBody, ServiceTenantId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use store::{NewReport, Organization, ReportError, TenantError};

use super::limits::LimitedStore;
use super::{Fault, FaultyStore};
use crate::support::{DASHBOARD, TestApp, by_operator, large_report, time};

/// Number of concurrent imports.
const AT_ONCE: usize = 40;
/// First wait of an import after a conflict.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest wait of an import after a conflict.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Returns a number from the environment.
pub(super) fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |number| number.parse().unwrap())
}

/// Returns a report that stays large when deflated: about 230 bytes per check, so 47 KB for 200 checks.
fn heavy_report(completed_at: &str, checks: usize) -> Value {
    let mut report = large_report(completed_at, 0);
    let mut random = fastrand::Rng::with_seed(checks as u64);
    let template = report["checks"][0].clone();
    let check = |number: usize| {
        let mut check = template.clone();
        check["controlId"] = format!("H.{number}").into();
        check["currentState"] = (0..300).map(|_| random.alphanumeric()).collect::<String>().into();
        check
    };
    report["checks"] = (0..checks).map(check).collect();
    report
}

/// Returns when the report of a number completed.
pub(super) fn moment(number: usize) -> String {
    format!("2026-06-{:02}T{:02}:{:02}:00.000Z", number / 1440 + 1, number / 60 % 24, number % 60)
}

/// Adds a report like an import does: again after a conflict, with a wait of random length.
async fn add(limited: &LimitedStore, organization: &Organization, tenant: &ServiceTenantId, number: usize) {
    let at = moment(number);
    let body = ReportBody::deserialize(heavy_report(&at, 200)).unwrap();
    let id = format!("rpt_{number:05}").parse().unwrap();
    let mut wait = FIRST_WAIT;
    for _ in 0..60 {
        let tenant = organization.tenant(tenant).await.unwrap().unwrap();
        let new = NewReport {
            id: &id,
            tenant: &tenant,
            tool: "ScubaGear",
            body: &body,
            revisions: &Default::default(),
            content: None,
        };
        match by_operator(organization, body.figures.completed_at).add_report(new).await {
            Ok(()) => return,
            Err(ReportError::TenantChanged) => {}
            Err(error) if matches!(&error, ReportError::Store(store) if store.is_conflict()) => {}
            Err(error) => panic!("report {number}: {error}"),
        }
        limited.clock.sleep(wait.mul_f64(1.0 + fastrand::f64())).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
    panic!("report {number} never got through");
}

#[tokio::test]
async fn waits_for_capacity_end_with_the_invocation() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    let endpoint = App::new(faulty.store.clone(), DASHBOARD);
    let ended = endpoint.until(SystemTime::UNIX_EPOCH);
    // Before the first wait would be over.
    let ending = endpoint.until(SystemTime::now() + Duration::from_millis(20));
    for (app_of_call, is_ended) in [(&endpoint, false), (&ended, true), (&ending, true)] {
        let organization = app_of_call.store.organization(app.org_a.organization.id());
        faulty.plan(Fault::Throttled, 0..20);
        let read = organization.tenant(&app.org_a.tenants[0]).await;
        assert_eq!(read.is_err_and(|error| error.is_transient()), is_ended);
        // Without time left, there is only the call with the SDK's own retries.
        assert_eq!(faulty.made().len() > 20, !is_ended, "{:?}", faulty.made());
    }
}

#[tokio::test]
async fn only_a_lack_of_capacity_is_waited_for() {
    let app = TestApp::new().await;
    let faulty = FaultyStore::over(&app.engine).await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &large_report("2026-06-01T00:00:00.000Z", 0)).await;
    let client = faulty.client(&app);
    for operation in ["GetItem", "BatchGetItem"] {
        faulty.plan(Fault::Refused, 0..0);
        client.get("/v1/posture-reports").await.success();
        let first = faulty.made().iter().position(|made| made == operation).unwrap();
        for (fault, is_waited_for) in [(Fault::Throttled, true), (Fault::ServerError, false)] {
            let last = first + 20;
            faulty.plan(fault, first..last);
            let status = client.get("/v1/posture-reports").await.status;
            assert_eq!((status == 200, faulty.made().len() > last), (is_waited_for, is_waited_for), "{operation}");
        }
    }
    faulty.forget();
    let organization = faulty.store.organization(app.org_a.organization.id());
    let writer = by_operator(&organization, time("2026-07-01T00:00:00Z"));
    let unknown = writer.rename_tenant(&"ten_unknown".parse().unwrap(), &"A name".parse().unwrap()).await;
    assert!(matches!(unknown, Err(TenantError::NotFound(_))), "{unknown:?}");
    assert_eq!(faulty.made(), ["GetItem"]);
}

#[tokio::test]
async fn many_reports_for_one_organization_all_get_in() {
    let app = TestApp::new().await;
    let limited = LimitedStore::over(&app.engine).await;
    let organization = limited.store.organization(app.org_a.organization.id());
    let reports = number("LIMITED_IMPORTS", 60);
    let added = (0..reports).map(|number| add(&limited, &organization, &app.org_a.tenants[number % 2], number));
    stream::iter(added).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await;
    let inspection = app.org_a.organization.inspect().await.unwrap();
    assert_eq!((inspection.reports, inspection.discrepancies), (reports, vec![]));
    eprintln!("{reports} reports in {:?} of the table's time, {} refusals", limited.clock.now(), limited.refused());
}

/// A response that was read to its end.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    reports: Vec<IgnoredAny>,
    total_reports: usize,
}

#[tokio::test]
async fn responses_that_are_read_at_once_are_all_whole() {
    let app = TestApp::new().await;
    let reports = number("LIMITED_REPORTS", 40);
    for number in 0..reports {
        let at = moment(number);
        app.org_a.add_report(&app.org_a.tenants[0], &format!("rpt_{number:05}"), &heavy_report(&at, 300)).await;
    }
    let limited = LimitedStore::over(&app.engine).await;
    let client = FaultyStore::client_of(&limited.store, &app);
    let path = format!("/v1/posture-reports?latestOnly=false&limit={reports}");
    let responses = join_all((0..number("LIMITED_RESPONSES", 10)).map(|_| client.get_gzip(&path))).await;
    for response in &responses {
        assert_eq!((response.status, response.header("content-encoding")), (200, Some("gzip")));
        // Responses of the full size are too large to be kept unpacked.
        let response: Whole = serde_json::from_reader(BufReader::new(GzDecoder::new(&*response.body))).unwrap();
        assert_eq!((response.total_reports, response.reports.len()), (reports, reports));
    }
    let (count, time, refused) = (responses.len(), limited.clock.now(), limited.refused());
    eprintln!("{count} responses of {reports} reports in {time:?} of the table's time, {refused} refusals");
}

#[tokio::test]
async fn a_rename_is_one_write_whatever_the_number_of_reports() {
    let app = TestApp::new().await;
    let reports = number("LIMITED_RENAME", 20);
    for number in 0..reports {
        let at = moment(number);
        app.org_a.add_report(&app.org_a.tenants[0], &format!("rpt_{number:05}"), &heavy_report(&at, 200)).await;
    }
    let limited = LimitedStore::over(&app.engine).await;
    let organization = limited.store.organization(app.org_a.organization.id());
    let writer = by_operator(&organization, time("2026-07-01T00:00:00Z"));
    writer.rename_tenant(&app.org_a.tenants[0], &"New name".parse().unwrap()).await.unwrap();
    // No response has more.
    let most = reports.min(500);
    let path = format!("/v1/posture-reports?latestOnly=false&limit={most}");
    let response = app.org_a().get(&path).await.success();
    let response = response["reports"].as_array().unwrap();
    assert_eq!(response.len(), most);
    assert!(response.iter().all(|report| report["tenant"]["name"] == "New name"));
    assert_eq!((limited.clock.now(), limited.refused()), (Duration::ZERO, 0));
}
