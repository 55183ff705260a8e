//! Reports that share a part of their body with equal ones: the API returns the same as without, whatever becomes of them.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::TryStreamExt;
use model::{ReportBody, ReportId};
use serde::Deserialize;
use serde_json::Value;
use store::{NewReport, Organization, StoredText};

use crate::faults::FaultyStore;
use crate::schedules::killed;
use crate::support::{TestApp, by_operator, large_report, later, time};

/// The texts of nine weekly reports, by number.
const TEXTS: [usize; 9] = [1, 1, 1, 2, 2, 1, 1, 3, 4];

fn id(number: usize) -> ReportId {
    format!("rpt_{number}").parse().unwrap()
}

/// Returns the organization of a service with the reports.
async fn filled(app: &TestApp, shares: bool) -> Organization {
    let store = app.app.store.clone().sharing_equal_bodies(shares);
    let organization = store.organization(app.org_a.organization.id());
    for (number, text) in TEXTS.into_iter().enumerate() {
        let body = large_report(&format!("2026-06-{:02}T00:00:00.000Z", number + 1), text);
        let tenant = organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
        let body = &ReportBody::deserialize(body).unwrap();
        let revisions = &Default::default();
        let new = NewReport { id: &id(number), tenant: &tenant, tool: "ScubaGear", body, revisions, content: None };
        by_operator(&organization, time("2026-07-01T00:00:00Z")).add_report(new).await.unwrap();
    }
    organization
}

/// Returns the items with a kind of keys.
async fn items(app: &TestApp, kind: &str) -> Vec<std::collections::HashMap<String, AttributeValue>> {
    let items = app.items().await.into_iter();
    items.filter(|item| item["sk"].as_s().unwrap().starts_with(&format!("{kind}#"))).collect()
}

async fn sharing(app: &TestApp) -> usize {
    items(app, "REPORT").await.iter().filter(|item| item.contains_key("beginning")).count()
}

/// Returns the text of every response about reports, for clients with and without gzip.
async fn responses(app: &TestApp) -> Vec<String> {
    let client = app.org_a();
    let lists = ["/v1/posture-reports", "/v1/posture-reports?latestOnly=false&limit=500", "/v1/report-summaries"];
    let paths = lists
        .map(str::to_owned)
        .into_iter()
        .chain((0..TEXTS.len()).map(|number| format!("/v1/posture-reports/rpt_{number}")));
    let mut texts = Vec::new();
    for path in paths {
        let (plain, gzip) = (client.get(&path).await, client.get_gzip(&path).await);
        assert_eq!(plain.text(), gzip.text(), "{path}");
        texts.push(plain.text());
    }
    texts
}

async fn assert_consistent(organization: &Organization) {
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test]
async fn equal_reports_share_their_checks_and_every_response_is_the_same() {
    let (whole, shared) = (TestApp::new().await, TestApp::new().await);
    let organizations = [filled(&whole, false).await, filled(&shared, true).await];
    assert_eq!((sharing(&whole).await, items(&whole, "SHARED").await.len()), (0, 0));
    // The first of equal ones is whole; the sixth and seventh find what the second made.
    assert_eq!((sharing(&shared).await, items(&shared, "SHARED").await.len()), (4, 2));
    assert_eq!(responses(&whole).await, responses(&shared).await);
    for organization in &organizations {
        assert_consistent(organization).await;
    }

    let edit = |body: &mut ReportBody| {
        body.checks[3].why = Some("A reason".to_owned());
        Ok::<_, std::convert::Infallible>(())
    };
    for organization in &organizations {
        by_operator(organization, later()).edit_report(&id(2), edit).await.unwrap();
    }
    assert_eq!(sharing(&shared).await, 3, "an edited report has a body of its own");
    assert_eq!(responses(&whole).await, responses(&shared).await);

    for (number, left) in [(1, 2), (6, 1), (4, 0)] {
        for organization in &organizations {
            by_operator(organization, later()).delete_report(&id(number)).await.unwrap();
            assert_consistent(organization).await;
        }
        assert_eq!(items(&shared, "SHARED").await.len(), left, "without report {number}");
        assert_eq!(responses(&whole).await, responses(&shared).await);
    }
}

#[tokio::test]
async fn a_list_of_sharing_reports_takes_one_more_call_for_each_batch() {
    let app = TestApp::new().await;
    filled(&app, true).await;
    let counting = FaultyStore::over(&app.engine).await;
    counting.client(&app).get("/v1/posture-reports?latestOnly=false&limit=500").await;
    let calls = |operation: &str| counting.made().iter().filter(|call| *call == operation).count();
    // The single read is the key's.
    assert_eq!((calls("BatchGetItem"), calls("GetItem")), (2, 1), "{:?}", counting.made());
    // A body that is older than its pointer may have missed an edit, and is read again.
    let mut pointer = items(&app, "COMPLETED").await.remove(0);
    pointer.insert("revision".to_owned(), AttributeValue::N("1".to_owned()));
    app.put(pointer).await;
    counting.forget();
    counting.client(&app).get("/v1/posture-reports?latestOnly=false&limit=500").await.success();
    assert_eq!(calls("GetItem"), 2, "{:?}", counting.made());
}

#[tokio::test]
async fn an_edit_or_a_deletion_at_any_moment_of_a_list_leaves_it_complete() {
    let list = "/v1/posture-reports?latestOnly=false&limit=500";
    let app = TestApp::new().await;
    let organization = filled(&app, true).await;
    let all = app.items().await;
    let client = app.org_a();
    // The only one that shares the second text, which then goes.
    let edit = |body: &mut ReportBody| {
        body.checks[3].why = Some("A reason".to_owned());
        Ok::<_, std::convert::Infallible>(())
    };
    for is_deleted in [true, false] {
        for polls in 1.. {
            let mut read = Box::pin(client.get(list));
            let ended = killed(polls, read.as_mut()).await;
            if ended {
                break;
            }
            match is_deleted {
                true => by_operator(&organization, later()).delete_report(&id(4)).await.unwrap(),
                false => by_operator(&organization, later()).edit_report(&id(4), edit).await.map(drop).unwrap(),
            }
            let list = read.await.success();
            let reports = list["reports"].as_array().unwrap().len();
            let least = TEXTS.len() - usize::from(is_deleted);
            assert!((least..=TEXTS.len()).contains(&reports), "deleted: {is_deleted}, after {polls} polls: {reports}");
            assert_eq!(list["totalReports"], reports);
            app.restore(&all).await;
        }
    }
}

#[tokio::test]
async fn reports_leave_their_table_whole() {
    let app = TestApp::new().await;
    let organization = filled(&app, true).await;
    let items = app.app.store.as_operator().items(organization.id(), None, later());
    let items: Vec<_> = items.try_concat().await.unwrap();
    let text = serde_json::to_string(&items).unwrap();
    assert!(!text.contains("sharedBody") && !text.contains("beginning") && !text.contains("SHARED#"));
    let mut compared = 0;
    for item in items {
        if let Some(StoredText::Report(report)) = item.text().unwrap() {
            let stored = organization.report(&report.summary.report_id).await.unwrap().unwrap();
            assert_eq!(report.tail.inflate(), stored.tail.inflate());
            compared += 1;
        }
    }
    assert_eq!(compared, TEXTS.len());
}

#[tokio::test]
async fn an_erasure_leaves_no_shared_part() {
    let app = TestApp::new().await;
    let organization = filled(&app, true).await;
    by_operator(&organization, later()).erase_tenant(&app.org_a.tenants[0]).await.unwrap();
    assert_eq!(items(&app, "SHARED").await.len(), 0);
    assert_consistent(&organization).await;
}

#[tokio::test]
async fn a_shared_part_that_is_missing_or_damaged_is_named_and_its_reports_are_set_aside() {
    for is_missing in [true, false] {
        let app = TestApp::new().await;
        let organization = filled(&app, true).await;
        let mut part = items(&app, "SHARED").await.remove(0);
        let key = part["sk"].as_s().unwrap().clone();
        let digest = key.rsplit('#').next().unwrap().to_owned();
        let refers = |item: &std::collections::HashMap<String, AttributeValue>| {
            item["summary"].as_m().unwrap().get("sharedBody") == Some(&AttributeValue::S(digest.clone()))
        };
        let reports = items(&app, "REPORT").await.into_iter().filter(refers).count();
        if is_missing {
            app.delete(&part).await;
        } else {
            let mut tail = part["tail"].as_b().unwrap().clone().into_inner();
            tail[9] ^= 0x55;
            part.insert("tail".to_owned(), AttributeValue::B(Blob::new(tail)));
            app.put(part).await;
        }
        let list = "/v1/posture-reports?latestOnly=false&limit=500";
        let response = app.org_a().get(list).await;
        let is_whole = response.status == 200 && serde_json::from_slice::<Value>(&response.body).is_ok();
        assert!(!is_whole, "no list is silently short");
        let found = organization.inspect().await.unwrap().discrepancies;
        let about =
            found.iter().filter(|found| found.what.contains("the part of the body that the report shares")).count();
        assert_eq!(about, reports, "{found:?}");
        assert_eq!(found.iter().any(|found| found.subject.ends_with(&key)), !is_missing, "{found:?}");

        let plan = organization.plan_repair(later()).await.unwrap();
        by_operator(&organization, later()).repair(plan).await.unwrap();
        assert_consistent(&organization).await;
        assert_eq!(app.org_a().get(list).await.success()["totalReports"], TEXTS.len() - reports);
        assert!(organization.plan_repair(later()).await.unwrap().changes().is_empty(), "a second repair finds nothing");
    }
}
