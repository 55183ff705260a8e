//! `kill -9` of the service while it dispatches and delivers, and receivers that die before they respond: no event is
//! lost, none arrives twice under another identifier, and those of a tenant arrive in their order.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use serde_json::Value;
use tempfile::TempDir;

use super::number;
use crate::notifying::message;
use crate::support::{Service, text_of};

/// Default number of kills.
const KILLS: usize = 4;
/// Longer than an event takes to its target, so that kills hit every part of its way and the time after it.
const LONGEST: u64 = 600;
/// Longer than a message waits after a first failure.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(data: &TempDir) -> Service {
    let data = data.path().join("posture.db");
    Service::start_with(&["--no-rate-limit", "--data", data.to_str().unwrap()])
}

/// Returns the address of a receiver, and the messages that it read. It dies before it responds to one in ten, but not to
/// the same one twice.
fn mortal_receiver(mut random: Rng) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, received) = channel();
    thread::spawn(move || {
        let mut died: Vec<String> = Vec::new();
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (mut request, mut part) = (Vec::new(), [0; 4096]);
            while let Ok(length @ 1..) = stream.read(&mut part) {
                request.extend_from_slice(&part[..length]);
                let Some(message) = message(&request) else { continue };
                let id = text_of(&message, "webhookId");
                if sender.send(message).is_err() {
                    return;
                }
                if random.u8(..10) == 0 && !died.contains(&id) {
                    died.push(id);
                } else {
                    let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
                }
                break;
            }
        }
    });
    (url, received)
}

#[test]
fn after_a_kill_at_any_moment_every_event_arrives_in_the_order_of_its_tenant() {
    let seed = number("CRASH_SEED").unwrap_or_else(|| fastrand::u64(..));
    let kills = number("CRASH_KILLS").map_or(KILLS, |kills| kills as usize);
    eprintln!("CRASH_SEED={seed} CRASH_KILLS={kills}");
    let (mut random, data) = (Rng::with_seed(seed), TempDir::new().unwrap());
    let mut service = start(&data);
    let member = service.organization("Northwind");
    let (url, received) = mortal_receiver(random.fork());
    service.json(&["notify", "add", "--org", &member.id, "--name", "Tickets", &url]);
    let provider = |number: usize| format!("11111111-2222-3333-4444-{number:012}");
    let tenants = [1, 2].map(|number| service.tenant(&member, "Alder", &provider(number)));
    for kill in 0..kills {
        let verb = if kill % 2 == 0 { "pause" } else { "resume" };
        for tenant in &tenants {
            service.text(&["tenant", verb, "--org", &member.id, tenant]);
        }
        thread::sleep(Duration::from_millis(random.u64(..LONGEST)));
        drop(service);
        service = start(&data);
    }
    let expected = in_order(events(&service, &member.key).into_iter());
    let total: usize = expected.values().map(Vec::len).sum();
    assert_eq!(total, 2 * (kills + 1));
    let (mut arrived, mut messages) = (Vec::new(), 0);
    while in_order(arrived.iter().cloned()).values().map(Vec::len).sum::<usize>() < total {
        arrived.push(received.recv_timeout(PATIENCE).expect("an event is lost"));
        messages += 1;
    }
    assert_eq!(in_order(arrived.into_iter()), expected);
    assert_eq!(service.json(&["check"])[0]["discrepancies"], serde_json::json!([]));
    eprintln!("{total} events, {messages} messages");
}

/// Returns all events of the API, as the data of messages.
fn events(service: &Service, key: &str) -> Vec<Value> {
    let (mut events, mut cursor) = (Vec::new(), String::new());
    loop {
        let (status, page) = service.get(key, &format!("/v1/events?limit=500&cursor={cursor}"));
        assert_eq!(status, 200, "{page}");
        let data = page["events"].as_array().unwrap().iter().map(|event| serde_json::json!({ "data": event }));
        events.extend(data);
        if page["upToDate"] == true {
            return events;
        }
        cursor = text_of(&page, "nextCursor");
    }
}

/// Returns the identifiers of events by their tenants, each once, in the order in which they came first.
fn in_order(messages: impl Iterator<Item = Value>) -> BTreeMap<String, Vec<String>> {
    let mut of_tenants: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for message in messages {
        let (event, id) = (&message["data"], text_of(&message["data"], "id"));
        assert!(message["webhookId"].is_null() || message["webhookId"] == id.as_str());
        let of_tenant = of_tenants.entry(text_of(&event["tenant"], "serviceTenantId")).or_default();
        if !of_tenant.contains(&id) {
            of_tenant.push(id);
        }
    }
    of_tenants
}
