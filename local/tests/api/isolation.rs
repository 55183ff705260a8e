//! No organization sees another's data, nor whether it exists.

use serde::Deserialize;
use serde_json::json;
use shared::model::{BillableUser, UsageTenant};

use crate::support::{Answer, TODAY, TestApp, TestOrganization, baseline_report, follow_up_report, provider_id, time};

const TENANT_ENDPOINTS: [&str; 2] = ["/v1/posture-reports", "/beta/billable-users"];

/// Reports, usage and users of both tenants, each marked with the organization's name.
async fn fill(organization: &TestOrganization, mark: &str) {
    let recorded = time("2026-07-15T03:00:00.000Z");
    let mut usage = Vec::new();
    for tenant in &organization.tenants {
        for (number, mut body) in
            [baseline_report("2026-06-01T00:00:00.000Z"), follow_up_report("2026-07-01T00:00:00.000Z")]
                .into_iter()
                .enumerate()
        {
            body["checks"][0]["currentState"] = format!("{mark} state").into();
            organization.add_report(tenant, &format!("{mark}-{tenant}-{number}"), &body).await;
        }
        let user = json!({
            "id": mark, "displayName": mark, "userPrincipalName": mark, "mail": mark,
            "accountEnabled": true, "assignedLicenseSkuIds": [mark],
        });
        let users = [BillableUser::deserialize(user).unwrap()];
        organization.organization.record_billable_users(tenant, recorded, &users).await.unwrap();
        let tenant = json!({
            "serviceTenantId": tenant, "providerTenantId": provider_id(tenant), "onboardingDate": "2026-01-01",
            "displayName": mark, "service": "Monitoring", "isPaused": false, "firstBillableDate": "2026-01-01",
            "billableStatus": "Active", "totalLicensedUsers": 1, "billableUsersThisMonth": 1,
            "proratingPercentageThisMonth": 100.0,
        });
        usage.push(UsageTenant::deserialize(tenant).unwrap());
    }
    organization.organization.record_usage(TODAY, recorded, usage).await.unwrap();
}

#[tokio::test]
async fn every_answer_holds_the_callers_data_and_nothing_of_the_others() {
    let app = TestApp::new().await;
    fill(&app.org_a, "secretofa").await;
    fill(&app.org_b, "secretofb").await;
    for (client, own, other, letter) in
        [(app.org_a(), "secretofa", "secretofb", 'a'), (app.org_b(), "secretofb", "secretofa", 'b')]
    {
        for path in [
            "/v1/posture-reports".to_owned(),
            "/v1/posture-reports?latestOnly=false&limit=500".to_owned(),
            format!("/v1/posture-reports?tenantId=ten_{letter}1&latestOnly=false"),
            "/v1/usage".to_owned(),
            format!("/beta/billable-users?tenantId=ten_{letter}2"),
        ] {
            let answer = client.get(&path).await;
            answer.success();
            let text = String::from_utf8(answer.body.to_vec()).unwrap();
            assert!(text.contains(own) && !text.contains(other), "{path}");
        }
        let listed = client.get("/v1/tenants").await.success();
        let listed: Vec<_> =
            listed["tenants"].as_array().unwrap().iter().map(|tenant| &tenant["serviceTenantId"]).collect();
        assert_eq!(listed, [&json!(format!("ten_{letter}1")), &json!(format!("ten_{letter}2"))]);
    }
}

#[tokio::test]
async fn a_foreign_a_removed_and_an_unknown_tenant_are_the_same_404_byte_for_byte() {
    let app = TestApp::new().await;
    fill(&app.org_a, "secretofa").await;
    fill(&app.org_b, "secretofb").await;
    let removed = &app.org_a.tenants[0];
    app.org_a.remove_tenant(removed).await;
    let mut answers: Vec<Answer> = Vec::new();
    for tenant in [
        "ten_b1".to_owned(),
        provider_id(&app.org_b.tenants[0]),
        provider_id(&app.org_b.tenants[0]).to_uppercase(),
        removed.to_string(),
        provider_id(removed),
        "ten_unknown".to_owned(),
        "ca08493a-c9c8-4db0-a9e8-d3b4bafac269".to_owned(),
        "no%23identifier%0A".to_owned(),
        "org_b".to_owned(),
        "x".repeat(1_000),
    ] {
        for endpoint in TENANT_ENDPOINTS {
            answers.push(app.org_a().get(&format!("{endpoint}?tenantId={tenant}")).await);
        }
    }
    for answer in &answers {
        answer.failure(404, "NOT_FOUND");
        assert_eq!(answer, &answers[0]);
    }
    for endpoint in TENANT_ENDPOINTS {
        app.org_b().get(&format!("{endpoint}?tenantId=ten_b1")).await.success();
    }
}

#[tokio::test]
async fn a_client_cannot_name_its_organization() {
    let app = TestApp::new().await;
    fill(&app.org_a, "secretofa").await;
    fill(&app.org_b, "secretofb").await;
    let mut request = app.org_a().request("GET", "/v1/usage?organizationId=org_b&principalId=org_b");
    for name in ["organizationid", "x-organization-id", "principalid", "x-api-key"] {
        request.headers_mut().insert(name, "org_b".parse().unwrap());
    }
    let answer = app.org_a().send(request).await.success();
    assert_eq!(answer["organizationName"], "Organization A");
}
