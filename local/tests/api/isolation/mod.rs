//! No organization sees another's data, or whether it exists.

mod canaries;
mod matrix;
mod stored;

use lambda_http::http::HeaderValue;

use crate::support::TestApp;
pub(crate) use canaries::Canaries;

#[tokio::test]
async fn a_client_cannot_name_its_organization() {
    let app = TestApp::new().await;
    let (own, other) = (Canaries::create(&app, 'a').await, Canaries::create(&app, 'b').await);
    let client = app.with_key(&own.key);
    let canary = HeaderValue::from_str(&other.canary()).unwrap();
    let report = format!("{}-report-1", own.tenants[0].id);
    for path in app.paths.iter().map(|path| path.replace("{reportId}", &report)) {
        let query = format!("tenantId={}", own.tenants[0].id);
        let plain = client.get(&format!("{path}?{query}")).await;
        let named = format!("{path}?{query}&organizationId={canary}&principalId={canary}", canary = other.canary());
        let mut request = client.request("GET", &named);
        for name in ["organizationid", "x-organization-id", "principalid", "x-api-key"] {
            request.headers_mut().insert(name, canary.clone());
        }
        plain.success();
        assert_eq!(client.send(request).await, plain, "{path}");
    }
}
