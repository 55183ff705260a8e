//! `GET /beta/billable-users`.

use model::BillableUser;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{TestApp, TestOrganization, by_operator, provider_id, time};

const PATH: &str = "/beta/billable-users";
const RECORDED: &str = "2026-07-15T03:00:00.000Z";

/// Returns a user, as the contract writes it.
pub(crate) fn user(number: usize) -> Value {
    json!({
        "id": format!("user-{number}"),
        "displayName": format!("User {number} \"Ünïcödé\""),
        "userPrincipalName": format!("user{number}@example.org"),
        "mail": if number.is_multiple_of(2) { String::new() } else { format!("mail{number}@example.org") },
        "accountEnabled": !number.is_multiple_of(3),
        "assignedLicenseSkuIds": vec!["c7df2760-2c81-4ef7-b578-5b5392b571df"; number % 4],
    })
}

pub(crate) async fn record(organization: &TestOrganization, tenant: usize, users: &[Value]) {
    let users: Vec<_> = users.iter().map(|user| BillableUser::deserialize(user).unwrap()).collect();
    let tenant = &organization.tenants[tenant];
    by_operator(&organization.organization, time(RECORDED)).record_billable_users(tenant, &users).await.unwrap();
}

#[tokio::test]
async fn every_field_of_billable_users_exists_under_its_name() {
    let app = TestApp::new().await;
    let users: Vec<_> = (0..6).map(user).collect();
    record(&app.org_a, 0, &users).await;
    let provider_id = provider_id(&app.org_a.tenants[0]);
    let expected = json!({
        "tenantId": "ten_a1",
        "tenantDisplayName": "Tenant a1",
        "microsoftTenantId": provider_id,
        "providerTenantId": provider_id,
        "reportGeneratedAt": RECORDED,
        "users": users,
        "totalBillableUsers": 6,
    });
    let response = app.org_a().get(&format!("{PATH}?tenantId=ten_a1")).await;
    assert_eq!(response.success(), expected);
    assert_eq!(response.header("vary"), Some("Accept-Encoding"));
    let by_provider_id = app.org_a().get(&format!("{PATH}?tenantId={}", provider_id.to_uppercase())).await;
    assert_eq!(by_provider_id.success(), expected);
}

#[tokio::test]
async fn a_paused_tenant_has_no_billable_users() {
    let app = TestApp::new().await;
    record(&app.org_a, 0, &[user(1)]).await;
    app.org_a.writer().pause_tenant(&app.org_a.tenants[0], true).await.unwrap();
    let response = app.org_a().get(&format!("{PATH}?tenantId=ten_a1")).await.success();
    assert_eq!((&response["users"], &response["totalBillableUsers"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn the_tenant_has_to_be_named_once() {
    let app = TestApp::new().await;
    for query in ["", "?", "?tenantId=", "?tenantId", "?TENANTID=ten_a1", "?tenantId=ten_a1&tenantId=ten_a2"] {
        let error = app.org_a().get(&format!("{PATH}{query}")).await.failure(400, "INVALID_REQUEST");
        assert!(error["details"].as_str().unwrap().contains("tenantId"), "{query:?}: {error}");
    }
}

#[tokio::test]
async fn before_anything_is_recorded_there_is_nothing_to_return() {
    let app = TestApp::new().await;
    record(&app.org_a, 1, &[user(1)]).await;
    app.org_a().get(&format!("{PATH}?tenantId=ten_a1")).await.failure(404, "NOT_FOUND");
    record(&app.org_a, 0, &[]).await;
    assert_eq!(app.org_a().get(&format!("{PATH}?tenantId=ten_a1")).await.success()["totalBillableUsers"], 0);
}

#[tokio::test]
async fn a_list_of_several_pages_is_complete_and_replaces_a_longer_one() {
    let app = TestApp::new().await;
    let user = |number: usize| {
        let mut user = user(number);
        // Text that hardly shrinks, so that the chunks fill pages.
        user["displayName"] = (0..30_u64)
            .map(|part| format!("{:x}", (number as u64 * 30 + part).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect::<String>()
            .into();
        user
    };
    for count in [6_001, 4_000] {
        let users: Vec<_> = (0..count).map(user).collect();
        record(&app.org_a, 0, &users).await;
        let response = app.org_a().get(&format!("{PATH}?tenantId=ten_a1")).await.success();
        assert!(response["users"] == Value::from(users), "each of {count} occurs once, in order");
        assert_eq!(response["totalBillableUsers"], count);
    }
}
