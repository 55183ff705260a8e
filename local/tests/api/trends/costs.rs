//! Read units of a round at the end of a week, and of a response.

use super::{FIRST, MONDAY, made, report};
use crate::faults::{FaultyStore, LimitedStore};
use crate::schedules::{after, round};
use crate::support::{TestApp, tenant, time};

#[tokio::test]
async fn a_week_costs_little_for_a_tenant_and_so_does_a_response() {
    let tenants: usize = std::env::var("FLEET_TENANTS").map_or(20, |number| number.parse().unwrap());
    for (step, most) in [(7, 1.5), (1, 4.5)] {
        let app = TestApp::new().await;
        round(&app, time(FIRST)).await;
        for number in 0..tenants {
            let id = format!("ten_{number:0>32}").parse().unwrap();
            app.org_a.add_tenant(&tenant(&id, &format!("Tenant number {number}"))).await;
            for day in (0..14).step_by(step) {
                let at = after(time("2026-06-30T00:00:00Z"), 24 * i64::try_from(day).unwrap());
                let score = u8::try_from((number * (24 + day)) % 100).unwrap();
                let body = report(&at.to_string(), score, if day < 7 { "OPEN" } else { "SECURE" });
                app.org_a.add_report_of("ScubaGear", &id, &format!("rpt_{number:0>30}{day:0>2}"), &body).await;
            }
        }
        made(&app, "2026-07-06T12:00:00Z").await;
        let limited = LimitedStore::over(&app.engine).await;
        let before = limited.read_units();
        operations::schedules::run(&limited.store, &Default::default(), time(MONDAY)).await.unwrap();
        let units = limited.read_units() - before;
        eprintln!("a round at the end of a week: {units} read units for {tenants} tenants, a report in {step} days");
        assert!(units <= most * tenants as f64 + 15.0, "{units}");
        let client = FaultyStore::client_of(&limited.store, &app);
        let before = limited.read_units();
        let response = client.get("/v1/trends?startDate=2025-08-01").await;
        let (all, units) = (response.success(), limited.read_units() - before);
        eprintln!("the response: {units} read units");
        assert_eq!(all["totalTrends"], 2);
        assert!(units <= 10.0, "{units}");
        let tag = response.header("etag").unwrap();
        let before = limited.read_units();
        assert_eq!(client.get_if_changed("/v1/trends?startDate=2025-08-01", tag).await.status, 304);
        assert_eq!(limited.read_units() - before, 2.0, "the key and the mark");
    }
}
