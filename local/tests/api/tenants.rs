//! `GET /v1/tenants`.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};

use crate::support::{TestApp, baseline_report, by_operator, later, provider_id, tenant, time};

const PATH: &str = "/v1/tenants";

#[tokio::test]
async fn every_field_of_a_tenant_is_there_under_its_name() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.writer().pause_tenant(second, true).await.unwrap();
    let expected = |id: &str, name: &str, provider_id: String, is_paused: bool| {
        json!({
            "serviceTenantId": id,
            "name": name,
            "providerTenantId": provider_id,
            "isPaused": is_paused,
            "onboardingDate": "2026-02-03T04:05:06.789Z",
        })
    };
    let expected = json!({
        "tenants": [
            expected("ten_a1", "Tenant a1", provider_id(first), false),
            expected("ten_a2", "Tenant a2", provider_id(second), true),
        ],
        "totalTenants": 2,
    });
    let response = app.org_a().get(PATH).await;
    assert_eq!(response.success(), expected);
    assert_eq!(response.header("vary"), Some("Accept-Encoding"));
}

#[tokio::test]
async fn a_removed_tenant_is_not_listed() {
    let app = TestApp::new().await;
    app.org_a.remove_tenant(&app.org_a.tenants[0]).await;
    let response = app.org_a().get(PATH).await.success();
    assert_eq!((&response["tenants"][0]["serviceTenantId"], &response["totalTenants"]), (&json!("ten_a2"), &json!(1)));
    app.org_a.remove_tenant(&app.org_a.tenants[1]).await;
    assert_eq!(app.org_a().get(PATH).await.success(), json!({ "tenants": [], "totalTenants": 0 }));
}

#[tokio::test]
async fn a_list_of_several_pages_is_complete() {
    let app = TestApp::new().await;
    let name = |number: usize| format!("{number} {}", "x".repeat(100_000));
    for number in 0..25 {
        app.org_a.add_tenant(&tenant(&format!("ten_p{number:02}").parse().unwrap(), "Long")).await;
    }
    // Longer than a name may be, so that few tenants fill several pages.
    let added =
        app.items().await.into_iter().filter(|item| item.get("name") == Some(&AttributeValue::S("Long".into())));
    for (number, mut item) in (0..).zip(added) {
        item.insert("name".to_owned(), AttributeValue::S(name(number)));
        app.engine.client().put_item().table_name("posture").set_item(Some(item)).send().await.unwrap();
    }
    let response = app.org_a().get(PATH).await.success();
    assert_eq!(response["totalTenants"], 27);
    let listed: Vec<_> = response["tenants"].as_array().unwrap().iter().map(|tenant| tenant["name"].clone()).collect();
    let expected = ["Tenant a1".to_owned(), "Tenant a2".to_owned()].into_iter().chain((0..25).map(name));
    assert!(listed.into_iter().eq(expected.map(Value::from)), "each occurs once, in order");
}

#[tokio::test]
async fn a_provider_identifier_that_leads_to_another_tenant_shows_nothing_of_it() {
    let app = TestApp::new().await;
    let [first, second] = &app.org_a.tenants;
    app.org_a.add_report(second, "rpt_1", &baseline_report("2026-07-01T00:00:00.000Z")).await;
    let place = AttributeValue::S(format!("PROVIDER#{}", provider_id(first)));
    let mut pointer = app.items().await.into_iter().find(|item| item["sk"] == place).unwrap();
    pointer.insert("serviceTenantId".to_owned(), AttributeValue::S(second.to_string()));
    app.put(pointer).await;
    let path = format!("/v1/report-summaries?latestOnly=false&tenantId={}", provider_id(first));
    app.org_a().get(&path).await.failure(500, "INTERNAL_ERROR");
}

#[tokio::test]
async fn the_audit_trail_has_the_labels_and_the_emergency_access_of_a_tenant_before_and_after() {
    let app = TestApp::new().await;
    let (organization, [tenant, _]) = (&app.org_a.organization, &app.org_a.tenants);
    let writer = |second: usize| by_operator(organization, time(&format!("2026-07-01T00:00:0{second}Z")));
    let labels = ["Gold", "Silver"].map(|label| label.parse().unwrap());
    writer(1).label_tenant(tenant, &labels.into()).await.unwrap();
    writer(2).label_tenant(tenant, &[].into()).await.unwrap();
    let objects = [1, 2].map(|number| format!("0a000000-0000-4000-8000-00000000000{number}"));
    let parsed = objects.each_ref().map(|object| object.parse().unwrap());
    writer(3).declare_emergency_access(tenant, &parsed).await.unwrap();
    writer(4).declare_emergency_access(tenant, &[]).await.unwrap();
    let (trail, _) = organization.audit_trail(None, 4, later()).await.unwrap();
    let changes = trail.iter().rev().flat_map(|entry| &entry.changes);
    let changes: Vec<_> = changes.map(|it| (&*it.field, it.before.as_deref(), it.after.as_deref())).collect();
    let (labels, objects) = (Some("Gold, Silver"), objects.join(", "));
    let expected = [
        ("labels", None, labels),
        ("labels", labels, None),
        ("emergency access", None, Some(&*objects)),
        ("emergency access", Some(&*objects), None),
    ];
    assert_eq!(changes, expected);
}
