//! No organization sees another's data, or whether it exists.

mod agents;
mod canaries;
mod matrix;
mod moving;
mod scopes;
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
    let (report, control) = (format!("{}-report-1", own.tenants[0].id), format!("{}-controlId", own.tenants[0].id));
    let named = |path: &String| path.replace("{reportId}", &report).replace("{controlId}", &control);
    for path in app.paths.iter().map(named) {
        let query =
            if path.ends_with("/billable-users") { format!("tenantId={}", own.tenants[0].id) } else { String::new() };
        let plain = client.get(&format!("{path}?{query}")).await;
        plain.success();
        let mut request = client.request("GET", &format!("{path}?{query}"));
        for name in ["organizationid", "x-organization-id", "principalid", "x-api-key"] {
            request.headers_mut().insert(name, canary.clone());
        }
        assert_eq!(client.send(request).await, plain, "{path}");
        for name in ["organizationId", "principalId"] {
            let named = client.get(&format!("{path}?{query}&{name}={}", other.canary())).await;
            named.failure(400, "INVALID_REQUEST");
            assert!(!named.text().contains(&other.canary()), "{path}: {}", named.text());
        }
    }
}
