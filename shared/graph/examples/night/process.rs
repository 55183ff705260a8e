//! Processes that take tenants from a queue, as the function does: in batches, and step by step.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, join_all, select};
use graph::{Application, Clock, Collector, Credential, Pace, Position, Registered, Signer, Transport, lines};
use model::ProviderTenantId;
use model::snapshot::{Header, RequestFailure, VERSION};
use stand_in::StandIn;
use tokio::time::{Instant, sleep, sleep_until};

pub(crate) const CLIENT: &str = "11111111-2222-4333-8444-555555555555";
/// Processes, the tenants that each collects in one invocation, and the time until a message whose invocation ended
/// without a response is delivered again: as in the template.
pub(crate) const PROCESSES: u32 = 4;
const BATCH: usize = 50;
const HIDDEN: Duration = Duration::from_secs(660);
/// Time between two kills.
const BETWEEN_KILLS: Duration = Duration::from_secs(15);

/// How the night ends for a tenant.
pub(crate) enum End {
    /// Its snapshot is complete, with these responses.
    Complete(Vec<Outcome>),
    /// There is none, for a reason.
    Refused(String),
}

/// The outcome of a response.
#[derive(Clone)]
pub(crate) struct Outcome {
    pub(crate) endpoint: String,
    pub(crate) status: Option<u16>,
    pub(crate) failure: Option<RequestFailure>,
}

/// A run as it is stored: its position, and the outcomes of each step by its number.
#[derive(Default)]
struct Run {
    position: Option<String>,
    steps: BTreeMap<u64, Vec<Outcome>>,
}

/// A night: the state that all processes share, and that outlives each of them.
pub(crate) struct Night {
    pub(crate) stand_in: Arc<StandIn>,
    signer: Arc<dyn Signer>,
    clock: Clock,
    /// The messages, each with the time from which it is delivered.
    queue: RefCell<VecDeque<(Instant, ProviderTenantId)>>,
    runs: RefCell<BTreeMap<ProviderTenantId, Run>>,
    pub(crate) ends: RefCell<BTreeMap<ProviderTenantId, End>>,
    /// Tenants that ended more than once.
    pub(crate) twice: Cell<usize>,
    pub(crate) kills: Cell<u32>,
}

impl Night {
    pub(crate) fn new(stand_in: Arc<StandIn>, signer: Arc<dyn Signer>, clock: Clock) -> Self {
        let now = Instant::now();
        let queue = stand_in.tenants().map(|tenant| (now, tenant.id.clone())).collect();
        Self {
            stand_in,
            signer,
            clock,
            queue: RefCell::new(queue),
            runs: RefCell::default(),
            ends: RefCell::default(),
            twice: Cell::default(),
            kills: Cell::default(),
        }
    }

    /// Lets a process work until the queue is empty. Each time it is killed, another one takes its place.
    pub(crate) async fn process(&self, number: u32, kills: u32) {
        let began = Instant::now();
        for kill in (number..kills).step_by(PROCESSES as usize) {
            let killed = pin!(sleep_until(began + BETWEEN_KILLS * (kill + 1)));
            match select(pin!(self.work()), killed).await {
                Either::Left(_) => return,
                Either::Right(_) => self.kills.set(self.kills.get() + 1),
            }
        }
        self.work().await;
    }

    async fn work(&self) {
        let pace = Arc::new(Pace::of_one_in(PROCESSES));
        while !self.queue.borrow().is_empty() {
            let batch = self.receive();
            if batch.is_empty() {
                sleep(Duration::from_secs(1)).await;
                continue;
            }
            let collector = self.collector(&pace);
            join_all(batch.iter().map(|tenant| self.collect(&collector, tenant))).await;
            self.queue.borrow_mut().retain(|(_, tenant)| !batch.contains(tenant));
        }
    }

    /// Takes messages, which are delivered again unless they are deleted.
    fn receive(&self) -> Vec<ProviderTenantId> {
        let now = Instant::now();
        let mut queue = self.queue.borrow_mut();
        let ready = queue.iter_mut().filter(|(from, _)| *from <= now).take(BATCH);
        ready
            .map(|(from, tenant)| {
                *from = now + HIDDEN;
                tenant.clone()
            })
            .collect()
    }

    /// Returns the collector of an invocation.
    fn collector(&self, pace: &Arc<Pace>) -> Collector {
        let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(&self.stand_in);
        let (hosts, clock) = (self.stand_in.hosts(), self.clock);
        let registered = Registered {
            home: None,
            client_id: CLIENT.into(),
            credential: Credential::Key(Arc::clone(&self.signer)),
            transport: Arc::clone(&transport),
            hosts: hosts.clone(),
        };
        let tokens = Application::new(registered, clock);
        Collector { transport, tokens: Arc::new(tokens), pace: Arc::clone(pace), hosts, clock }
    }

    /// Collects a tenant from where it was stored, unless it has ended.
    async fn collect(&self, collector: &Collector, tenant: &ProviderTenantId) {
        if self.ends.borrow().contains_key(tenant) {
            return;
        }
        let stored = self.runs.borrow().get(tenant).and_then(|run| run.position.clone());
        let stored = stored.and_then(|stored| serde_json::from_str(&stored).ok());
        let mut position = stored.unwrap_or_else(|| Position::new(self.header(tenant)));
        let end = loop {
            match collector.advance(&mut position).await {
                Ok(Some(responses)) => {
                    let outcomes = responses.iter().map(|response| Outcome {
                        endpoint: response.endpoint.clone(),
                        status: response.status,
                        failure: response.failure,
                    });
                    // The part of the snapshot, which the function stores here.
                    drop(lines(&responses));
                    let mut runs = self.runs.borrow_mut();
                    let run = runs.entry(tenant.clone()).or_default();
                    run.steps.insert(position.advances(), outcomes.collect());
                    run.position = serde_json::to_string(&position).ok();
                }
                Ok(None) => {
                    let run = self.runs.borrow_mut().remove(tenant).unwrap_or_default();
                    break End::Complete(run.steps.into_values().flatten().collect());
                }
                Err(error) => break End::Refused(error.to_string()),
            }
        };
        if self.ends.borrow_mut().insert(tenant.clone(), end).is_some() {
            self.twice.set(self.twice.get() + 1);
        }
    }

    fn header(&self, tenant: &ProviderTenantId) -> Header {
        Header {
            snapshot: VERSION,
            provider_tenant_id: tenant.clone(),
            requested_at: None,
            started_at: self.clock.now().try_into().expect("the night is within the years 0 to 9999"),
            emergency_access: Vec::new(),
        }
    }
}
