//! Measures the time from a change until a target has received its event, on this machine: `cargo run --release -p local
//! --example told -- [EVENTS] [PER_SECOND]`.

// The layout of the nested futures is deeper than the compiler's default limit.
#![recursion_limit = "256"]
#![allow(clippy::print_stdout, reason = "the result is printed")]
#![allow(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use std::collections::HashMap;
use std::env;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::Utc;
use deliver::{Client, Internet, Reach};
use local::{Engine, Notifications};
use model::{Actor, Admin, EventRules, Role, ServiceTenantId, TargetShape, Timestamp};
use serde_json::Value;
use store::OrganizationRecord;
use tokio::net::TcpListener;
use tokio::time::{Instant, interval, sleep};

/// Tenants, whose events follow each other.
const TENANTS: usize = 100;

/// When the changes of each tenant were committed, and how long their events took.
#[derive(Default)]
struct Measured {
    committed: HashMap<String, Vec<Instant>>,
    received: HashMap<String, usize>,
    took: Vec<Duration>,
}

type Shared = Arc<Mutex<Measured>>;

async fn receive(State(measured): State<Shared>, body: String) -> StatusCode {
    let message: Value = serde_json::from_str(&body).unwrap();
    let tenant = message["data"]["tenant"]["serviceTenantId"].as_str().unwrap().to_owned();
    let mut measured = measured.lock().unwrap();
    let number = measured.received.entry(tenant.clone()).or_default();
    let place = *number;
    *number += 1;
    let committed = measured.committed.get(&tenant).and_then(|times| times.get(place).copied());
    // It may arrive before its commit returns.
    measured.took.push(committed.map(|at| at.elapsed()).unwrap_or_default());
    StatusCode::NO_CONTENT
}

fn now() -> Timestamp {
    Utc::now().try_into().unwrap()
}

#[tokio::main]
async fn main() {
    let number = |place| env::args().nth(place).and_then(|text| text.parse::<usize>().ok());
    let (events, rate) = (number(1).unwrap_or(3_000), number(2).unwrap_or(100));
    let engine = Engine::memory(TcpListener::bind("127.0.0.1:0").await.unwrap()).await.unwrap();
    let store = engine.store("posture").await.unwrap();
    let record = OrganizationRecord {
        organization_id: "org_told".parse().unwrap(),
        name: "Told".to_owned(),
        usage_plan_key: "none".to_owned(),
        created_at: now(),
    };
    store.as_operator().create_organization(&record).await.unwrap();
    let organization = store.organization(&record.organization_id);
    let tenants: Vec<ServiceTenantId> = (0..TENANTS).map(|number| format!("ten_{number}").parse().unwrap()).collect();
    let actor = Actor::member(&"mem_told".parse().unwrap(), "Told".to_owned(), Role::Admin);
    for (number, tenant) in tenants.iter().enumerate() {
        let provider = format!("11111111-2222-3333-4444-{number:012}").parse().unwrap();
        organization.by(&actor, now()).add_tenant(tenant.clone(), "Alder".parse().unwrap(), provider).await.unwrap();
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let measured = Shared::default();
    let router = Router::new().fallback(receive).with_state(Arc::clone(&measured));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let writer = organization.by_admin(&Admin::operator(), now());
    writer.add_target("Receiver".parse().unwrap(), url, TargetShape::Webhook, EventRules::default()).await.unwrap();
    let client = Client::new(Arc::new(Internet), Reach::AndThisMachine).unwrap();
    tokio::spawn(Notifications::of(store, client, "http://localhost", "http://localhost").run());
    let mut ticks = interval(Duration::from_secs(1) / u32::try_from(rate).unwrap());
    for number in 0..events {
        ticks.tick().await;
        let (tenant, pause) = (&tenants[number % TENANTS], (number / TENANTS).is_multiple_of(2));
        organization.by(&actor, now()).pause_tenant(tenant, pause).await.unwrap();
        measured.lock().unwrap().committed.entry(tenant.to_string()).or_default().push(Instant::now());
    }
    while measured.lock().unwrap().took.len() < events {
        sleep(Duration::from_millis(10)).await;
    }
    let mut took = std::mem::take(&mut measured.lock().unwrap().took);
    took.sort_unstable();
    let at = |share: usize| took[(took.len() * share / 100).min(took.len() - 1)].as_millis();
    println!(
        "{events} events, {rate} a second: p50 {} ms, p95 {} ms, p99 {} ms, most {} ms",
        at(50),
        at(95),
        at(99),
        at(100)
    );
}
