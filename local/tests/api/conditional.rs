//! Conditional requests: a 304 is never stale, and reads no body.

use std::collections::{BTreeMap, HashMap};

use api::App;
use chrono::TimeDelta;
use local::{Functions, Gateway, Limits, TEMPLATE};
use model::{BillableUser, ReportBody, ReportId, ServiceTenantId, Timestamp, UsageTenant};
use serde::Deserialize;
use serde_json::json;
use store::{NewReport, Organization};

use crate::faults::{FaultyStore, LimitedStore};
use crate::support::{
    Client, DASHBOARD, Received, TODAY, TestApp, TestOrganization, baseline_report, by_operator, large_report,
    provider_id, tenant, time,
};

/// Returns the number of random sequences of changes. `CONDITIONAL_SEQUENCES` overrides it.
fn sequences() -> usize {
    std::env::var("CONDITIONAL_SEQUENCES").map_or(25, |number| number.parse().unwrap())
}

impl Received {
    #[track_caller]
    fn tag(&self) -> String {
        let tag = self.header("etag").expect("every success has a tag").to_owned();
        assert!(tag.starts_with("W/\"") && tag.ends_with('"'), "{tag}");
        tag
    }

    #[track_caller]
    fn assert_not_modified(&self, tag: &str) {
        assert_eq!((self.status, self.header("etag")), (304, Some(tag)));
        assert!(self.body.is_empty());
        assert_eq!(self.header("cache-control"), Some("private, no-cache"));
        assert_eq!(self.header("vary"), Some("Accept-Encoding"));
        assert_eq!(self.header("content-encoding"), None);
    }
}

/// Returns every way to read something of the first organization, whose first tenant is named by its provider
/// identifier.
fn urls(provider_id: &str) -> Vec<String> {
    let mut urls = ["/v1/tenants", "/v1/usage", "/v1/posture-reports", "/v1/posture-reports?latestOnly=false"]
        .map(str::to_owned)
        .to_vec();
    urls.push("/v1/posture-reports?latestOnly=false&limit=1".to_owned());
    urls.push("/v1/posture-reports?startDate=2026-01-01T00:00:10Z".to_owned());
    urls.push(format!("/v1/posture-reports?tenantId={provider_id}"));
    urls.push(format!("/v1/posture-reports?latestOnly=false&limit=2&tenantId={provider_id}"));
    urls.push("/v1/posture-reports/rpt_1".to_owned());
    urls.push("/v1/report-summaries?latestOnly=false&limit=3".to_owned());
    urls.push("/v1/report-summaries".to_owned());
    urls.push(format!("/beta/billable-users?tenantId={provider_id}"));
    urls
}

async fn record(organization: &Organization, tenant: &ServiceTenantId, at: Timestamp) {
    let row = json!({
        "serviceTenantId": tenant, "providerTenantId": provider_id(tenant), "onboardingDate": "2026-01-01",
        "displayName": format!("At {at}"), "service": "Monitoring", "isPaused": false,
        "firstBillableDate": "2026-01-01", "billableStatus": "Active", "totalLicensedUsers": 1,
        "billableUsersThisMonth": 1, "proratingPercentageThisMonth": 100.0,
    });
    let writer = by_operator(organization, at);
    writer.record_usage(TODAY, &[UsageTenant::deserialize(row).unwrap()]).await.unwrap();
    let user = json!({
        "id": "1", "displayName": format!("At {at}"), "userPrincipalName": "a@example.org", "mail": "",
        "accountEnabled": true, "assignedLicenseSkuIds": [],
    });
    writer.record_billable_users(tenant, &[BillableUser::deserialize(user).unwrap()]).await.unwrap();
}

#[tokio::test]
async fn a_client_that_has_the_response_is_sent_nothing() {
    let app = TestApp::new().await;
    let [first, _] = &app.org_a.tenants;
    app.org_a.add_report(first, "rpt_1", &baseline_report("2026-06-01T00:00:00.000Z")).await;
    record(&app.org_a.organization, first, time("2026-07-01T00:00:00Z")).await;
    for url in urls(&provider_id(first)) {
        let response = app.org_a().get(&url).await;
        response.success();
        let tag = response.tag();
        assert_eq!(app.org_a().get_gzip(&url).await.tag(), tag, "both codings say the same");
        app.org_a().get_if_changed(&url, &tag).await.assert_not_modified(&tag);
        app.org_a().get_if_changed(&url, "*").await.assert_not_modified(&tag);
        assert_eq!(app.org_a().get_if_changed(&url, "W/\"other\"").await.body, response.body);
        // The tag of one organization means nothing to another, not even that the responses are the same.
        let other = app.org_b().get_if_changed(&url, &tag).await;
        assert_ne!(other.status, 304, "{url}");
        let [none, unauthorized] = [app.org_b().get(&url).await, app.anonymous().get_if_changed(&url, "*").await];
        assert_eq!((other.status, other.body), (none.status, none.body));
        unauthorized.unauthorized();
    }
    let failure = app.org_a().get("/v1/posture-reports?limit=0").await;
    assert_eq!(failure.header("etag"), None);
}

#[tokio::test]
async fn a_304_reads_only_change_marks() {
    let app = TestApp::new().await;
    let organization = &app.org_a;
    for number in 0..100 {
        let id: ServiceTenantId = format!("ten_{:0>32}", number).parse().unwrap();
        organization.add_tenant(&tenant(&id, "Tenant")).await;
        let at = format!("2026-06-01T00:{:02}:{:02}.000Z", number / 60, number % 60);
        organization.add_report(&id, &format!("rpt_{:0>32}", number), &large_report(&at, number)).await;
    }
    let limited = LimitedStore::over(&app.engine).await;
    let client = FaultyStore::client_of(&limited.store, &app);
    let counting = FaultyStore::over(&app.engine).await;
    for (path, most) in [
        ("/v1/posture-reports", 2.0),
        ("/v1/posture-reports?latestOnly=false&limit=500", 2.0),
        ("/v1/report-summaries", 2.0),
        // The tenant comes first, and its name.
        ("/v1/posture-reports?latestOnly=false&tenantId=ten_00000000000000000000000000000007", 3.0),
    ] {
        let before = limited.read_units();
        let response = client.get(path).await;
        let tag = response.tag();
        let whole = limited.read_units() - before;
        client.get_if_changed(path, &tag).await.assert_not_modified(&tag);
        let of_304 = limited.read_units() - before - whole;
        eprintln!("{path}: 200 takes {whole} read units, 304 takes {of_304}, one of them for the key");
        assert!(of_304 <= most && of_304 < whole, "{path}: {of_304} of {whole}");
        counting.forget();
        counting.client(&app).get_if_changed(path, &tag).await.assert_not_modified(&tag);
        let mut made = counting.made();
        made.sort();
        made.dedup();
        assert!(made == ["GetItem", "Query"] || made == ["GetItem"], "{path}: {made:?}");
    }
    // An outdated pointer with a current mark would be an old response with a new tag.
    assert_eq!(limited.eventual_queries(), 0);
}

/// An organization that is changed at random, and the responses that its clients have seen.
struct History<'a> {
    app: &'a TestApp,
    organization: &'a TestOrganization,
    random: fastrand::Rng,
    /// Incremented with every step.
    now: Timestamp,
    /// The tenants, by the number in their provider identifiers; `None` for a removed one.
    tenants: [Option<ServiceTenantId>; 2],
    added: usize,
    /// Reports that exist, with their tenants, and reports that were deleted.
    reports: Vec<(ReportId, usize, Timestamp)>,
    deleted: Vec<(ReportId, usize, Timestamp)>,
    /// The dashboard's address, and a client of a service with that address.
    clients: Vec<Client>,
    client: usize,
    /// Every response so far, by its URL and tag.
    seen: HashMap<(String, String), Vec<u8>>,
    /// Responses that were read during a change.
    raced: HashMap<(String, String), Vec<Vec<u8>>>,
    unchanged: usize,
}

const PROVIDERS: [&str; 2] = ["ca08493a-c9c8-4db0-a9e8-00000000000a", "ca08493a-c9c8-4db0-a9e8-00000000000b"];

#[tokio::test]
async fn no_304_is_stale_whatever_was_changed() {
    let app = TestApp::new().await;
    let mut history = History::new(&app);
    for _ in 0..sequences() {
        for _ in 0..history.random.usize(2..7) {
            let urls = urls(PROVIDERS[0]);
            let url = urls[history.random.usize(..urls.len())].clone();
            // A response that is read during the change, then one that is not.
            let client = history.clients[history.client].clone();
            let during = client.get(&url);
            let (during, ()) = tokio::join!(during, history.change());
            if during.status == 200 {
                // It may be newer than its tag, which then never occurs again.
                history.raced.entry((url.clone(), during.tag())).or_default().push(during.body.to_vec());
            }
            history.ask(&url).await;
        }
        for url in urls(PROVIDERS[0]) {
            history.ask(&url).await;
        }
    }
    let (responses, unchanged) = (history.seen.len(), history.unchanged);
    eprintln!("{} sequences: {responses} different responses, {unchanged} times a 304, none stale", sequences());
    assert!(unchanged > sequences() && responses > sequences());
    assert_eq!(app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

impl<'a> History<'a> {
    fn new(app: &'a TestApp) -> Self {
        let client = |dashboard| {
            let at = App { clock: app.app.clock, ..App::new(app.app.store.clone(), dashboard) };
            let gateway = Gateway::from_template(TEMPLATE, &Functions::of(&at), &Limits::Off).unwrap();
            Client::of(gateway.into_router(), &format!("Bearer {}", app.org_a.key))
        };
        Self {
            app,
            organization: &app.org_a,
            random: fastrand::Rng::with_seed(1),
            now: time("2026-01-01T00:00:00Z"),
            tenants: [None, None],
            added: 0,
            reports: Vec::new(),
            deleted: Vec::new(),
            clients: vec![client(DASHBOARD), client("https://new.example")],
            client: 0,
            seen: HashMap::new(),
            raced: HashMap::new(),
            unchanged: 0,
        }
    }

    /// Sends two requests: with a tag that was seen before, and without.
    async fn ask(&mut self, url: &str) {
        let held: Vec<_> = self.seen.keys().filter(|(of, _)| of == url).map(|(_, tag)| tag.clone()).collect();
        let client = self.clients[self.client].clone();
        let fresh = client.get(url).await;
        if let Some(held) = self.random.choice(held) {
            let response = client.get_if_changed(url, &held).await;
            if response.status == 304 {
                assert_eq!(fresh.status, 200, "{url}");
                let held = &self.seen[&(url.to_owned(), held)];
                assert!(*held == fresh.body, "{url}: a stale 304");
                self.unchanged += 1;
            } else {
                assert_eq!((response.status, &response.body), (fresh.status, &fresh.body));
            }
        }
        if fresh.status == 200 {
            let (tag, again) = (fresh.tag(), client.get_if_changed(url, &fresh.tag()).await);
            again.assert_not_modified(&tag);
            self.unchanged += 1;
        }
        self.judge(url, fresh);
    }

    /// Checks that a tag never names two different responses.
    fn judge(&mut self, url: &str, response: Received) {
        match response.status {
            200 => {
                let key = (url.to_owned(), response.tag());
                let raced = self.raced.get(&key).into_iter().flatten();
                assert!(
                    raced.clone().all(|held| *held == response.body),
                    "{url}: a client would keep a response from during a change"
                );
                let held = self.seen.entry(key).or_insert_with(|| response.body.to_vec());
                assert!(*held == response.body, "{url}: two responses with one tag");
            }
            404 => {}
            other => panic!("{url}: {other}"),
        }
    }

    /// Makes one change.
    async fn change(&mut self) {
        self.now = (self.now.to_datetime() + TimeDelta::seconds(1)).try_into().unwrap();
        let (organization, now) = (self.organization.organization.clone(), self.now);
        let writer = by_operator(&organization, now);
        let number = self.random.usize(..2);
        let Some(id) = self.tenants[number].clone() else { return self.add_tenant(number).await };
        match self.random.u8(..12) {
            0..4 => {
                self.added += 1;
                // Some arrive late.
                let at = now.to_datetime() - TimeDelta::seconds(self.random.i64(0..20));
                let report = (format!("rpt_{}", self.added).parse().unwrap(), number, at.try_into().unwrap());
                self.import(report).await;
            }
            4 => {
                if let Some(report) = (!self.deleted.is_empty()).then(|| self.deleted.swap_remove(0)) {
                    self.import(report).await;
                }
            }
            5..7 => {
                if let Some((report, ..)) = self.random.choice(&self.reports) {
                    let edit = |body: &mut ReportBody| {
                        body.checks[0].current_state = format!("Edited at {now}");
                        Ok::<_, std::convert::Infallible>(())
                    };
                    writer.edit_report(report, edit).await.unwrap();
                }
            }
            7 => drop(writer.rename_tenant(&id, &format!("Named at {now}").parse().unwrap()).await.unwrap()),
            8 => drop(writer.pause_tenant(&id, self.random.bool()).await.unwrap()),
            9 => {
                if !self.reports.is_empty() {
                    let report = self.reports.swap_remove(self.random.usize(..self.reports.len()));
                    writer.delete_report(&report.0).await.unwrap();
                    self.deleted.push(report);
                }
            }
            10 if self.random.bool() => {
                writer.remove_tenant(&id).await.unwrap();
                self.tenants[number] = None;
                self.reports.retain(|(_, of, _)| *of != number);
                self.deleted.retain(|(_, of, _)| *of != number);
            }
            10 => self.client = 1 - self.client,
            _ => record(&organization, &id, now).await,
        }
    }

    async fn add_tenant(&mut self, number: usize) {
        self.added += 1;
        let id: ServiceTenantId = format!("ten_{}", self.added).parse().unwrap();
        let record = tenant(&id, &format!("Added at {}", self.now));
        let record = store::TenantRecord { provider_tenant_id: PROVIDERS[number].parse().unwrap(), ..record };
        self.app.org_a.add_tenant(&record).await;
        self.tenants[number] = Some(id);
    }

    async fn import(&mut self, report: (ReportId, usize, Timestamp)) {
        let organization = &self.organization.organization;
        let tenant = organization.tenant(self.tenants[report.1].as_ref().unwrap()).await.unwrap().unwrap();
        let mut body = ReportBody::deserialize(baseline_report(&report.2.to_string())).unwrap();
        body.checks[1].current_state = format!("Imported at {}", self.now);
        let new = NewReport {
            id: &report.0,
            tenant: &tenant,
            tool: "scubagear",
            body: &body,
            revisions: &BTreeMap::new(),
            content: None,
        };
        by_operator(organization, self.now).add_report(new).await.unwrap();
        self.reports.push(report);
    }
}
