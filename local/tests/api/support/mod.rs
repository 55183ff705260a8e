//! Starts a separate service for every test, with two organizations, and clients that send HTTP to it in-process.

mod log;
mod reports;

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use api::App;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use http_body_util::BodyExt;
use lambda_http::aws_lambda_events::apigw::ApiGatewayCustomAuthorizerRequest;
use lambda_http::http::{HeaderMap, HeaderName, Method, Request, Response, header};
use local::{Engine, Functions, Gateway, Limits, TEMPLATE, Uploads};
use model::{Admin, KeyId, OrganizationId, ReportBody, ServiceTenantId, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{AdminWriter, NewReport, Organization, OrganizationRecord, ReportError, TenantError, TenantRecord, Writer};
use tokio::net::TcpListener;
use tower::ServiceExt;

pub(crate) use log::Log;
pub(crate) use reports::{baseline_report, follow_up_report, large_report};

/// Address of the dashboard.
pub(crate) const DASHBOARD: &str = "https://dashboard.example";

/// Address of the gateway.
pub(crate) const GATEWAY: &str = "https://api.example";

/// Path of imports.
pub(crate) const IMPORTS: &str = "/v1/imports";
/// The limit of most endpoints.
const TEN_A_MINUTE: &str = "\"default\";q=10;w=60";
/// The limit of imports and agents. The gateway's own failures there say the other one.
const SIXTY_A_MINUTE: &str = "\"default\";q=60;w=60";

/// Path of the list of endpoints.
pub(crate) const INDEX: &str = "/";

/// The date of every test.
pub(crate) const TODAY: NaiveDate = NaiveDate::from_ymd_opt(2026, 7, 15).expect("a date");

/// The service, an operator's access to it, and the clock of its limits.
pub(crate) struct TestApp {
    pub(crate) app: App,
    pub(crate) org_a: TestOrganization,
    pub(crate) org_b: TestOrganization,
    /// Every path of a function, as the gateway reads them from the template. All are for `GET`.
    pub(crate) paths: Vec<String>,
    router: Router,
    pub(crate) uploads: Arc<Uploads>,
    uptime: Arc<AtomicU64>,
    pub(crate) engine: Engine,
}

/// An organization with a key and two tenants.
pub(crate) struct TestOrganization {
    pub(crate) organization: Organization,
    pub(crate) key: String,
    pub(crate) key_id: KeyId,
    /// Their identifiers end in 1 and 2.
    pub(crate) tenants: [ServiceTenantId; 2],
}

impl TestApp {
    /// Returns the service as deployed, except for the limits: tests send requests faster than clients may.
    pub(crate) async fn new() -> Self {
        Self::build(TEMPLATE, false).await
    }

    /// Returns the service with its limits.
    pub(crate) async fn limited() -> Self {
        Self::build(TEMPLATE, true).await
    }

    /// Returns the service with another template, with its limits.
    pub(crate) async fn by_template(template: &str) -> Self {
        Self::build(template, true).await
    }

    async fn build(template: &str, limited: bool) -> Self {
        Log::prepare();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let engine = Engine::memory(listener).await.unwrap();
        let store = engine.store("posture").await.unwrap();
        let app = App { clock: || noon(TODAY), ..App::new(store, DASHBOARD) };
        let uptime = Arc::new(AtomicU64::new(0));
        let seconds = Arc::clone(&uptime);
        let counted = Limits::Counted(Arc::new(move || Duration::from_secs(seconds.load(Ordering::Relaxed))));
        let limits = if limited { counted } else { Limits::Off };
        let uploads = Uploads::new(None, GATEWAY).unwrap();
        let functions = Functions::of(&app).taking(&app, &uploads);
        let gateway = Gateway::from_template(template, &functions, &limits).unwrap();
        Self {
            org_a: TestOrganization::create(&app, "a").await,
            org_b: TestOrganization::create(&app, "b").await,
            paths: gateway.routes().into_iter().filter_map(|(method, path)| endpoint(&method, path)).collect(),
            router: gateway.into_router().merge(uploads.router()),
            uploads,
            app,
            uptime,
            engine,
        }
    }

    /// Returns a client without a key.
    pub(crate) fn anonymous(&self) -> Client {
        Client { router: self.router.clone(), authorization: None }
    }

    /// Returns a client of the first organization.
    pub(crate) fn org_a(&self) -> Client {
        self.with_key(&self.org_a.key)
    }

    /// Returns a client of the second organization.
    pub(crate) fn org_b(&self) -> Client {
        self.with_key(&self.org_b.key)
    }

    /// Returns a client with any key.
    pub(crate) fn with_key(&self, key: &str) -> Client {
        Client { authorization: Some(format!("Bearer {key}")), ..self.anonymous() }
    }

    /// Returns every item of the table.
    pub(crate) async fn items(&self) -> Vec<HashMap<String, AttributeValue>> {
        let pages = self.engine.client().scan().table_name("posture").into_paginator().items().send();
        pages.collect::<Result<_, _>>().await.unwrap()
    }

    /// Writes an item as it is.
    pub(crate) async fn put(&self, item: HashMap<String, AttributeValue>) {
        self.engine.client().put_item().table_name("posture").set_item(Some(item)).send().await.unwrap();
    }

    /// Deletes an item.
    pub(crate) async fn delete(&self, item: &HashMap<String, AttributeValue>) {
        let delete = self.engine.client().delete_item().table_name("posture");
        delete.key("pk", item["pk"].clone()).key("sk", item["sk"].clone()).send().await.unwrap();
    }

    /// Lets the table have these items, and no others.
    pub(crate) async fn restore(&self, items: &[HashMap<String, AttributeValue>]) {
        let stored = self.items().await;
        let key = |item: &HashMap<String, AttributeValue>| (item["pk"].clone(), item["sk"].clone());
        for item in stored.iter().filter(|item| !items.iter().any(|of| key(of) == key(item))) {
            self.delete(item).await;
        }
        for item in items.iter().filter(|item| !stored.contains(item)) {
            self.put(item.clone()).await;
        }
    }

    /// Deletes the table.
    pub(crate) async fn stop_engine(self) {
        self.engine.stop().await.unwrap();
    }

    /// Advances the clock of the limits.
    pub(crate) fn pass(&self, seconds: u64) {
        self.uptime.fetch_add(seconds, Ordering::Relaxed);
    }
}

impl TestOrganization {
    pub(crate) async fn create(app: &App, letter: &str) -> Self {
        let id: OrganizationId = format!("org_{letter}").parse().unwrap();
        let record = OrganizationRecord {
            organization_id: id.clone(),
            name: format!("Organization {}", letter.to_uppercase()),
            usage_plan_key: format!("usage-plan-key-of-{letter}"),
            created_at: time("2026-01-01T00:00:00Z"),
        };
        app.store.as_operator().create_organization(&record).await.unwrap();
        let organization = app.store.organization(&id);
        let created = by_operator(&organization, record.created_at).create_key(None).await.unwrap();
        let tenants = [1, 2].map(|number| format!("ten_{letter}{number}").parse().unwrap());
        let made = Self { organization, key: created.key.reveal().to_owned(), key_id: created.listing.key_id, tenants };
        for (number, id) in (1..).zip(&made.tenants) {
            made.add_tenant(&tenant(id, &format!("Tenant {letter}{number}"))).await;
        }
        made
    }

    /// Returns the organization's changes, by the operator, at a time that does not matter.
    pub(crate) fn writer(&self) -> AdminWriter {
        by_operator(&self.organization, time("2026-07-01T00:00:00Z"))
    }

    /// Adds a tenant.
    pub(crate) async fn add_tenant(&self, tenant: &TenantRecord) {
        add_tenant(&by_operator(&self.organization, tenant.onboarding_date), tenant).await.unwrap();
    }

    /// Removes a tenant.
    pub(crate) async fn remove_tenant(&self, id: &ServiceTenantId) {
        self.writer().remove_tenant(id).await.unwrap();
    }

    /// Adds a report whose body is given as JSON. Starts again if the tenant is changed meanwhile.
    pub(crate) async fn add_report(&self, tenant: &ServiceTenantId, id: &str, body: &Value) {
        self.add_report_of("scubagear", tenant, id, body).await;
    }

    /// Adds a report of a tool.
    pub(crate) async fn add_report_of(&self, tool: &str, tenant: &ServiceTenantId, id: &str, body: &Value) {
        let at = ReportBody::deserialize(body).unwrap().figures.completed_at;
        self.add_report_at(at, tool, tenant, id, body).await;
    }

    /// Adds a report of a tool at a time.
    pub(crate) async fn add_report_at(
        &self,
        at: Timestamp,
        tool: &str,
        tenant: &ServiceTenantId,
        id: &str,
        body: &Value,
    ) {
        let (id, body) = (id.parse().unwrap(), ReportBody::deserialize(body).unwrap());
        loop {
            let tenant = self.organization.tenant(tenant).await.unwrap().unwrap();
            let report =
                NewReport { id: &id, tenant: &tenant, tool, body: &body, revisions: &BTreeMap::new(), content: None };
            match by_operator(&self.organization, at).add_report(report).await {
                Err(ReportError::TenantChanged) => {}
                added => return added.unwrap(),
            }
        }
    }
}

/// Returns an organization's changes, by the operator.
pub(crate) fn by_operator(organization: &Organization, at: Timestamp) -> AdminWriter {
    organization.by_admin(&Admin::operator(), at)
}

/// Adds a tenant with its identifiers and its name.
pub(crate) async fn add_tenant(writer: &Writer, tenant: &TenantRecord) -> Result<TenantRecord, TenantError> {
    let TenantRecord { service_tenant_id, name, provider_tenant_id, .. } = tenant.clone();
    writer.add_tenant(service_tenant_id, name.parse().unwrap(), provider_tenant_id).await
}

/// Returns an authorizer's decision to allow a request, with the context for functions.
pub(crate) fn admission(event: &ApiGatewayCustomAuthorizerRequest, context: &Value) -> Value {
    json!({
        "principalId": "somebody",
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{ "Action": "execute-api:Invoke", "Effect": "Allow", "Resource": event.method_arn }],
        },
        "context": context,
        "usageIdentifierKey": "a-usage-plan-key",
    })
}

/// Returns the path of a function's `GET`. The gateway itself responds at the index.
fn endpoint(method: &Method, path: String) -> Option<String> {
    // They have tests of their own: a key that reads cannot use imports, and agents have their own protocol.
    if path.starts_with(IMPORTS) || path == "/mcp" {
        return None;
    }
    assert!(
        [Method::GET, Method::HEAD].contains(method),
        "{path} takes another method, for which the tests have no requests"
    );
    (method == Method::GET && path != INDEX).then_some(path)
}

/// Returns a new tenant, whose provider identifier is derived from the service identifier.
pub(crate) fn tenant(id: &ServiceTenantId, name: &str) -> TenantRecord {
    TenantRecord {
        service_tenant_id: id.clone(),
        name: name.to_owned(),
        provider_tenant_id: provider_id(id).parse().unwrap(),
        is_paused: false,
        onboarding_date: time("2026-02-03T04:05:06.789Z"),
        service: Default::default(),
        latest: None,
        leading_tool: None,
        emergency_access: Vec::new(),
        labels: Vec::new(),
        schedule: None,
        version: 0,
    }
}

/// Returns the provider identifier of a tenant that [`tenant`] made.
pub(crate) fn provider_id(id: &ServiceTenantId) -> String {
    let digits: String = id.as_str().bytes().map(|byte| format!("{byte:02x}")).collect();
    let padded = format!("{digits:0>12}");
    format!("ca08493a-c9c8-4db0-a9e8-{}", &padded[padded.len() - 12..])
}

/// Parses a time.
pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Returns a time after everything that tests write at fixed times.
pub(crate) fn later() -> Timestamp {
    time("2026-07-16T00:00:00Z")
}

pub(crate) fn noon(date: NaiveDate) -> DateTime<Utc> {
    date.and_time(Default::default()).and_utc() + TimeDelta::hours(12)
}

/// Sends a request to the service.
#[derive(Clone)]
pub(crate) struct Client {
    router: Router,
    authorization: Option<String>,
}

impl Client {
    /// Returns a client of any gateway.
    pub(crate) fn of(router: Router, authorization: &str) -> Self {
        Self { router, authorization: Some(authorization.to_owned()) }
    }

    /// Returns the response to a `GET`.
    pub(crate) async fn get(&self, path_and_query: &str) -> Received {
        self.send(self.request("GET", path_and_query)).await
    }

    /// Returns the response to a `GET` by a client that accepts gzip.
    pub(crate) async fn get_gzip(&self, path_and_query: &str) -> Received {
        let mut request = self.request("GET", path_and_query);
        request.headers_mut().insert(header::ACCEPT_ENCODING, "gzip".parse().unwrap());
        self.send(request).await
    }

    /// Returns the response to a `GET` by a client that holds a tag.
    pub(crate) async fn get_if_changed(&self, path_and_query: &str, tag: &str) -> Received {
        let mut request = self.request("GET", path_and_query);
        request.headers_mut().insert(header::IF_NONE_MATCH, tag.parse().unwrap());
        self.send(request).await
    }

    /// Returns the response to a `POST`.
    pub(crate) async fn post(&self, path_and_query: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Received {
        let mut request = self.request("POST", path_and_query);
        for (name, value) in headers {
            request.headers_mut().insert(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        *request.body_mut() = body.into();
        self.send(request).await
    }

    /// Returns a request with the client's key, to be changed and sent.
    pub(crate) fn request(&self, method: &str, path_and_query: &str) -> Request<Body> {
        let mut request = Request::builder().method(method).uri(path_and_query);
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        request.body(Body::empty()).unwrap()
    }

    /// Returns the response to a `GET` before its body is read.
    pub(crate) async fn open(&self, path_and_query: &str) -> Response<Body> {
        self.router.clone().oneshot(self.request("GET", path_and_query)).await.unwrap()
    }

    /// Returns the response to a request.
    pub(crate) async fn send(&self, request: Request<Body>) -> Received {
        let is_faster = request.uri().path() == "/mcp" || request.uri().path().starts_with(IMPORTS);
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let is_fast = parts.headers.get("ratelimit-policy").is_some_and(|policy| policy == SIXTY_A_MINUTE);
        assert!(is_faster || !is_fast, "a limit that is not the endpoint's");
        Received { status: parts.status.as_u16(), headers: parts.headers, body }
    }
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Received {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Received {
    /// Returns the body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Returns the value of a header that is present exactly once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let values: Vec<_> = self.headers.get_all(name).iter().collect();
        assert!(values.len() <= 1, "{name} is repeated");
        values.first().map(|value| value.to_str().unwrap())
    }

    /// Returns the body as text, inflated if it is gzip.
    pub(crate) fn text(&self) -> String {
        let plain = || self.body.to_vec();
        String::from_utf8(self.header("content-encoding").map_or_else(plain, |_| self.gunzipped())).unwrap()
    }

    /// Returns the JSON of a gzip body, with a decoder that shares no code with the service.
    pub(crate) fn gunzipped(&self) -> Vec<u8> {
        assert_eq!(self.header("content-encoding"), Some("gzip"));
        let mut text = Vec::new();
        libflate::gzip::Decoder::new(&*self.body).unwrap().read_to_end(&mut text).unwrap();
        text
    }

    /// Returns the body of a success.
    #[track_caller]
    pub(crate) fn success(&self) -> Value {
        assert_eq!(self.status, 200, "{:?}", self.body);
        self.assert_fixed_headers("private, no-cache");
        self.json()
    }

    /// Returns the `error` of a failure, whose shape is checked.
    #[track_caller]
    pub(crate) fn failure(&self, status: u16, code: &str) -> Value {
        let body = self.json();
        assert_eq!((self.status, body["error"]["code"].as_str()), (status, Some(code)), "{body}");
        self.assert_fixed_headers("no-store");
        assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["error"]);
        let error = body["error"].as_object().unwrap();
        assert!(error.keys().all(|field| matches!(field.as_str(), "code" | "message" | "details")), "{body}");
        assert!(error.values().all(|text| text.as_str().is_some_and(|text| !text.is_empty())), "{body}");
        body["error"].clone()
    }

    /// Checks that it is the response to a request without a valid key.
    #[track_caller]
    pub(crate) fn unauthorized(&self) {
        let error = self.failure(401, "UNAUTHORIZED");
        assert!(error["message"].as_str().unwrap().contains("API key is invalid"));
        assert!(error["details"].as_str().unwrap().contains("invalid or revoked"));
        assert_eq!(self.header("www-authenticate"), Some("Bearer"));
    }

    #[track_caller]
    fn assert_fixed_headers(&self, caching: &str) {
        for (name, value) in [
            ("content-type", "application/json; charset=utf-8"),
            ("cache-control", caching),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(self.header(name), Some(value), "{name}");
        }
        let policy = self.header("ratelimit-policy");
        assert!(policy.is_some_and(|policy| [TEN_A_MINUTE, SIXTY_A_MINUTE].contains(&policy)), "{policy:?}");
    }
}
