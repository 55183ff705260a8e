//! The list of events.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use model::{Actor, Choice, EventFailure, EventKind, ReportBody, Status, Wire};
use serde_json::{Value, json};
use store::{NewReport, StoreError};

use crate::support::{Client, DASHBOARD, TestApp, baseline_report, by_operator, time};

const PATH: &str = "/v1/events";

async fn page(client: &Client, query: &str) -> Value {
    client.get(&format!("{PATH}{query}")).await.success()
}

fn ids(page: &Value) -> Vec<String> {
    page["events"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect()
}

fn cursor(page: &Value) -> String {
    format!("?cursor={}", page["nextCursor"].as_str().unwrap())
}

#[tokio::test]
async fn an_event_says_what_happened_to_what() {
    let app = TestApp::new().await;
    let mut body = baseline_report("2026-07-01T00:00:00.000Z");
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &body).await;
    body["checks"][1]["status"] = json!("OPEN");
    body["completedAt"] = json!("2026-07-02T00:00:00.000Z");
    let was_secure = baseline_report("2026-07-01T00:00:00.000Z")["checks"][1]["status"] == "SECURE";
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_2", &body).await;
    let tenant = app.org_a.organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
    let list = page(&app.org_a(), "").await;
    let events = list["events"].as_array().unwrap();
    assert_eq!(list["totalEvents"], events.len());
    assert_eq!(list["upToDate"], true);
    let report = |number: u32, before: Value| {
        json!({
            "id": format!("rpt_{number}"), "tool": "scubagear",
            "completedAt": format!("2026-07-0{number}T00:00:00.000Z"), "score": body["score"], "grade": body["grade"],
            "scoreBefore": before,
        })
    };
    assert_eq!(events[0]["kind"], "report.completed");
    assert_eq!(events[0]["report"], report(1, json!(null)));
    assert!(was_secure, "the second check of a report is secure");
    let expected = json!({
        "id": events[2]["id"], "kind": "control.drifted", "occurredAt": "2026-07-02T00:00:00.000Z",
        "tenant": {
            "serviceTenantId": tenant.service_tenant_id, "name": tenant.name,
            "providerTenantId": tenant.provider_tenant_id,
        },
        "report": report(2, body["score"].clone()),
        "url": format!("{DASHBOARD}/tenants/{}/reports/rpt_2", tenant.service_tenant_id),
        "control": {
            "id": body["checks"][1]["controlId"], "severity": body["checks"][1]["severity"],
            "driftId": events[2]["id"],
        },
        "controls": [], "administrators": [], "failures": [],
    });
    assert_eq!(events[2], expected);
    assert_eq!(events.len(), 3);
}

#[tokio::test]
async fn a_drift_is_identified_by_its_event_also_if_an_edit_or_another_copy_of_the_run_made_it() {
    let app = TestApp::new().await;
    let (organization, writer, id) = (&app.org_a.organization, app.org_a.writer(), "rpt_1".parse().unwrap());
    let mut body = baseline_report("2026-07-01T00:00:00.000Z");
    body["checks"][0]["status"] = json!("SECURE");
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &body).await;
    let drift = |body: &mut ReportBody| {
        body.checks[1].status = Status::Open;
        Ok::<_, StoreError>(())
    };
    writer.edit_report(&id, drift).await.unwrap();
    let stored = organization.report(&id).await.unwrap().unwrap();
    let tenant = organization.tenant(&app.org_a.tenants[0]).await.unwrap().unwrap();
    let mut copy = stored.clone().open().unwrap().body;
    copy.checks[0].status = Status::Open;
    let revisions = BTreeMap::new();
    let new =
        NewReport { id: &id, tenant: &tenant, tool: "scubagear", body: &copy, revisions: &revisions, content: None };
    writer.replace_report(&stored, new, Vec::new()).await.unwrap();
    let list = page(&app.org_a(), "?kind=control.drifted").await;
    let drifts: Vec<_> = list["events"].as_array().unwrap().iter().map(|event| &event["control"]["id"]).collect();
    assert_eq!(drifts, ["X.2", "X.1"]);
    assert!(
        list["events"].as_array().unwrap().iter().all(|event| event["control"]["driftId"] == event["id"]),
        "{list}"
    );
}

#[tokio::test]
async fn parameters_are_strict() {
    let app = TestApp::new().await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &baseline_report("2026-07-01T00:00:00.000Z")).await;
    for kind in EventKind::KNOWN {
        let found = page(&app.org_a(), &format!("?kind={}", Wire(kind))).await;
        assert_eq!(found["totalEvents"], u32::from(*kind == EventKind::ReportCompleted), "{kind:?}");
    }
    let other = cursor(&page(&app.org_b(), "").await);
    let narrower = cursor(&page(&app.org_a(), "?tenantId=ten_a1").await);
    for query in ["?kind=report.created", "?kind=UNKNOWN", "?kind=", "?limit=501", "?cursor=x", &other, &narrower] {
        app.org_a().get(&format!("{PATH}{query}")).await.failure(400, "INVALID_REQUEST");
    }
    app.org_a().get(&format!("{PATH}?tenantId=ten_b1")).await.failure(404, "NOT_FOUND");
    assert_eq!(page(&app.org_a(), "?cursor=").await["totalEvents"], 1, "an empty cursor is the beginning");
    assert_eq!(page(&app.org_a(), "?tenantId=ten_a2").await["totalEvents"], 0);
    for (since, number) in [("2026-07-01", 1), ("2026-07-01T00:00:01Z", 0)] {
        let first = page(&app.org_a(), &format!("?startDate={since}")).await;
        assert_eq!(first["totalEvents"], number, "{since}");
        let again = page(&app.org_a(), &format!("{}&startDate={since}", cursor(&first))).await;
        assert_eq!(again["totalEvents"], 0, "{since}");
    }
}

#[tokio::test]
async fn an_event_that_becomes_readable_late_is_not_missed() {
    let app = TestApp::new().await;
    let tenant = &app.org_a.tenants[0];
    // Requests are made at noon.
    let pause = async |at: &str| {
        by_operator(&app.org_a.organization, time(at)).pause_tenant(tenant, true).await.unwrap();
    };
    pause("2026-07-15T11:20:00Z").await;
    pause("2026-07-15T11:59:00Z").await;
    let first = page(&app.org_a(), "?limit=1").await;
    assert_eq!((first["totalEvents"].clone(), &first["upToDate"]), (json!(1), &json!(false)));
    pause("2026-07-15T11:40:30Z").await;
    // The walk is already behind the next one, which is returned by the next walk.
    let second = page(&app.org_a(), &format!("{}&limit=2", cursor(&first))).await;
    assert_eq!((ids(&second).len(), &second["upToDate"]), (2, &json!(true)));
    pause("2026-07-15T11:41:00Z").await;
    let third = page(&app.org_a(), &cursor(&second)).await;
    assert_eq!(ids(&third).len(), 3, "those of the last twenty minutes once more");
    let before: BTreeSet<_> = ids(&second).into_iter().collect();
    assert_eq!(ids(&third).iter().filter(|id| !before.contains(*id)).count(), 1, "with the same identifiers");
    let all: BTreeSet<_> = [ids(&first), ids(&second), ids(&third)].concat().into_iter().collect();
    assert_eq!(all, ids(&page(&app.org_a(), "").await).into_iter().collect());
}

#[tokio::test]
async fn every_event_changes_the_tag() {
    let app = TestApp::new().await;
    let client = app.org_a();
    let tag = async || client.get(PATH).await.header("etag").unwrap().to_owned();
    let mut tags = vec![tag().await];
    let writer = by_operator(&app.org_a.organization, time("2026-07-15T11:00:00Z"));
    let failure = EventFailure { of: "a.json".to_owned(), reason: "It is broken.".to_owned() };
    writer.tell_failed_import(None, [failure]).await.unwrap();
    tags.push(tag().await);
    let failed = page(&client, "").await["events"][0].clone();
    assert_eq!((&failed["kind"], &failed["tenant"]), (&json!("import.failed"), &json!(null)));
    assert_eq!(failed["failures"], json!([{ "of": "a.json", "reason": "It is broken." }]));
    writer.pause_tenant(&app.org_a.tenants[0], true).await.unwrap();
    tags.push(tag().await);
    app.org_a.add_report(&app.org_a.tenants[1], "rpt_1", &baseline_report("2026-07-01T00:00:00.000Z")).await;
    tags.push(tag().await);
    let different: BTreeSet<_> = tags.iter().collect();
    assert_eq!(different.len(), tags.len());
    let unchanged = client.get_if_changed(PATH, tags.last().unwrap()).await;
    assert_eq!((unchanged.status, unchanged.text()), (304, String::new()));
}

#[tokio::test]
async fn an_event_of_a_long_import_is_where_a_client_that_has_read_the_others_finds_it() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let (at, read) = (time("2026-07-02T00:00:00Z"), time("2026-07-02T00:10:00Z"));
    let began = Instant::now().checked_sub(Duration::from_secs(15 * 60)).unwrap();
    let writer = organization.by(&Actor::operator(), at).since(began);
    writer.tell_failed_import(None, []).await.unwrap();
    assert_eq!(organization.changes_since(read).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_page_ends_after_5000_events_that_are_not_selected() {
    let app = TestApp::new().await;
    app.org_a.add_report(&app.org_a.tenants[0], "rpt_1", &baseline_report("2026-07-01T00:00:00.000Z")).await;
    let is_event = |item: &HashMap<_, AttributeValue>| item["sk"].as_s().unwrap().starts_with("EVENT#2026-07-01");
    let mut event = app.items().await.into_iter().find(is_event).unwrap();
    let copies: Vec<_> = (0..5_000)
        .map(|number| {
            let id = format!("evt_{number:04}");
            event.insert("sk".to_owned(), AttributeValue::S(format!("EVENT#2026-07-02T00:00:00.000Z#{id}")));
            event.insert("eventId".to_owned(), AttributeValue::S(id));
            let put = PutRequest::builder().set_item(Some(event.clone())).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        })
        .collect();
    for some in copies.chunks(25) {
        let write = app.engine.client().batch_write_item().request_items("posture", some.to_vec());
        let left = write.send().await.unwrap().unprocessed_items.unwrap_or_default();
        assert!(left.is_empty());
    }
    let first = page(&app.org_a(), "?kind=control.drifted").await;
    assert_eq!((&first["totalEvents"], &first["upToDate"]), (&json!(0), &json!(false)));
    let second = page(&app.org_a(), &format!("{}&kind=control.drifted", cursor(&first))).await;
    assert_eq!((&second["totalEvents"], &second["upToDate"]), (&json!(0), &json!(true)));
}
