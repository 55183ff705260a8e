//! `GET /v1/report-summaries`, and copies that it keeps up to date.

use std::collections::BTreeMap;

use model::ReportBody;
use serde_json::{Map, Value};

use crate::changes::Changes;
use crate::support::{Client, TestApp, baseline_report, by_operator, follow_up_report, time};

const PATH: &str = "/v1/report-summaries";

/// Fields of the full report only.
const OF_REPORTS: [&str; 3] = ["globalAdmins", "topRisks", "checks"];

/// Returns the number of random changes between a copy's updates. `COPY_CHANGES` overrides it.
fn changes() -> usize {
    std::env::var("COPY_CHANGES").map_or(300, |number| number.parse().unwrap())
}

#[tokio::test]
async fn a_summary_is_the_report_without_its_lists_and_with_its_last_change() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_baseline", &baseline_report("2026-05-01T08:30:00.000Z")).await;
    app.org_a.add_report(second, "rpt_follow_up", &follow_up_report("2026-06-01T08:30:00.123Z")).await;
    let edit = |body: &mut ReportBody| {
        body.figures.score = 77;
        Ok::<_, std::convert::Infallible>(())
    };
    let (edited, at) = ("rpt_baseline".parse().unwrap(), time("2026-07-02T01:02:03.004Z"));
    by_operator(&app.org_a.organization, at).edit_report(&edited, edit).await.unwrap();
    for query in ["", "?latestOnly=false", "?latestOnly=false&limit=1", "?tenantId=ten_a1", "?startDate=2026-05-02"] {
        let mut whole = app.org_a().get(&format!("/v1/posture-reports{query}")).await.success();
        let mut summaries = app.org_a().get(&format!("{PATH}{query}")).await.success();
        for report in whole["reports"].as_array_mut().unwrap() {
            OF_REPORTS.iter().for_each(|field| drop(report.as_object_mut().unwrap().remove(*field).unwrap()));
        }
        for summary in summaries["reports"].as_array_mut().unwrap() {
            let updated = summary.as_object_mut().unwrap().remove("updatedAt").unwrap();
            let is_edited = summary["id"] == "rpt_baseline";
            assert_eq!(
                updated,
                if is_edited { "2026-07-02T01:02:03.004Z".into() } else { summary["completedAt"].clone() }
            );
        }
        assert_eq!(summaries, whole, "{query}");
    }
    app.org_a().get(&format!("{PATH}?limit=0")).await.failure(400, "INVALID_REQUEST");
    app.org_a().get(&format!("{PATH}?tenantId=ten_b1")).await.failure(404, "NOT_FOUND");
}

/// A copy of all reports, maintained with summaries and single reports only.
#[derive(Default)]
struct Copy {
    /// Each with the time of its last change.
    reports: BTreeMap<String, (Value, Value)>,
    fetched: usize,
}

impl Copy {
    /// Reads all summaries, fetches new and changed reports, and drops missing ones. Names and addresses come from the
    /// summaries, because a rename changes no report.
    async fn update(&mut self, client: &Client) {
        let (mut kept, mut cursor) = (BTreeMap::new(), String::new());
        loop {
            let page = client.get(&format!("{PATH}?latestOnly=false&limit=7{cursor}")).await.success();
            for summary in page["reports"].as_array().unwrap() {
                let id = summary["id"].as_str().unwrap().to_owned();
                let held = self.reports.remove(&id).filter(|(updated, _)| *updated == summary["updatedAt"]);
                let (updated, mut report) = match held {
                    Some(held) => held,
                    None => {
                        self.fetched += 1;
                        let report = client.get(&format!("/v1/posture-reports/{id}")).await.success();
                        (summary["updatedAt"].clone(), report)
                    }
                };
                for field in ["url", "tenant"] {
                    report[field] = summary[field].clone();
                }
                kept.insert(id, (updated, report));
            }
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        self.reports = kept;
    }

    async fn assert_equals_the_whole(&self, client: &Client) {
        let whole = client.get("/v1/posture-reports?latestOnly=false&limit=500").await.success();
        let whole: Map<_, _> = whole["reports"].as_array().unwrap().iter().map(keyed).collect();
        let copy: Map<_, _> = self.reports.values().map(|(_, report)| keyed(report)).collect();
        assert_eq!(copy, whole);
    }
}

fn keyed(report: &Value) -> (String, Value) {
    (report["id"].as_str().unwrap().to_owned(), report.clone())
}

#[tokio::test]
async fn a_copy_that_is_kept_by_summaries_and_single_reports_equals_the_whole() {
    let app = TestApp::new().await;
    let mut random = Changes::new(&app, time("2026-01-01T00:00:00Z"));
    let mut copy = Copy::default();
    for change in 0..changes() {
        random.make(&app, change).await;
        if change % 5 == 0 {
            copy.update(&app.org_a()).await;
            copy.assert_equals_the_whole(&app.org_a()).await;
        }
    }
    copy.update(&app.org_a()).await;
    copy.assert_equals_the_whole(&app.org_a()).await;
    eprintln!("{} changes: {} reports in the end, {} fetched", changes(), copy.reports.len(), copy.fetched);
}
