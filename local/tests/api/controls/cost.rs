//! The time and the cost of the lists with many tenants and controls.

use std::time::Instant;

use serde_json::{Value, json};

use crate::faults::{FaultyStore, LimitedStore};
use crate::support::{TestApp, baseline_report, tenant};

/// Returns a number from the environment: by default, few of 10,000 tenants, with 300 controls each.
fn scale(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |number| number.parse().unwrap())
}

/// Returns a report with controls, whose results are those of a tenant.
fn report(tenant: usize, controls: usize, completed_at: &str) -> Value {
    let mut random = fastrand::Rng::with_seed(tenant as u64);
    let mut body = baseline_report(completed_at);
    let first = body["checks"][0].clone();
    let checks = (0..controls).map(|number| {
        let status = ["SECURE", "SECURE", "SECURE", "OPEN", "OPEN", "NOT_ASSESSED", "DRIFTED", "FIXED"];
        let mut check = first.clone();
        check["controlId"] = json!(format!("MS.AAD.{}.{}", number / 10, number % 10));
        check["name"] = json!(format!("Control {number} of a tool SHALL be as it should be"));
        check["status"] = json!(random.choice(status).unwrap());
        check
    });
    body["checks"] = checks.collect();
    body
}

#[tokio::test]
async fn all_tenants_are_read_for_a_fraction_of_a_unit_each() {
    let (tenants, controls) = (scale("FLEET_TENANTS", 20), scale("FLEET_CONTROLS", 300));
    let app = TestApp::new().await;
    for number in 0..tenants {
        let id = format!("ten_{number:0>32}").parse().unwrap();
        app.org_a.add_tenant(&tenant(&id, &format!("Tenant number {number}"))).await;
        // As many reports as were seen to change since when a control is as it is.
        for month in 5..7 {
            let body = report(number * 7 + month, controls, &format!("2026-{month:02}-01T00:00:00.000Z"));
            let report = format!("rpt_{:0>30}{month:02}", number);
            app.org_a.add_report_of("ScubaGear", &id, &report, &body).await;
        }
    }
    let limited = LimitedStore::over(&app.engine).await;
    let client = FaultyStore::client_of(&limited.store, &app);
    let measured = async |path: &str| {
        let (before, began) = (limited.read_units(), Instant::now());
        let response = client.get_gzip(path).await;
        let (took, units) = (began.elapsed(), limited.read_units() - before);
        eprintln!("{path}: {} ms, {units} read units, {} bytes", took.as_millis(), response.body.len());
        assert_eq!(response.status, 200, "{path}");
        (units, serde_json::from_slice::<Value>(&response.gunzipped()).unwrap())
    };
    let (units, list) = measured("/v1/controls").await;
    assert_eq!(list["totalControls"], controls);
    let assessed = |control: &Value| {
        control["tenants"]["assessed"].as_u64().unwrap() + control["tenants"]["notAssessed"].as_u64().unwrap()
    };
    assert!(list["controls"].as_array().unwrap().iter().all(|control| assessed(control) == tenants as u64));
    // The list of controls, marks and names take what does not depend on the tenants.
    let most = 0.13 * tenants as f64 + 20.0;
    assert!(units <= most, "{units} read units for {tenants} tenants");
    let (units, one) = measured("/v1/controls/MS.AAD.3.3?limit=500").await;
    assert_eq!(one["totalTenants"], tenants.min(500));
    assert!(units <= most);
    measured("/v1/controls/MS.AAD.3.3?status=DRIFTED&limit=500").await;
    let tag = client.get("/v1/controls").await.header("etag").unwrap().to_owned();
    let before = limited.read_units();
    assert_eq!(client.get_if_changed("/v1/controls", &tag).await.status, 304);
    assert!(limited.read_units() - before <= 2.0, "the key and the marks");
}
