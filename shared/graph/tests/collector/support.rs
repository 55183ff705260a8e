//! A collector and a stand-in in one process.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use graph::{Clock, CollectError, Collector, Pace, Position, Tokens, Transport};
use model::ProviderTenantId;
use model::snapshot::{Completion, Header, Response, VERSION};
use serde_json::Value;
use stand_in::{StandIn, Tenant};

pub(crate) fn id(number: usize) -> ProviderTenantId {
    format!("00000000-0000-4000-8000-{number:012}").parse().unwrap()
}

pub(crate) fn tenant(number: usize, users: usize) -> Tenant {
    Tenant::new(id(number), &format!("Tenant {number}"), users)
}

pub(crate) fn start() -> DateTime<Utc> {
    "2026-05-04T01:00:00Z".parse().unwrap()
}

pub(crate) struct Bench {
    pub(crate) stand_in: Arc<StandIn>,
    pub(crate) collector: Collector,
}

impl Bench {
    /// Returns a collector that asks a stand-in for tokens and everything else.
    pub(crate) fn new(tenants: Vec<Tenant>) -> Self {
        let clock = Clock::at(start());
        let stand_in = Arc::new(StandIn::new("https://graph.example", clock, tenants));
        let tokens: Arc<dyn Tokens> = Arc::<StandIn>::clone(&stand_in);
        let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(&stand_in);
        let hosts = stand_in.hosts();
        let collector = Collector { transport, tokens, pace: Arc::new(Pace::default()), hosts, clock };
        Self { stand_in, collector }
    }

    /// Lets requests pass through something before the stand-in.
    pub(crate) fn through(self, wrap: impl FnOnce(Arc<dyn Transport>) -> Arc<dyn Transport>) -> Self {
        let transport = wrap(Arc::clone(&self.collector.transport));
        Self { collector: Collector { transport, ..self.collector }, ..self }
    }

    pub(crate) fn begin(&self, tenant: &ProviderTenantId) -> Position {
        Position::new(Header {
            snapshot: VERSION,
            provider_tenant_id: tenant.clone(),
            requested_at: None,
            started_at: self.collector.clock.now().try_into().unwrap(),
            emergency_access: Vec::new(),
        })
    }

    pub(crate) async fn run(&self, tenant: &ProviderTenantId) -> Run {
        self.try_run(tenant).await.unwrap()
    }

    pub(crate) async fn try_run(&self, tenant: &ProviderTenantId) -> Result<Run, CollectError> {
        let mut position = self.begin(tenant);
        let mut responses = Vec::new();
        while let Some(more) = self.collector.advance(&mut position).await? {
            responses.extend(more);
        }
        let completion = position.completion(self.collector.clock.now().try_into().unwrap()).unwrap();
        Ok(Run { responses, completion })
    }
}

/// A complete run.
pub(crate) struct Run {
    pub(crate) responses: Vec<Response<Value>>,
    pub(crate) completion: Completion,
}

impl Run {
    /// Returns the bodies by endpoint and query, in the order of their pages.
    pub(crate) fn bodies(&self) -> BTreeMap<(String, String), Vec<Value>> {
        let mut bodies: BTreeMap<_, Vec<Value>> = BTreeMap::new();
        for response in &self.responses {
            let key = (response.endpoint.clone(), response.query.clone());
            bodies.entry(key).or_default().push(response.body.clone());
        }
        bodies
    }

    /// Returns the outcomes of an endpoint's responses: a status, or the name of a failure.
    pub(crate) fn outcomes(&self, endpoint: &str) -> Vec<String> {
        self.of(endpoint).map(outcome).collect()
    }

    pub(crate) fn of<'a>(&'a self, endpoint: &'a str) -> impl Iterator<Item = &'a Response<Value>> {
        self.responses.iter().filter(move |response| response.endpoint == endpoint)
    }

    /// Returns the endpoints of which a response is no success, with its outcome.
    pub(crate) fn refused(&self) -> BTreeMap<String, String> {
        let refused = self.responses.iter().filter(|response| response.status != Some(200));
        refused.map(|response| (response.endpoint.clone(), outcome(response))).collect()
    }

    /// Returns the ids of an endpoint's rows, in order.
    pub(crate) fn ids(&self, endpoint: &str) -> Vec<String> {
        let rows = self.of(endpoint).flat_map(|response| response.body["value"].as_array().unwrap().clone());
        rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }
}

fn outcome(response: &Response<Value>) -> String {
    match (response.status, response.failure) {
        (Some(status), _) => status.to_string(),
        (None, failure) => format!("{:?}", failure.unwrap()),
    }
}
