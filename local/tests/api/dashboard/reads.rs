//! What pages read: summaries, and a report's body only for the page of that report.

use std::sync::{Arc, Mutex};

use api::App;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeSerializationInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::operation::get_item::{GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::query::QueryOutput;
use axum::Router;
use model::{Role, ServiceTenantId};
use store::Store;

use super::{dashboard_over, join, send, sign_in};
use crate::support::{TestApp, baseline_report, tenant};

/// Begins the sort key of a report with its body.
const BODY: &str = "REPORT#";

/// The kinds of the single items that were read strongly consistent.
#[derive(Debug, Default, Clone)]
struct Strong(Arc<Mutex<Vec<String>>>);

impl Intercept for Strong {
    fn name(&self) -> &'static str {
        "Strong"
    }

    fn read_before_serialization(
        &self,
        context: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        if let Some(get) = context.input().downcast_ref::<GetItemInput>()
            && get.consistent_read() == Some(true)
        {
            let key = get.key().unwrap()["sk"].as_s().unwrap();
            self.0.lock().unwrap().push(key.split('#').next().unwrap().to_owned());
        }
        Ok(())
    }
}

/// The sort keys of the items that each call returned.
#[derive(Debug, Default, Clone)]
struct Calls(Arc<Mutex<Vec<Vec<String>>>>);

impl Calls {
    /// Takes the calls since the last time: their number, and how many bodies they returned.
    fn take(&self) -> (usize, usize) {
        let calls = std::mem::take(&mut *self.0.lock().unwrap());
        (calls.len(), calls.iter().flatten().filter(|key| key.starts_with(BODY)).count())
    }
}

impl Intercept for Calls {
    fn name(&self) -> &'static str {
        "Calls"
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let output = context.output_or_error().unwrap();
        let items = if let Some(query) = output.downcast_ref::<QueryOutput>() {
            query.items().to_vec()
        } else if let Some(batch) = output.downcast_ref::<BatchGetItemOutput>() {
            batch.responses().into_iter().flat_map(|tables| tables.values()).flatten().cloned().collect()
        } else if let Some(get) = output.downcast_ref::<GetItemOutput>() {
            get.item().into_iter().cloned().collect()
        } else {
            // A download is written to the audit trail.
            return Ok(());
        };
        let keys = items.iter().map(|item| item["sk"].as_s().unwrap().clone());
        self.0.lock().unwrap().push(keys.collect());
        Ok(())
    }
}

/// The table on a connection with an interceptor.
fn intercepted(app: &TestApp, interceptor: impl Intercept + 'static) -> App {
    let config = app.engine.client().config().to_builder().interceptor(interceptor).build();
    App { store: Store::new(Client::from_conf(config), "posture"), ..app.app.clone() }
}

/// The dashboard on a connection whose calls are listed.
fn listed(app: &TestApp) -> (Router, Calls) {
    let calls = Calls::default();
    (dashboard_over(intercepted(app, calls.clone())), calls)
}

#[tokio::test]
async fn sessions_members_and_keys_are_read_strongly_consistent_every_time() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let cookie = sign_in(&app, &member).await;
    let strong = Strong::default();
    let on_it = intercepted(&app, strong.clone());
    for _ in 0..2 {
        assert_eq!(send(&dashboard_over(on_it.clone()), "GET", "/", Some(&cookie), "").await.status, 200);
        on_it.store.access(&app.org_a.key.parse().unwrap()).await.unwrap().unwrap();
        let read = std::mem::take(&mut *strong.0.lock().unwrap());
        for kind in ["SESSION", "MEMBER", "KEY"] {
            assert_eq!(read.iter().filter(|read| *read == kind).count(), 1, "{kind}: {read:?}");
        }
    }
}

#[tokio::test]
async fn only_the_page_of_a_report_reads_a_body_and_no_list_reads_more_often_for_more_tenants() {
    let app = TestApp::new().await;
    let admin = join(&app, &app.org_a.organization, Role::Admin, "admin").await;
    let cookie = sign_in(&app, &admin).await;
    let (router, calls) = listed(&app);
    let report = baseline_report("2026-07-01T00:00:00Z");
    let own = &app.org_a.tenants[0];
    app.org_a.add_report(own, "rpt_own", &report).await;
    let control = "/controls?tool=scubagear&control=X.1";
    let lists = ["/", "/portfolio.csv", "/controls", control, "/tenants", "/imports", "/usage", "/settings/audit"];
    let lists = lists.map(str::to_owned);
    let lists: Vec<_> =
        lists.into_iter().chain([format!("/tenants/{own}"), format!("/tenants/{own}/reports.csv")]).collect();
    let read = async |path: &str| {
        let response = send(&router, "GET", path, Some(&cookie), "").await;
        assert_eq!(response.status, 200, "{path}");
        calls.take()
    };
    let mut few = Vec::new();
    for path in &lists {
        few.push(read(path).await);
    }
    for number in 0..60 {
        let id: ServiceTenantId = format!("ten_more_{number}").parse().unwrap();
        app.org_a.add_tenant(&tenant(&id, &format!("Tenant {number}"))).await;
        app.org_a.add_report(&id, &format!("rpt_more_{number}"), &report).await;
    }
    for (path, few) in lists.iter().zip(few) {
        assert_eq!(few.1, 0, "{path} reads a body");
        assert_eq!(read(path).await, few, "{path}");
    }
    assert_eq!(read(&format!("/tenants/{own}/reports/rpt_own")).await, (10, 1));
}
