//! Requests for reports: the function that works on them, in virtual time, killed, delivered twice and out of time.

mod transports;

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use collect::{Snapshots, WorkError, Worker};
use flate2::read::MultiGzDecoder;
use graph::{Clock, Collector, Pace, Tokens, Transport};
use lambda_http::aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use local::stand_in::{Consent, StandIn, Tenant};
use model::snapshot::endpoint;
use model::{Actor, ObjectId, ProviderTenantId, ServiceTenantId};
use operations::Queue;
use operations::requests::{self, Message};
use operations::retention::Retention;
use serde_json::{Value, json};
use store::{Organization, ReportRequest, RequestState, Sighting};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use self::transports::{Counted, Gate, NoTokens};
use crate::support::{TODAY, TestApp, add_tenant, later, noon, provider_id, time};

/// Longer than any step takes here, apart from one that never ends.
const STUCK: Duration = Duration::from_secs(30);

/// The service with a tenant that can be collected.
pub(crate) struct Bench {
    pub(crate) app: TestApp,
    pub(crate) tenant: ServiceTenantId,
    pub(crate) stand_in: Arc<StandIn>,
    clock: Clock,
    folder: TempDir,
}

impl Bench {
    pub(crate) async fn new() -> Self {
        let app = TestApp::new().await;
        let tenant = app.org_a.tenants[0].clone();
        let clock = Clock::at(noon(TODAY));
        let id: ProviderTenantId = provider_id(&tenant).parse().unwrap();
        let stand_in = StandIn::new("https://graph.example", clock, vec![Tenant::new(id, "Harbour Dental", 20)]);
        Self { app, tenant, stand_in: Arc::new(stand_in), clock, folder: TempDir::new().unwrap() }
    }

    pub(crate) fn worker(&self) -> Worker {
        self.worker_through(Arc::<StandIn>::clone(&self.stand_in), Arc::<StandIn>::clone(&self.stand_in))
    }

    fn worker_through(&self, transport: Arc<dyn Transport>, tokens: Arc<dyn Tokens>) -> Worker {
        let (hosts, clock, pace) = (self.stand_in.hosts(), self.clock, Arc::new(Pace::default()));
        let collector = Collector { transport, tokens, pace, hosts, clock };
        Worker {
            store: self.app.app.store.clone(),
            queue: Queue::Table,
            dead: Queue::Table,
            retention: Retention::All,
            snapshots: Snapshots::Folder(self.folder.path().to_owned()),
            needs_connection: false,
            collector: Arc::new(move |_| Some(collector.clone())),
        }
    }

    /// Returns a worker that stops for ever after a number of requests to the tenant.
    fn worker_for(&self, requests: usize) -> Worker {
        let gate = Arc::new(Gate { inner: Arc::clone(&self.stand_in), open: Semaphore::new(requests) });
        self.worker_through(gate, Arc::<StandIn>::clone(&self.stand_in))
    }

    pub(crate) async fn request(&self) -> Message {
        request(&self.app.org_a.organization, &self.tenant).await
    }

    pub(crate) async fn state(&self) -> ReportRequest {
        self.app.org_a.organization.report_request(&self.tenant, later()).await.unwrap().unwrap()
    }

    /// Returns the only report, as the API does.
    pub(crate) async fn report(&self) -> Value {
        let response = self.app.org_a().get("/v1/posture-reports?latestOnly=false").await;
        let body = response.json();
        assert_eq!(body["totalReports"], 1, "{body}");
        body["reports"][0].clone()
    }

    /// Counts the tenant's users with a licence.
    fn licensed_users(&self) -> usize {
        let samples = self.stand_in.samples(&provider_id(&self.tenant).parse().unwrap());
        let (_, _, page) = samples.into_iter().find(|(path, ..)| *path == endpoint::USERS).unwrap();
        let is_licensed = |user: &&Value| !user["assignedLicenses"].as_array().unwrap().is_empty();
        page["value"].as_array().unwrap().iter().filter(is_licensed).count()
    }

    pub(crate) fn snapshots(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.path()).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }
}

async fn request(organization: &Organization, tenant: &ServiceTenantId) -> Message {
    let at = time("2026-07-15T12:00:00Z");
    let writer = organization.by(&Actor::operator(), at);
    let tenant = organization.tenant(tenant).await.unwrap().unwrap();
    let requested = requests::request(&writer, &tenant, &Queue::Table, at).await;
    Message::of(organization.id(), &requested.unwrap().0)
}

fn record(id: &str, body: String) -> SqsMessage {
    let mut record = SqsMessage::default();
    (record.message_id, record.body) = (Some(id.to_owned()), Some(body));
    record
}

#[tokio::test(start_paused = true)]
async fn a_request_becomes_one_report() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    assert_eq!(bench.state().await.state, RequestState::Waiting);
    let tenants = format!("/v1/posture-reports?tenantId={}", bench.tenant);
    assert!(
        bench.app.org_a().get(&tenants).await.text().contains("\"totalReports\":0"),
        "the API has no unfinished report"
    );
    bench.worker().work(&message, None).await.unwrap();
    let (request, report) = (bench.state().await, bench.report().await);
    assert_eq!((request.state, request.done, request.steps), (RequestState::Completed, 14, 14));
    assert_eq!((&report["id"], &report["createdAt"]), (&json!(request.report_id), &json!("2026-07-15T12:00:00.000Z")));
    assert!(report["completedAt"].as_str() > report["createdAt"].as_str());
    assert!(request.position.is_empty(), "links and people are forgotten");
    assert_eq!(bench.snapshots(), [format!("org_a+{}+{}.jsonl.gz", bench.tenant, request.request_id)]);
    // All endpoints are filled.
    let client = bench.app.org_a();
    let usage = client.get("/v1/usage?asOf=2026-07-15").await.json();
    let users = client.get(&format!("/beta/billable-users?tenantId={}", bench.tenant)).await.json();
    let licensed = json!(bench.licensed_users());
    assert_eq!((&usage["totalTenants"], &usage["tenants"][0]["totalLicensedUsers"]), (&json!(1), &licensed));
    assert_eq!(users["totalBillableUsers"], licensed);
    // The same message again, and one of an organization that it is none of.
    bench.worker().work(&message, None).await.unwrap();
    assert_eq!(bench.state().await, request);
    let foreign = Message { organization_id: bench.app.org_b.organization.id().clone(), ..message };
    bench.worker().work(&foreign, None).await.unwrap();
    assert_eq!(bench.app.org_b.organization.report_requests(later()).await.unwrap(), []);
    assert_eq!(bench.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test(start_paused = true)]
async fn declared_emergency_access_is_part_of_the_snapshot() {
    let bench = Bench::new().await;
    let writer = bench.app.org_a.writer();
    let declared = ["0A000000-0000-4000-8000-000000000001", "0a000000-0000-4000-8000-000000000002"];
    let declared = declared.map(|id| id.parse::<ObjectId>().unwrap());
    writer.declare_emergency_access(&bench.tenant, &declared).await.unwrap();
    bench.worker().work(&bench.request().await, None).await.unwrap();
    let (name, report) = (bench.snapshots().remove(0), bench.report().await);
    let mut snapshot = String::new();
    let file = std::fs::File::open(bench.folder.path().join(name)).unwrap();
    MultiGzDecoder::new(file).read_to_string(&mut snapshot).unwrap();
    let header: Value = serde_json::from_str(snapshot.lines().next().unwrap()).unwrap();
    assert_eq!(header["emergencyAccess"], json!(declared));
    let checks = report["checks"].as_array().unwrap();
    let state = |id: &str| checks.iter().find(|check| check["controlId"] == id).unwrap()["currentState"].clone();
    assert_eq!(state("spr.ca.16"), "The declared emergency access is not excluded from every policy for all users.");
}

#[tokio::test(start_paused = true)]
async fn an_open_request_is_returned_instead_of_another() {
    let bench = Bench::new().await;
    let first = bench.request().await;
    assert_eq!(bench.request().await, first);
    bench.worker().work(&first, None).await.unwrap();
    assert_ne!(bench.request().await, first, "the first has ended");
    let trail = bench.app.org_a.organization.audit_trail(None, 100, later()).await.unwrap().0;
    let requested = trail.iter().filter(|entry| entry.action == store::AuditAction::ReportRequested);
    assert_eq!(requested.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_killed_after_every_request_goes_on_from_its_last_step() {
    for requests in [2, 3, 7] {
        let bench = Bench::new().await;
        let message = bench.request().await;
        let mut kills = 0;
        while bench.state().await.is_open() {
            let killed = bench.worker_for(requests);
            let before = bench.state().await.done;
            if timeout(STUCK, killed.work(&message, None)).await.is_err() {
                kills += 1;
            }
            assert!(kills < 40 && bench.state().await.done >= before, "it goes on");
        }
        assert_eq!(bench.state().await.state, RequestState::Completed, "{:?}", bench.state().await.failure);
        bench.report().await;
        assert_eq!(bench.snapshots().len(), 1);
        let calls = bench.stand_in.counts().calls;
        assert!(kills > 0 && calls <= 24 + kills, "{calls} calls after {kills} kills");
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_workers_the_one_that_came_first_stops() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    let gate = Arc::new(Gate { inner: Arc::clone(&bench.stand_in), open: Semaphore::new(5) });
    let first = bench.worker_through(Arc::<Gate>::clone(&gate), Arc::<StandIn>::clone(&bench.stand_in));
    let of_first = message.clone();
    let slow = tokio::spawn(async move { first.work(&of_first, None).await });
    tokio::time::sleep(STUCK).await;
    bench.worker().work(&message, None).await.unwrap();
    let (request, report) = (bench.state().await, bench.report().await);
    gate.open.add_permits(100);
    slow.await.unwrap().unwrap();
    assert_eq!((bench.state().await, bench.report().await), (request, report));
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_time_is_over_goes_on_in_the_next_invocation() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    // The invocations of a function share its pace.
    let (worker, mut invocations) = (bench.worker(), 0);
    while bench.state().await.is_open() {
        let until = Instant::now() + Duration::from_millis(600);
        worker.work(&message, Some(until)).await.unwrap();
        invocations += 1;
        assert!(invocations < 100, "it goes on");
        let request = bench.state().await;
        assert!(!request.is_open() || request.attempts == 0, "an invocation that ends is no failure");
    }
    assert!(invocations > 1, "{invocations}");
    bench.report().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_goes_on_is_given_up() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    let worker = bench.worker_through(Arc::<StandIn>::clone(&bench.stand_in), Arc::new(NoTokens(AtomicUsize::new(0))));
    for _ in 0..4 {
        assert!(matches!(worker.work(&message, None).await, Err(WorkError::Token(_))));
        assert_eq!(bench.state().await.state, RequestState::Running);
    }
    worker.work(&message, None).await.unwrap();
    let request = bench.state().await;
    assert_eq!(request.state, RequestState::Failed);
    assert!(request.failure.unwrap().contains("several attempts"));
    assert_eq!(bench.stand_in.counts().calls, 0);
}

#[tokio::test(start_paused = true)]
async fn a_removed_tenant_ends_its_request() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    assert!(timeout(STUCK, bench.worker_for(5).work(&message, None)).await.is_err());
    bench.app.org_a.remove_tenant(&bench.tenant).await;
    bench.worker().work(&message, None).await.unwrap();
    assert_eq!(bench.app.org_a.organization.report_requests(later()).await.unwrap(), []);
    assert_eq!(bench.app.org_a.organization.inspect().await.unwrap().discrepancies, []);
}

#[tokio::test(start_paused = true)]
async fn a_tenant_that_is_removed_while_it_is_collected_leaves_no_snapshot() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    let gate = Arc::new(Gate { inner: Arc::clone(&bench.stand_in), open: Semaphore::new(5) });
    let worker = bench.worker_through(Arc::<Gate>::clone(&gate), Arc::<StandIn>::clone(&bench.stand_in));
    let slow = tokio::spawn(async move { worker.work(&message, None).await });
    tokio::time::sleep(STUCK).await;
    assert!(!bench.snapshots().is_empty());
    bench.app.org_a.writer().erase_tenant(&bench.tenant).await.unwrap();
    gate.open.add_permits(100);
    slow.await.unwrap().unwrap();
    assert_eq!(bench.snapshots(), [] as [String; 0]);
}

/// Works on a request, beside the test: together they would need more than the stack of a thread.
async fn work(worker: &Worker, message: Message) {
    let worker = worker.clone();
    tokio::spawn(async move { worker.work(&message, None).await }).await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_report_needs_a_connection_of_its_own_organization_to_the_same_tenant() {
    let bench = Bench::new().await;
    let worker = Worker { needs_connection: true, ..bench.worker() };
    let (tenant, provider) = (&bench.tenant, provider_id(&bench.tenant).parse().unwrap());
    let failed = async |case: &str| {
        work(&worker, bench.request().await).await;
        let request = bench.state().await;
        assert_eq!(request.state, RequestState::Failed, "{case}");
        request.failure.unwrap()
    };
    assert!(failed("nobody has connected it").await.contains("not connected"));
    // Another organization has proved it, for the same tenant of Microsoft.
    let other = &bench.app.org_b;
    let mut same = crate::support::tenant(&"ten_b_same".parse().unwrap(), "The same tenant");
    same.provider_tenant_id = provider_id(tenant).parse().unwrap();
    add_tenant(&other.writer(), &same).await.unwrap();
    other.writer().connect_tenant(&same.service_tenant_id, &provider, Sighting::Open(None)).await.unwrap();
    assert!(failed("another organization has connected it").await.contains("not connected"));
    let elsewhere = provider_id(&other.tenants[0]).parse().unwrap();
    let connected = bench.app.org_a.writer().connect_tenant(tenant, &elsewhere, Sighting::Open(None)).await;
    assert!(connected.is_err(), "the proof is of another tenant");
    assert_eq!(bench.stand_in.counts().calls, 0);
    bench.app.org_a.writer().connect_tenant(tenant, &provider, Sighting::Open(None)).await.unwrap();
    work(&worker, bench.request().await).await;
    bench.report().await;
    let connection = async || bench.app.org_a.organization.connection(tenant).await.unwrap().unwrap();
    assert_eq!(connection().await.permissions.unwrap().len(), 17);
    bench.stand_in.set_consent(&provider, Consent::Missing);
    assert!(failed("the consent was withdrawn").await.ends_with("operator has deleted it (AADSTS700016)."));
    assert_eq!(connection().await.problem.as_deref(), Some("AADSTS700016"));
    assert_eq!(bench.state().await.refusals, 1);
    bench.stand_in.set_consent(&provider, Consent::Given);
    work(&worker, bench.request().await).await;
    assert!(connection().await.is_open());
    assert_eq!(bench.state().await.refusals, 0);
}

#[tokio::test(start_paused = true)]
async fn only_the_messages_that_failed_are_delivered_again() {
    let bench = Bench::new().await;
    let message = bench.request().await;
    let mut event = SqsEvent::default();
    let good = serde_json::to_string(&message).unwrap();
    event.records = vec![record("1", "{}".to_owned()), record("2", good.clone()), record("3", good)];
    let response = bench.worker().handle(event, None).await;
    let failed: Vec<_> = response.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect();
    assert_eq!(failed, ["1"]);
    bench.report().await;
    // A message as the platform sends it, for a request that is not there.
    let event: SqsEvent = serde_json::from_str(include_str!("../../../events/collect/request.json")).unwrap();
    assert!(bench.worker().handle(event, None).await.batch_item_failures.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_batch_makes_the_reports_of_several_organizations_at_once() {
    let bench = Bench::new().await;
    let tenant = |id: &ServiceTenantId| Tenant::new(provider_id(id).parse().unwrap(), "Harbour Dental", 20);
    let tenants = vec![tenant(&bench.tenant), tenant(&bench.app.org_b.tenants[0])];
    let stand_in = StandIn::new("https://graph.example", bench.clock, tenants).with_delays(1_000..=1_000);
    let bench = Bench { stand_in: Arc::new(stand_in), ..bench };
    let other = &bench.app.org_b;
    let messages = [bench.request().await, request(&other.organization, &other.tenants[0]).await];
    let mut event = SqsEvent::default();
    event.records = messages.iter().map(|it| record("1", serde_json::to_string(it).unwrap())).collect();
    let inner = Arc::clone(&bench.stand_in);
    let counted = Arc::new(Counted { inner, now: AtomicUsize::default(), most: AtomicUsize::default() });
    let worker = bench.worker_through(Arc::<Counted>::clone(&counted), Arc::<StandIn>::clone(&bench.stand_in));
    assert!(worker.handle(event, None).await.batch_item_failures.is_empty());
    assert_eq!(counted.most.load(Ordering::SeqCst), 2);
    // Each organization has the report of its own request, and no other.
    let of_other = other.organization.report_request(&other.tenants[0], later()).await.unwrap().unwrap();
    let [own, of_other] = [bench.state().await, of_other].map(|request| request.report_id.unwrap());
    for (client, report, foreign) in [(bench.app.org_a(), &own, &of_other), (bench.app.org_b(), &of_other, &own)] {
        for (report, status) in [(report, 200), (foreign, 404)] {
            assert_eq!(client.get(&format!("/v1/posture-reports/{report}")).await.status, status);
        }
    }
    bench.report().await;
}
