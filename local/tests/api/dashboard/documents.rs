//! The PDFs of many reports: requested in the dashboard, made by the worker, and downloaded. `DOCUMENTS` sets the number
//! of those that are made in spite of interruptions.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs};

use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use axum::body::Body;
use http_body_util::BodyExt;
use lambda_http::aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use lambda_http::http::Request;
use model::{Role, ServiceTenantId, Timestamp};
use operations::Queue;
use operations::documents::Message;
use report_pdf::shelves::{Folder, Shelves};
use report_pdf::worker::Worker;
use store::{DocumentSet, RequestState, Which};
use tempfile::TempDir;
use tower::ServiceExt;
use zip::ZipArchive;

use super::{Received, dashboard_with, hidden, join, send, sign_in};
use crate::support::{TestApp, baseline_report, by_operator};

/// Default number of documents that are made in spite of interruptions.
const DOCUMENTS: usize = 13;
const INTERRUPTIONS: usize = 10;

/// A service whose worker makes documents when a test says so.
pub(super) struct World {
    pub(super) app: TestApp,
    pub(super) router: Router,
    pub(super) cookie: String,
    pub(super) folder: TempDir,
    shelves: Shelves,
}

impl World {
    pub(super) async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let shelves = Shelves::Folder(Folder(folder.path().to_owned()));
        Self::on(folder, shelves).await
    }

    pub(super) async fn on(folder: TempDir, shelves: Shelves) -> Self {
        let app = TestApp::new().await;
        let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
        let documents = report_pdf::documents(usize::MAX, Some(Arc::new(shelves.clone())));
        let router = dashboard_with(app.app.clone(), documents);
        let cookie = sign_in(&app, &member).await;
        Self { app, router, cookie, folder, shelves }
    }

    pub(super) fn worker(&self) -> Worker {
        Worker {
            store: self.app.app.store.clone(),
            links: self.app.app.dashboard_url.clone(),
            shelves: self.shelves.clone(),
            queue: Queue::Table,
            at_once: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            clock: || chrono::Utc::now().try_into().unwrap(),
        }
    }

    pub(super) fn folder(&self) -> Folder {
        Folder(self.folder.path().to_owned())
    }

    pub(super) fn now(&self) -> Timestamp {
        super::now(&self.app)
    }

    pub(super) async fn get(&self, path: &str) -> (u16, Vec<u8>) {
        let request = Request::builder().uri(path).header("host", "dashboard.example").header("cookie", &self.cookie);
        let response = self.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        (response.status().as_u16(), response.into_body().collect().await.unwrap().to_bytes().to_vec())
    }

    async fn page(&self) -> String {
        let (status, page) = self.get("/documents").await;
        assert_eq!(status, 200);
        String::from_utf8(page).unwrap()
    }

    pub(super) async fn request(&self, fields: &str) -> Received {
        let page = self.page().await;
        let form = format!("form={}&{fields}", hidden(&page, "form").unwrap());
        send(&self.router, "POST", "/documents", Some(&self.cookie), form).await
    }

    pub(super) async fn sets(&self) -> Vec<DocumentSet> {
        self.app.org_a.organization.document_sets(self.now()).await.unwrap()
    }

    /// Returns the only set that is not complete.
    pub(super) async fn open(&self) -> DocumentSet {
        let open: Vec<_> = self.sets().await.into_iter().filter(DocumentSet::is_open).collect();
        <[_; 1]>::try_from(open).unwrap()[0].clone()
    }

    /// Works on the open set, and returns its archive.
    async fn made(&self) -> BTreeMap<String, Vec<u8>> {
        let set = self.open().await;
        self.worker().work(&self.app.org_a.organization, set.clone(), None).await.unwrap();
        let (status, archive) = self.get(&format!("/documents/{}/documents.zip", set.set_id)).await;
        assert_eq!(status, 200);
        unpacked(archive)
    }
}

fn unpacked(archive: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let (mut file, mut content) = (archive.by_index(index).unwrap(), Vec::new());
        file.read_to_end(&mut content).unwrap();
        files.push((file.name().unwrap().into_owned(), content));
    }
    let named: BTreeMap<_, _> = files.iter().cloned().collect();
    assert_eq!(named.len(), files.len(), "none is twice");
    named
}

#[tokio::test]
async fn a_member_requests_the_documents_of_all_and_downloads_those_that_the_button_makes() {
    let world = World::new().await;
    let (app, own) = (&world.app, &world.app.org_a);
    for (number, day) in ["2026-07-01", "2026-07-02"].iter().enumerate() {
        own.add_report(&own.tenants[number], &format!("rpt_{number}"), &baseline_report(&format!("{day}T00:00:00Z")))
            .await;
    }
    app.org_b.add_report(&app.org_b.tenants[0], "rpt_b", &baseline_report("2026-07-01T00:00:00Z")).await;
    assert!(world.page().await.contains("No archives yet"));
    let form = format!("form={}&kind=board", hidden(&world.page().await, "form").unwrap());
    for status in [303, 409] {
        let sent = send(&world.router, "POST", "/documents", Some(&world.cookie), &form).await;
        assert_eq!(sent.status, status, "the form makes one");
    }
    let [set] = &world.sets().await[..] else { panic!("there is one") };
    assert_eq!((set.state, set.by.as_str()), (RequestState::Waiting, "member"));
    assert!(world.page().await.contains("It waits for its turn."));
    let path = format!("/documents/{}/documents.zip", set.set_id);
    assert_eq!(world.get(&path).await.0, 404, "it is not made yet");

    let files = world.made().await;
    assert_eq!(files.len(), 2);
    let of_buttons: BTreeSet<Vec<u8>> = [
        world.get(&format!("/tenants/{}/reports/rpt_0/pdf?kind=board", own.tenants[0])).await.1,
        world.get(&format!("/tenants/{}/reports/rpt_1/pdf?kind=board", own.tenants[1])).await.1,
    ]
    .into();
    assert!(files.into_values().collect::<BTreeSet<_>>() == of_buttons);
    assert!(world.page().await.contains("Download 2 PDFs"));

    let foreign = join(app, &app.org_b.organization, Role::Admin, "foreign").await;
    let foreign = sign_in(app, &foreign).await;
    assert_eq!(send(&world.router, "GET", &path, Some(&foreign), "").await.status, 404);
    assert_eq!(send(&world.router, "GET", &path, None, "").await.status, 303);
    let (entries, _) = own.organization.audit_trail(None, 100, world.now()).await.unwrap();
    let count = |action: &str| {
        let entries = entries.iter().filter(|entry| entry.subject == set.set_id.as_str());
        entries.filter(|entry| format!("{:?}", entry.action) == action).count()
    };
    assert_eq!((count("DocumentsRequested"), count("DataDownloaded")), (1, 1));
}

#[tokio::test]
async fn documents_are_of_a_label_and_of_reports_that_came_since() {
    let world = World::new().await;
    let own = &world.app.org_a;
    own.add_report(&own.tenants[0], "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    own.writer().label_tenant(&own.tenants[1], &["Gold".parse().unwrap()].into()).await.unwrap();
    assert_eq!(world.request("label=Gold").await.status, 303);
    let set = world.open().await;
    world.worker().work(&own.organization, set, None).await.unwrap();
    assert!(world.page().await.contains("No tenant has such a report."));
    assert_eq!(world.request("reports=new").await.status, 303);
    let set = world.open().await;
    let gold = world.sets().await.into_iter().find(|set| set.which.label.is_some()).unwrap();
    assert!(set.which == Which { label: None, since: Some(gold.requested_at) });
    for refused in [format!("label={}", "x".repeat(500)), format!("foreword={}", "x".repeat(601))] {
        assert!(world.request(&refused).await.text.contains("notice problem"), "{refused}");
    }
    assert_eq!(world.sets().await.len(), 2);
}

#[tokio::test]
async fn an_admin_lets_documents_be_made_every_month_and_ends_it() {
    let world = World::new().await;
    let own = &world.app.org_a;
    let admin = join(&world.app, &own.organization, Role::Admin, "admin").await;
    let admin = sign_in(&world.app, &admin).await;
    let scheduled = async || own.organization.schedules().await.unwrap().map(|of| of.documents).unwrap_or_default();
    let page = async || send(&world.router, "GET", "/documents/schedule", Some(&admin), "").await.text;
    let post = async |fields: &str| {
        let form = format!("form={}&{fields}", hidden(&page().await, "form").unwrap());
        send(&world.router, "POST", "/documents/schedule", Some(&admin), form).await
    };
    let link = "href=\"/documents/schedule\"";
    assert!(send(&world.router, "GET", "/documents", Some(&admin), "").await.text.contains(link));
    assert!(!world.page().await.contains(link) && world.get("/documents/schedule").await.0 == 403);
    assert_eq!(post("every=monthly:15&reports=new&kind=board&label=Gold").await.status, 303);
    let [of] = &scheduled().await[..] else { panic!("there is one") };
    let found = (of.schedule.every.to_string(), of.label.as_ref().unwrap().as_str(), of.only_new, &*of.choice);
    let choice = "{\"kind\":\"board\",\"paper\":\"a4\",\"foreword\":\"\",\"tasks\":\"hidden\"}";
    assert_eq!(found, ("monthly:15".to_owned(), "Gold", true, choice));
    assert!(page().await.contains("Gold</bdi>: Monthly, on day 15, of new reports"));
    assert!(world.page().await.contains("Gold</bdi>: Monthly, on day 15"), "a member sees it");
    assert_eq!(post("every=often").await.status, 400);
    assert!(post(&format!("every=monthly:1&foreword={}", "x".repeat(601))).await.text.contains("notice problem"));
    assert_eq!(post("every=monthly:1&label=Gold").await.status, 303);
    assert_eq!(scheduled().await.len(), 1, "it is changed");
    assert_eq!(post("every=never&label=Gold").await.status, 303);
    assert_eq!(scheduled().await, []);
}

#[tokio::test]
async fn a_damaged_report_is_missing_from_the_archive_and_keeps_no_other_from_it() {
    let world = World::new().await;
    let own = &world.app.org_a;
    for number in 0..2 {
        own.add_report(&own.tenants[number], &format!("rpt_{number}"), &baseline_report("2026-07-01T00:00:00Z")).await;
    }
    let is_report = |key: &str| key.starts_with("REPORT#") && key.ends_with("rpt_0");
    let mut item = world.app.items().await.into_iter().find(|item| is_report(item["sk"].as_s().unwrap())).unwrap();
    item.insert("crc32".to_owned(), AttributeValue::N("0".to_owned()));
    world.app.put(item).await;
    world.request("").await;
    let name = own.organization.tenant(&own.tenants[0]).await.unwrap().unwrap().name;
    let set = world.open().await;
    let files = world.made().await;
    let list = format!("{name}, report rpt_0: The document could not be made. The log says why.\r\n");
    assert_eq!((files.len(), String::from_utf8_lossy(&files["MISSING.txt"])), (2, list.into()));
    let set = own.organization.document_set(&set.set_id, world.now()).await.unwrap().unwrap();
    assert_eq!((set.documents, set.done, set.missing), (2, 2, 1));
    let page = world.page().await;
    assert!(page.contains("Download 1 PDF<") && page.contains("1 missing: the archive says why"), "{page}");
}

#[tokio::test]
async fn after_an_erasure_nobody_makes_or_gets_documents() {
    let world = World::new().await;
    let own = &world.app.org_a;
    own.add_report(&own.tenants[0], "rpt_1", &baseline_report("2026-07-01T00:00:00Z")).await;
    world.request("").await;
    let made = world.open().await;
    world.made().await;
    world.request("").await;
    let open = world.open().await;
    by_operator(&own.organization, world.now()).erase_tenant(&own.tenants[0]).await.unwrap();
    world.worker().work(&own.organization, open, None).await.unwrap();
    assert_eq!(world.sets().await, []);
    assert_eq!(world.get(&format!("/documents/{}/documents.zip", made.set_id)).await.0, 404);
    let archive = world.folder.path().join(own.organization.id().as_str()).join(format!("{}.zip", made.set_id));
    assert!(archive.exists());
    // Whoever made it ended before it noticed the erasure, so its message is delivered again.
    let (mut record, mut event) = (SqsMessage::default(), SqsEvent::default());
    record.body = Some(serde_json::to_string(&Message::of(&own.organization, &made)).unwrap());
    event.records = vec![record];
    let until = tokio::time::Instant::now() + Duration::from_secs(60);
    assert_eq!(world.worker().handle(event, until).await.batch_item_failures.len(), 0);
    assert!(!archive.exists());
    world.folder().keep_only(&BTreeSet::new()).unwrap();
    let left = fs::read_dir(world.folder.path().join(own.organization.id().as_str())).unwrap().count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn documents_are_complete_and_once_each_however_often_the_worker_is_interrupted() {
    let number = env::var("DOCUMENTS").ok().map_or(DOCUMENTS, |number| number.parse().unwrap());
    let world = World::new().await;
    let own = &world.app.org_a;
    let names: Vec<_> = (0..number).map(|number| format!("Tenant {number}")).collect();
    for (number, name) in names.iter().enumerate() {
        let id: ServiceTenantId = format!("ten_{number:05}").parse().unwrap();
        let provider = format!("11111111-2222-3333-4444-{number:012}").parse().unwrap();
        own.writer().add_tenant(id.clone(), name.parse().unwrap(), provider).await.unwrap();
        own.add_report(&id, &format!("rpt_{number:05}"), &baseline_report("2026-07-01T00:00:00Z")).await;
    }
    world.request("kind=board").await;
    let set = world.open().await;
    let shelf = world.folder().place(own.organization.id(), &set);
    let made = || fs::read_dir(&shelf).map_or(0, Iterator::count);
    let begin = Instant::now();
    for interruption in 0..INTERRUPTIONS {
        let (worker, organization) = (world.worker(), own.organization.clone());
        let set = world.open().await;
        let working = tokio::spawn(async move { worker.work(&organization, set, None).await });
        while made() <= (interruption + 1) * number / (INTERRUPTIONS + 2) {
            assert!(!working.is_finished());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        working.abort();
        assert!(working.await.unwrap_err().is_cancelled());
    }
    let files = world.made().await;
    eprintln!("{number} documents with {INTERRUPTIONS} interruptions: {:?}", begin.elapsed());
    let names = (0..number).map(|number| format!("tenant-{number}-scubagear-2026-07-01-board.pdf"));
    assert_eq!(files.keys().cloned().collect::<BTreeSet<_>>(), names.collect());
    for number in (0..number).step_by(number.div_ceil(100)) {
        let button = world.get(&format!("/tenants/ten_{number:05}/reports/rpt_{number:05}/pdf?kind=board")).await.1;
        assert!(files[&format!("tenant-{number}-scubagear-2026-07-01-board.pdf")] == button, "{number}");
    }
}
