//! Data that outlives a release: golden tables of every released format, and data of a later one.
//!
//! A golden table contains every kind of item as its release wrote it. It never changes: CONTRIBUTING.md says how a
//! stored shape does.

mod checked;
mod damage;
mod expired;
mod golden;
mod item;
mod moving;
mod newer;
mod repairs;
mod rollback;
mod sample;
mod strays;
mod upgrade;

use axum::Router;
use model::Role;
use store::{FORMAT, Membership};

use crate::dashboard::{dashboard_of, send, sign_in};
use crate::support::{TestApp, later};
pub(crate) use item::Item;
use sample::Sample;

/// The format of a later release.
const LATER_FORMAT: u32 = FORMAT + 1;

/// Reads every endpoint, every page and every check, and returns the API's reports. Everything succeeds.
async fn read_all(app: &TestApp, sample: &Sample) -> serde_json::Value {
    let client = app.with_key(&sample.key);
    let paths = endpoints(sample);
    for path in &paths {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    let (router, cookie) = signed_in(app, Role::Admin).await;
    let pages = pages(app, sample, (&router, &cookie)).await;
    for page in &pages {
        assert_eq!(send(&router, "GET", page, Some(&cookie), "").await.status, 200, "{page}");
    }
    check(app).await;
    client.get(&paths[0]).await.success()["reports"].clone()
}

/// Returns every endpoint, for the organization of the sample.
fn endpoints(sample: &Sample) -> [String; 10] {
    [
        "/v1/posture-reports?latestOnly=false".to_owned(),
        "/v1/report-summaries?latestOnly=false".to_owned(),
        "/v1/controls".to_owned(),
        "/v1/events".to_owned(),
        "/v1/tenants".to_owned(),
        "/v1/trends?startDate=2025-08-01".to_owned(),
        "/v1/usage?asOf=2026-07-15".to_owned(),
        format!("/beta/billable-users?tenantId={}", sample.tenants[0]),
        "/v1/posture-reports/rpt_golden_2".to_owned(),
        "/v1/posture-reports?latestOnly=true".to_owned(),
    ]
}

/// Returns every page, for an Admin of the organization of the sample.
async fn pages(app: &TestApp, sample: &Sample, (router, cookie): (&Router, &str)) -> Vec<String> {
    let report = format!("/tenants/{}/reports/rpt_golden_2", sample.tenants[0]);
    let texts = app.app.store.organization(&sample.organization).all_texts().await.unwrap();
    let edit_administrator = {
        let page = send(router, "GET", &report, Some(cookie), "").await.text;
        let (_, rest) = page.split_once("/edit/administrator?administrator=").expect("an administrator can be edited");
        format!("{report}/edit/administrator?administrator={}", rest.split('"').next().unwrap())
    };
    [
        "/".to_owned(),
        "/portfolio.csv".to_owned(),
        "/controls".to_owned(),
        "/controls.csv".to_owned(),
        "/tenants".to_owned(),
        format!("/tenants/{}", sample.tenants[0]),
        format!("/tenants/{}/reports.csv", sample.tenants[0]),
        format!("/tenants/{}/kept-edits", sample.tenants[0]),
        format!("/tenants/{}/connection", sample.tenants[0]),
        report.clone(),
        format!("{report}/checks.csv"),
        format!("{report}/compare?with=rpt_golden_1"),
        format!("{report}/edit/check?control=Y.1"),
        format!("{report}/task?control=Y.1"),
        format!("{report}/set-back?control=Y.1"),
        edit_administrator,
        "/imports".to_owned(),
        format!("/imports/{}", imported(app, sample).await),
        "/usage".to_owned(),
        "/usage.csv".to_owned(),
        "/billable-users".to_owned(),
        format!("/billable-users/{}", sample.tenants[0]),
        "/settings/api-keys".to_owned(),
        "/settings/members".to_owned(),
        "/settings/schedule".to_owned(),
        "/settings/texts".to_owned(),
        "/settings/brand".to_owned(),
        "/settings/audit".to_owned(),
        "/settings/audit.csv".to_owned(),
        "/organizations".to_owned(),
    ]
    .into_iter()
    .chain(texts.iter().map(|text| format!("/settings/texts/edit?tool={}&control={}", text.tool, text.control_id)))
    .collect()
}

/// Returns the identifier of the recorded import.
async fn imported(app: &TestApp, sample: &Sample) -> String {
    let imports = app.app.store.organization(&sample.organization).imports(10, later()).await.unwrap();
    assert_eq!(imports.len(), 1);
    imports[0].import_id.to_string()
}

/// Checks as `posture check` does.
async fn check(app: &TestApp) {
    let organization = app.app.store.organization(&sample::organization());
    assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
    assert_eq!(app.app.store.inspect_outside().await.unwrap(), []);
}

/// Begins a session of the member with a role.
async fn signed_in(app: &TestApp, role: Role) -> (Router, String) {
    let organization = app.app.store.organization(&sample::organization());
    let members = organization.members().await.unwrap();
    let member = members.iter().find(|member| member.role == role).expect("a member has the role");
    let membership = Membership { organization_id: organization.id().clone(), member_id: member.member_id.clone() };
    (dashboard_of(app), sign_in(app, &membership).await)
}

/// Returns the items that belong to the sample.
async fn items(app: &TestApp) -> Vec<Item> {
    let mut items: Vec<_> = app.items().await.into_iter().map(Item).filter(sample::owns).collect();
    items.sort_by_key(Item::key);
    items
}

/// Returns a service with these items beside its own.
async fn with_items(items: impl IntoIterator<Item = Item>) -> TestApp {
    let app = TestApp::new().await;
    for Item(item) in items {
        app.put(item).await;
    }
    app
}
