//! Lists of reports, page by page.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use model::ReportBody;
use serde_json::Value;
use store::ReportError;

use crate::copies::{Times, fill};
use crate::faults::FaultyStore;
use crate::support::{Client, TestApp, baseline_report, provider_id, tenant, time};

/// Returns the number of reports of the walk. `CURSOR_REPORTS` overrides it.
fn reports() -> usize {
    std::env::var("CURSOR_REPORTS").map_or(400, |number| number.parse().unwrap())
}

/// Identifiers and the cursor of a page.
async fn page(client: &Client, query: &str) -> (Vec<String>, Option<String>) {
    let body = client.get(query).await.success();
    let reports = body["reports"].as_array().unwrap();
    assert_eq!(body["totalReports"], reports.len());
    let ids = reports.iter().map(|report| report["id"].as_str().unwrap().to_owned()).collect();
    assert!(body["nextCursor"].is_string() || body["nextCursor"] == Value::Null, "{body}");
    (ids, body["nextCursor"].as_str().map(str::to_owned))
}

#[tokio::test]
async fn pages_are_the_list_in_its_order() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    for number in 0..7 {
        let of = if number % 3 == 0 { second } else { first };
        // Two at each time, so that identifiers decide.
        let at = format!("2026-06-0{}T00:00:00.000Z", 1 + number / 2);
        app.org_a.add_report(of, &format!("rpt_{number}"), &baseline_report(&at)).await;
    }
    for query in [
        "latestOnly=false".to_owned(),
        "latestOnly=true".to_owned(),
        "latestOnly=0&startDate=2026-06-02".to_owned(),
        "latestOnly=false&tenantId=ten_a1".to_owned(),
        format!("latestOnly=false&tenantId={}", provider_id(second)),
        "tenantId=ten_a1".to_owned(),
    ] {
        let (whole, end) = page(&app.org_a(), &format!("/v1/posture-reports?{query}&limit=500")).await;
        assert_eq!(end, None, "{query}");
        for limit in 1..=whole.len() + 1 {
            let (mut walked, mut pages, mut cursor) = (Vec::new(), 0, String::new());
            loop {
                let (ids, next) =
                    page(&app.org_a(), &format!("/v1/posture-reports?{query}&limit={limit}{cursor}")).await;
                walked.extend(ids);
                pages += 1;
                match next {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            assert_eq!(walked, whole, "{query} in pages of {limit}");
            assert_eq!(pages, whole.len().div_ceil(limit).max(1), "no page is empty: {query} in pages of {limit}");
        }
    }
}

#[tokio::test]
async fn a_cursor_belongs_to_one_list_of_one_organization() {
    let app = TestApp::new().await;
    for (organization, letter) in [(&app.org_a, 'a'), (&app.org_b, 'b')] {
        for number in 0..3 {
            let at = format!("2026-06-0{}T00:00:00.000Z", number + 1);
            organization
                .add_report(&organization.tenants[0], &format!("{letter}-{number}"), &baseline_report(&at))
                .await;
        }
    }
    let own = "/v1/posture-reports?latestOnly=false&limit=1";
    let (_, cursor) = page(&app.org_a(), own).await;
    let cursor = cursor.unwrap();
    assert_eq!(page(&app.org_a(), &format!("{own}&cursor={cursor}")).await.0, ["a-1"]);
    assert_eq!(
        page(&app.org_a(), &format!("/v1/posture-reports?latestOnly=0&cursor={cursor}")).await.0,
        ["a-1", "a-0"]
    );
    for query in
        ["limit=1", "latestOnly=true", "latestOnly=false&tenantId=ten_a1", "latestOnly=false&startDate=2026-06-01"]
    {
        let refused = app.org_a().get(&format!("/v1/posture-reports?{query}&cursor={cursor}")).await;
        let error = refused.failure(400, "INVALID_REQUEST");
        assert!(error["details"].as_str().unwrap().starts_with("cursor must be the nextCursor"), "{query}: {error}");
    }
    app.org_b().get(&format!("{own}&cursor={cursor}")).await.failure(400, "INVALID_REQUEST");
    for text in ["x", "%F0%9F%94%92", &cursor[1..], &format!("{cursor}A"), &cursor.to_uppercase(), "null"] {
        app.org_a().get(&format!("{own}&cursor={text}")).await.failure(400, "INVALID_REQUEST");
    }
    app.org_a().get(&format!("{own}&cursor={cursor}&cursor={cursor}")).await.failure(400, "INVALID_REQUEST");
}

fn at(seconds: i64) -> String {
    let at: DateTime<Utc> = time("2026-01-01T00:00:00Z").to_datetime() + TimeDelta::seconds(seconds);
    at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[tokio::test]
async fn a_walk_misses_and_repeats_nothing_while_reports_are_added_edited_and_removed() {
    let app = TestApp::new().await;
    let total = reports();
    let organization = &app.org_a;
    // The last tenants are removed during the walk.
    let tenants: Vec<_> = (0..10).map(|number| format!("ten_w{number}").parse().unwrap()).collect();
    for id in &tenants {
        organization.add_tenant(&tenant(id, "Tenant")).await;
    }
    let times = Times { first: time("2026-01-01T00:00:00Z"), step: 10 };
    fill(&app, &tenants, total, &times, |at, _| baseline_report(at)).await;
    let mut kept: BTreeMap<_, _> = (0..total).map(|number| (format!("rpt_{number}"), number % tenants.len())).collect();
    // Twenty pages, or as many as pages of 500 make.
    let limit = (total / 20).clamp(20, 500);
    let changes_of_page = limit.div_ceil(50);
    let counting = FaultyStore::over(&app.engine).await;
    let client = counting.client(&app);
    let mut random = fastrand::Rng::with_seed(2);
    let (mut seen, mut cursor, mut added, mut removed) = (Vec::new(), String::new(), 0, BTreeSet::new());
    let mut reads = Vec::new();
    loop {
        let request = format!("/v1/posture-reports?latestOnly=false&limit={limit}{cursor}");
        counting.forget();
        // Changes are made while the page is read.
        let changes = async {
            for _ in 0..changes_of_page {
                for _ in 0..3 {
                    added += 1;
                    let (of, seconds) = (random.usize(..8), random.i64(0..total as i64 * 12));
                    let new = format!("new_{added}");
                    organization.add_report(&tenants[of], &new, &baseline_report(&at(seconds))).await;
                }
                let edited = format!("rpt_{}", random.usize(..total)).parse().unwrap();
                let edit = |body: &mut ReportBody| {
                    body.figures.score = 1;
                    Ok::<_, std::convert::Infallible>(())
                };
                let _ = organization.writer().edit_report(&edited, edit).await;
                let deleted = format!("rpt_{}", random.usize(..total));
                let deletion = organization.writer().delete_report(&deleted.parse().unwrap()).await;
                assert!(matches!(deletion, Ok(_) | Err(ReportError::NotFound(_))), "{deletion:?}");
                kept.remove(&deleted);
            }
        };
        let (response, ()) = tokio::join!(page(&client, &request), changes);
        reads.push(counting.made().len());
        if seen.len() > total / 3 && removed.len() < 2 {
            let of = tenants.len() - 1 - removed.len();
            organization.remove_tenant(&tenants[of]).await;
            kept.retain(|_, tenant| *tenant != of);
            removed.insert(of);
        }
        let (ids, next) = response;
        seen.extend(ids);
        match next {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let once: BTreeSet<_> = seen.iter().cloned().collect();
    assert_eq!(once.len(), seen.len(), "a report came twice");
    let missed: Vec<_> = kept.keys().filter(|id| !once.contains(*id)).collect();
    assert!(missed.is_empty(), "{missed:?}");
    let most = reads.iter().max().unwrap();
    let thousand = reads.len().min(1000_usize.div_ceil(limit));
    eprintln!(
        "{} pages, {} reports seen, {} of them there from start to end, {added} imported; calls of each page: at most \
         {most}, first {:?}, last {:?}",
        reads.len(),
        seen.len(),
        kept.len(),
        &reads[..thousand],
        &reads[reads.len() - thousand..]
    );
    // Bodies are read by the hundred.
    assert!(*most <= 14 + limit / 25, "{reads:?}");
}
