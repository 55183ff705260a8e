//! A copy of all reports that is kept by events, as docs/CLIENTS.md advises.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::changes::Changes;
use crate::support::{Client, TestApp, time};

/// Returns the number of random changes. `COPY_CHANGES` overrides it.
fn changes() -> usize {
    std::env::var("COPY_CHANGES").map_or(200, |number| number.parse().unwrap())
}

/// A copy of all reports.
#[derive(Default)]
struct Copy {
    reports: BTreeMap<String, Value>,
    cursor: String,
    requests: usize,
}

impl Copy {
    async fn get(&mut self, client: &Client, path: &str) -> Option<Value> {
        self.requests += 1;
        let response = client.get(path).await;
        (response.status != 404).then(|| response.success())
    }

    /// Reads the events since the last update, then what they name: tenants once, each report once.
    async fn update(&mut self, client: &Client) {
        let (mut reports, mut tenants) = (BTreeSet::new(), false);
        loop {
            let path = format!("/v1/events?limit=500&cursor={}", self.cursor);
            let page = self.get(client, &path).await.unwrap();
            for event in page["events"].as_array().unwrap() {
                let kind = event["kind"].as_str().unwrap();
                tenants |= kind.starts_with("tenant.");
                if kind.starts_with("report.") {
                    reports.insert(event["report"]["id"].as_str().unwrap().to_owned());
                }
            }
            self.cursor = page["nextCursor"].as_str().unwrap().to_owned();
            if page["upToDate"] == true {
                break;
            }
        }
        for id in reports {
            match self.get(client, &format!("/v1/posture-reports/{id}")).await {
                Some(report) => self.reports.insert(id, report),
                None => self.reports.remove(&id),
            };
        }
        if tenants {
            self.update_tenants(client).await;
        }
    }

    /// Drops the reports of tenants that are no longer listed, and gives the others their tenants' names.
    async fn update_tenants(&mut self, client: &Client) {
        let list = self.get(client, "/v1/tenants").await.unwrap();
        let tenants = list["tenants"].as_array().unwrap().iter();
        let names: BTreeMap<_, _> = tenants.map(|it| (it["serviceTenantId"].as_str().unwrap(), &it["name"])).collect();
        self.reports.retain(|_, report| match names.get(report["tenant"]["serviceTenantId"].as_str().unwrap()) {
            Some(name) => {
                report["tenant"]["name"] = (*name).clone();
                true
            }
            None => false,
        });
    }

    async fn assert_equals_the_whole(&self, client: &Client) {
        let whole = client.get("/v1/posture-reports?latestOnly=false&limit=500").await.success();
        assert_eq!(whole["nextCursor"], Value::Null);
        let reports = whole["reports"].as_array().unwrap().iter();
        let whole: Map<_, _> = reports.map(|it| (it["id"].as_str().unwrap().to_owned(), it.clone())).collect();
        let copy: Map<_, _> = self.reports.clone().into_iter().collect();
        assert_eq!(copy, whole);
    }
}

#[tokio::test]
async fn a_copy_that_is_kept_by_events_equals_the_whole() {
    let app = TestApp::new().await;
    let mut random = Changes::new(&app, time("2026-07-15T11:40:00Z"));
    let mut copy = Copy::default();
    for change in 0..changes() {
        random.make(&app, change).await;
        if change % 25 == 0 {
            copy.update(&app.org_a()).await;
            copy.assert_equals_the_whole(&app.org_a()).await;
        }
    }
    copy.update(&app.org_a()).await;
    copy.assert_equals_the_whole(&app.org_a()).await;
    eprintln!("{} changes: {} reports in the end, {} requests", changes(), copy.reports.len(), copy.requests);
}
