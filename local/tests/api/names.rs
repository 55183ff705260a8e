//! Names of tenants in lists of reports: current, the same throughout a list, and read without the tenants.

use std::collections::BTreeSet;

use futures_util::future::join3;
use model::ServiceTenantId;
use serde_json::Value;

use crate::faults::{FaultyStore, LimitedStore};
use crate::support::{TestApp, baseline_report, tenant};

const LISTS: [&str; 4] = [
    "/v1/posture-reports?latestOnly=false&limit=500",
    "/v1/posture-reports?limit=500",
    "/v1/report-summaries?latestOnly=false&limit=500",
    "/v1/report-summaries?limit=500",
];

#[tokio::test]
async fn a_list_reads_no_tenants_and_all_their_new_names_at_once() {
    let app = TestApp::new().await;
    for number in 0..60 {
        let id: ServiceTenantId = format!("ten_{number:0>32}").parse().unwrap();
        app.org_a.add_tenant(&tenant(&id, "Earlier name")).await;
        let at = format!("2026-06-01T00:00:{number:02}.000Z");
        app.org_a.add_report(&id, &format!("rpt_{number:0>32}"), &baseline_report(&at)).await;
        if number < 20 {
            app.org_a.writer().rename_tenant(&id, &"Current name".parse().unwrap()).await.unwrap();
        }
    }
    let counting = FaultyStore::over(&app.engine).await;
    let client = counting.client(&app);
    for path in LISTS {
        counting.forget();
        let response = client.get(path).await.success();
        let named = |name: &str| names(&response).iter().filter(|found| *found == name).count();
        assert_eq!((named("Current name"), named("Earlier name")), (20, 40), "{path}");
        // Change marks, corrections, and pointers: two pages if reports follow, so that the first ones are early.
        let made = counting.made();
        let queries = made.iter().filter(|operation| *operation == "Query").count();
        let batches = made.iter().filter(|operation| *operation == "BatchGetItem").count();
        let expected = if path.contains("summaries") { (3, 0) } else { (4, 3) };
        assert_eq!((queries, batches), expected, "{path}: {made:?}");
    }
    let limited = LimitedStore::over(&app.engine).await;
    FaultyStore::client_of(&limited.store, &app).get(LISTS[3]).await.success();
    // The key, the change marks, 60 pointers of 0.7 KB at most, and 20 corrections.
    assert!(limited.read_units() <= 15.0, "{}", limited.read_units());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_list_mixes_two_names_of_a_tenant() {
    let app = TestApp::new().await;
    let (id, client) = (&app.org_a.tenants[0], app.org_a());
    app.org_a.add_report(id, "rpt_0", &baseline_report("2026-05-01T00:00:00.000Z")).await;
    for round in 1..=20 {
        let (name, report) = (format!("Name {round}"), format!("rpt_{round}"));
        let body = baseline_report(&format!("2026-06-01T00:00:{round:02}.000Z"));
        // The new report is written with either name, while the list is read.
        let writer = app.org_a.writer();
        let new = name.parse().unwrap();
        let rename = writer.rename_tenant(id, &new);
        let add = app.org_a.add_report(id, &report, &body);
        let read = async {
            let mut lists = Vec::new();
            for path in LISTS.iter().cycle().take(8) {
                lists.push(client.get(path).await.success());
            }
            lists
        };
        let (renamed, (), lists) = join3(rename, add, read).await;
        renamed.unwrap();
        for list in lists {
            let names: BTreeSet<_> = names(&list).into_iter().collect();
            assert_eq!(names.len(), 1, "{names:?}");
        }
        for path in LISTS {
            let list = client.get(path).await.success();
            assert!(names(&list).iter().all(|found| *found == name), "{path} after the name {name}");
        }
    }
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

/// Returns the names of the tenants of all reports of a list.
fn names(list: &Value) -> Vec<String> {
    let name = |report: &Value| report["tenant"]["name"].as_str().unwrap().to_owned();
    list["reports"].as_array().unwrap().iter().map(name).collect()
}
