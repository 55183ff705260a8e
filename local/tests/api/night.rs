//! A night of schedules and requests: the functions' own handlers on a table, in virtual time, and killed all the time.
//!
//! `NIGHT=200,200 cargo test -p local --test api -- night --nocapture` is a night of 200 tenants with 200 kills, and
//! prints what became of them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::env;
use std::future::poll_fn;
use std::io::{Read, Write};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use aws_sdk_s3::config::BehaviorVersion;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::body::SdkBody;
use chrono::SubsecRound;
use collect::{Snapshots, Worker};
use fastrand::Rng;
use flate2::read::MultiGzDecoder;
use futures_util::future::{join, join_all};
use graph::{Clock, Collector, Pace};
use lambda_http::aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use local::stand_in::{Consent, Plan, Quirks, StandIn, Tenant};
use model::{Admin, Schedule, ServiceTenantId, Timestamp};
use operations::retention::Retention;
use operations::{Queue, Queues};
use schedule::Scheduler;
use serde_json::{Value, json};
use store::{AuditAction, ReportRequest, RequestState, Sighting};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::support::{TestApp, TestOrganization, provider_id, tenant, time};

const EVENING: &str = "2026-07-15T21:50:00Z";
const MORNING: &str = "2026-07-16T09:00:00Z";
/// As in the template: processes, an invocation, the time until a message is delivered again, and between rounds.
const PROCESSES: u32 = 4;
const INVOCATION: Duration = Duration::from_secs(540);
const HIDDEN: Duration = Duration::from_secs(660);
const BETWEEN_ROUNDS: Duration = Duration::from_secs(300);
/// Small batches, so that there is much to kill.
const BATCH: usize = 10;
const IDLE: Duration = Duration::from_secs(20);

/// Messages in the queue, by number: each with its text and when it is delivered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Messages(Arc<Mutex<BTreeMap<usize, (String, Instant)>>>);

impl Messages {
    pub(crate) fn queue(&self) -> Queue {
        let connector = SharedHttpConnector::new(self.clone());
        let settings = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(http_client_fn(move |_, _| connector.clone()))
            .endpoint_url("http://queue.invalid")
            .region(Region::from_static("local"))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::for_tests()));
        Queue::Sqs { client: aws_sdk_sqs::Client::from_conf(settings.build()), url: "http://queue.invalid/1".into() }
    }

    /// Returns how many messages it has.
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Takes messages, which are delivered again unless they are deleted.
    fn receive(&self) -> Vec<(usize, String)> {
        let now = Instant::now();
        let mut messages = self.0.lock().unwrap();
        let ready = messages.iter_mut().filter(|(_, (_, from))| *from <= now).take(BATCH);
        let hide = |(number, (text, from)): (&usize, &mut (String, Instant))| {
            *from = now + HIDDEN;
            (*number, text.clone())
        };
        ready.map(hide).collect()
    }
}

impl HttpConnector for Messages {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let sent: Value = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        let mut messages = self.0.lock().unwrap();
        let number = messages.last_key_value().map_or(0, |(last, _)| last + 1);
        messages.insert(number, (sent["MessageBody"].as_str().unwrap().to_owned(), Instant::now()));
        let body = json!({ "MessageId": number.to_string(), "MD5OfMessageBody": "" }).to_string();
        HttpConnectorFuture::ready(Ok(HttpResponse::new(200.try_into().unwrap(), SdkBody::from(body))))
    }
}

struct Night {
    app: TestApp,
    tenants: [Vec<ServiceTenantId>; 2],
    stand_in: Arc<StandIn>,
    clock: Clock,
    messages: Messages,
    dead: Messages,
    folder: TempDir,
    rng: RefCell<Rng>,
    kills: Cell<usize>,
    left: Cell<usize>,
}

impl Night {
    async fn new(number: usize, kills: usize) -> Self {
        let app = TestApp::new().await;
        let clock = Clock::at(time(EVENING).to_datetime());
        let mut tenants = [app.org_a.tenants.to_vec(), app.org_b.tenants.to_vec()];
        for number in 4..number {
            let id: ServiceTenantId = format!("ten_night{number}").parse().unwrap();
            let organization = [&app.org_a, &app.org_b][number % 2];
            organization.add_tenant(&tenant(&id, &format!("Tenant {number}"))).await;
            tenants[number % 2].push(id);
        }
        for organization in [&app.org_a, &app.org_b] {
            let (every, between) = ("daily".parse().unwrap(), "22-04".parse().unwrap());
            let schedule = Schedule { every, between, since: time(EVENING) };
            let writer = organization.organization.by_admin(&Admin::operator(), time(EVENING));
            writer.set_schedule(None, Some(schedule)).await.unwrap();
        }
        for (organization, tenants) in [&app.org_a, &app.org_b].into_iter().zip(&tenants) {
            let writer = organization.organization.by_admin(&Admin::operator(), time(EVENING));
            for id in tenants {
                let provider = provider_id(id).parse().unwrap();
                writer.connect_tenant(id, &provider, Sighting::Open(None)).await.unwrap();
            }
        }
        let fleet = tenants.iter().flatten().enumerate().map(|(place, id)| {
            let users = if place % 50 == 20 { 1_200 } else { 25 };
            let mut tenant = Tenant::new(provider_id(id).parse().unwrap(), "Tenant", users);
            tenant.quirks = Quirks { failures_per_mille: 1, ..Quirks::default() };
            tenant.consent = if place % 100 == 7 { Consent::Missing } else { Consent::Given };
            tenant.plan = if place % 50 == 3 { Plan::Free } else { Plan::P2 };
            tenant
        });
        let stand_in = StandIn::new("https://graph.example", clock, fleet.collect()).with_delays(100..=1_500);
        Self {
            app,
            tenants,
            stand_in: Arc::new(stand_in),
            clock,
            messages: Messages::default(),
            dead: Messages::default(),
            folder: TempDir::new().unwrap(),
            rng: RefCell::new(Rng::with_seed(1)),
            kills: Cell::new(0),
            left: Cell::new(kills),
        }
    }

    fn now(&self) -> Timestamp {
        self.clock.now().try_into().unwrap()
    }

    /// Runs an invocation, or a part of it: it is killed wherever it waits.
    async fn killed<F: Future>(&self, most: usize, invocation: F) -> Option<F::Output> {
        let mut polls = if self.left.get() > 0 { self.rng.borrow_mut().usize(1..=most) } else { usize::MAX };
        let mut invocation = pin!(invocation);
        poll_fn(|context| match invocation.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if polls == 1 => {
                self.kills.set(self.kills.get() + 1);
                self.left.set(self.left.get() - 1);
                Poll::Ready(None)
            }
            Poll::Pending => {
                polls -= 1;
                Poll::Pending
            }
        })
        .await
    }

    async fn requests_what_is_due(&self) {
        let scheduler = Scheduler {
            store: self.app.app.store.clone(),
            queues: Queues { requests: self.messages.queue(), ..Queues::default() },
        };
        while self.now() < time(MORNING) {
            if let Some(done) = self.killed(20, scheduler.handle(self.now())).await {
                done.unwrap();
            }
            sleep(BETWEEN_ROUNDS).await;
        }
    }

    fn worker(&self) -> Worker {
        let (hosts, clock, pace) = (self.stand_in.hosts(), self.clock, Arc::new(Pace::of_one_in(PROCESSES)));
        let (transport, tokens) = (Arc::<StandIn>::clone(&self.stand_in), Arc::<StandIn>::clone(&self.stand_in));
        let collector = Collector { transport, tokens, pace, hosts, clock };
        Worker {
            store: self.app.app.store.clone(),
            queue: self.messages.queue(),
            dead: self.dead.queue(),
            retention: Retention::All,
            snapshots: Snapshots::Folder(self.folder.path().to_owned()),
            collector: Arc::new(move |_| Some(collector.clone())),
            needs_connection: true,
        }
    }

    async fn works_on_requests(&self) {
        while self.now() < time(MORNING) {
            let messages = self.messages.receive();
            if messages.is_empty() {
                sleep(IDLE).await;
                continue;
            }
            let mut event = SqsEvent::default();
            event.records = messages.iter().map(|(number, text)| record(*number, text)).collect();
            let until = Instant::now() + INVOCATION;
            let worker = self.worker();
            // A process that is killed deletes no message.
            let Some(response) = self.killed(120, worker.handle(event, Some(until))).await else { continue };
            let failed: HashSet<_> = response.batch_item_failures.into_iter().map(|it| it.item_identifier).collect();
            let done = messages.iter().filter(|(number, _)| !failed.contains(&number.to_string()));
            let mut left = self.messages.0.lock().unwrap();
            done.for_each(|(number, _)| drop(left.remove(number)));
        }
    }

    /// Returns the figures, after checking each tenant.
    async fn figures(&self) -> Value {
        let (mut fresh, mut named) = (0, BTreeMap::<String, usize>::new());
        for (organization, tenants) in [&self.app.org_a, &self.app.org_b].into_iter().zip(&self.tenants) {
            let requested = requested(organization).await;
            for tenant in tenants {
                let request = organization.organization.report_request(tenant, time(MORNING)).await.unwrap();
                let request = request.unwrap_or_else(|| panic!("{tenant} is lost"));
                assert_eq!(requested.get(tenant.as_str()), Some(&1), "{tenant} is requested once");
                let reason = match request.state {
                    RequestState::Completed => self.lacks(organization, &request),
                    RequestState::Failed => request.failure,
                    other => panic!("{tenant} is {other:?} in the morning"),
                };
                match reason {
                    Some(reason) => *named.entry(reason).or_default() += 1,
                    None => fresh += 1,
                }
            }
            let reports = organization.organization.select(store::Selection::history(10_000)).listed().await.unwrap();
            let of: HashMap<_, usize> = reports.iter().fold(HashMap::new(), |mut of, report| {
                *of.entry(report.summary.service_tenant_id.clone()).or_default() += 1;
                of
            });
            assert!(of.values().all(|reports| *reports == 1), "a tenant has two reports");
            for report in &reports {
                let request =
                    organization.organization.report_request(&report.summary.service_tenant_id, time(MORNING));
                let request = request.await.unwrap().unwrap();
                assert_eq!(report.summary.figures.created_at, request.requested_at, "a report names when it began");
            }
            assert_eq!(organization.organization.inspect().await.unwrap().discrepancies, []);
        }
        let counts = self.stand_in.counts();
        json!({
            "tenants": self.tenants.iter().flatten().count(),
            "kills": self.kills.get(),
            "fresh": fresh,
            "named": named,
            "calls": counts.calls,
            "requests": counts.requests,
            "throttled": counts.throttled,
            "dead": self.dead.count(),
        })
    }

    /// Returns why a snapshot lacks something, after checking that it is of one run, between the times that it names, and
    /// that it says so of everything that was left after two hours.
    fn lacks(&self, organization: &TestOrganization, request: &ReportRequest) -> Option<String> {
        let ReportRequest { service_tenant_id: tenant, request_id, .. } = request;
        let name = format!("{}+{tenant}+{request_id}.jsonl.gz", organization.organization.id());
        let mut text = String::new();
        let file = std::fs::File::open(self.folder.path().join(name)).unwrap();
        MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let [header, responses @ .., end] = lines.as_slice() else { panic!("{tenant}: the snapshot is cut off") };
        let end = &end["end"];
        assert_eq!(end["responses"], responses.len(), "{tenant}");
        let at = |value: &Value| time(value.as_str().unwrap()).to_datetime();
        let (began, ended) = (at(&header["startedAt"]), at(&end["completedAt"]));
        let mut whole = BTreeSet::new();
        for response in responses {
            // The interface's clock has seconds.
            let at = at(&response["at"]);
            assert!(began.trunc_subsecs(0) <= at && at <= ended, "{tenant}: {at}");
            let is_in_time = at - began <= chrono::TimeDelta::hours(2);
            assert!(is_in_time || response["failure"] == "OUT_OF_TIME", "{tenant}: {response}");
            let asked = (response["endpoint"].to_string(), response["query"].to_string());
            if response["more"] != true {
                assert!(whole.insert(asked.clone()), "{tenant}: {asked:?} has two ends");
            }
        }
        let lacks = |response: &Value| Some(format!("incomplete: {}", response["failure"].as_str()?));
        responses.iter().find_map(lacks)
    }
}

fn record(number: usize, text: &str) -> SqsMessage {
    let mut record = SqsMessage::default();
    (record.message_id, record.body) = (Some(number.to_string()), Some(text.to_owned()));
    record
}

/// Counts the requests for reports in the audit trail, by tenant.
async fn requested(of: &TestOrganization) -> HashMap<String, usize> {
    let (trail, _) = of.organization.audit_trail(None, 100_000, time(MORNING)).await.unwrap();
    let mut requested: HashMap<String, usize> = HashMap::new();
    for entry in trail.into_iter().filter(|entry| entry.action == AuditAction::ReportRequested) {
        *requested.entry(entry.subject).or_default() += 1;
    }
    requested
}

#[tokio::test(start_paused = true)]
async fn every_tenant_is_fresh_or_has_a_reason_after_a_night_of_kills() {
    fastrand::seed(1);
    let asked = env::var("NIGHT");
    let numbers = asked.as_deref().unwrap_or("12,12").split_once(',').unwrap();
    let (tenants, kills): (usize, usize) = (numbers.0.parse().unwrap(), numbers.1.parse().unwrap());
    let night = Night::new(tenants, kills).await;
    let workers = join_all((0..PROCESSES).map(|_| night.works_on_requests()));
    join(night.requests_what_is_due(), workers).await;
    let figures = night.figures().await;
    writeln!(std::io::stdout(), "{figures:#}").unwrap();
    assert_eq!(figures["kills"], kills, "{figures:#}");
    // One has no consent.
    assert!(asked.is_ok() || figures["fresh"] == tenants - 1, "{figures:#}");
}
