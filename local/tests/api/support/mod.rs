//! Starts a separate service for every test, with two organizations, and clients that send HTTP to it in-process.

mod client;
mod log;
mod reports;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use api::App;
use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use lambda_http::aws_lambda_events::apigw::ApiGatewayCustomAuthorizerRequest;
use lambda_http::http::Method;
use local::{Engine, Functions, Gateway, Limits, TEMPLATE, Uploads};
use model::{Admin, KeyId, OrganizationId, ReportBody, ServiceTenantId, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use store::{AdminWriter, NewReport, Organization, OrganizationRecord, ReportError, TenantError, TenantRecord, Writer};
use tokio::net::TcpListener;

pub(crate) use client::{Client, Received};
pub(crate) use log::Log;
pub(crate) use reports::{baseline_report, follow_up_report, large_report};

/// Address of the dashboard.
pub(crate) const DASHBOARD: &str = "https://dashboard.example";

/// Path of imports.
pub(crate) const IMPORTS: &str = "/v1/imports";

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
        let uploads = Uploads::new(None).unwrap();
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
        Client::anonymous(self.router.clone())
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
        Client::of(self.router.clone(), &format!("Bearer {key}"))
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
        resumed_at: None,
        stale_since: None,
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
