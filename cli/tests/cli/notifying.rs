//! `posture notify`, with a receiver on this machine.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use aws_sdk_sqs::types::{MessageSystemAttributeName, QueueAttributeName};
use model::IdentityHash;
use serde_json::{Value, json};
use store::{Person, Store};

use crate::provisioning::Deployment;
use crate::support::{Member, Service, failed, text_of};

/// Longer than a message takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the address of a receiver, and the messages that it accepts.
fn receiver() -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (sender, received) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let (mut request, mut part) = (Vec::new(), [0; 4096]);
            // A message that breaks off is none.
            while let Ok(length @ 1..) = stream.read(&mut part) {
                request.extend_from_slice(&part[..length]);
                if let Some(message) = message(&request) {
                    if sender.send(message).is_err() {
                        return;
                    }
                    let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
                    break;
                }
            }
        }
    });
    (url, received)
}

/// Returns the message in a request that is complete: its body, with its identifier as `webhookId`.
pub(crate) fn message(request: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(request).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    if body.len() < header("content-length:")?.parse().ok()? {
        return None;
    }
    let mut message: Value = serde_json::from_str(body).unwrap();
    message["webhookId"] = json!(header("webhook-id:")?);
    Some(message)
}

fn of<'a>(member: &'a Member, arguments: &[&'a str]) -> Vec<&'a str> {
    [&["notify"], arguments, &["--org", &member.id]].concat()
}

#[test]
fn a_target_is_told_tested_changed_and_removed() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let (url, received) = receiver();
    assert!(service.text(&of(&member, &["list"])).contains("`posture notify add`"));
    let added =
        service.json(&of(&member, &["add", "--name", "Tickets", "--kinds", "tenant.added,tenant.paused", &url]));
    let target = text_of(&added, "targetId");
    assert!(text_of(&added, "secret").starts_with("whsec_"));
    let tenant = service.tenant(&member, "Harbour Dental", "11111111-2222-3333-4444-555555555555");
    let told = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!((&told["type"], &told["data"]["tenant"]["serviceTenantId"]), (&json!("tenant.added"), &json!(tenant)));
    let listed = service.json(&of(&member, &["list"]));
    assert_eq!(
        (&listed[0]["name"], &listed[0]["state"], &listed[0]["url"]),
        (&json!("Tickets"), &json!("ACTIVE"), &json!(url))
    );
    assert!(!listed.to_string().contains("whsec_"));
    assert!(service.text(&of(&member, &["list"])).contains("tenant.added, tenant.paused"));

    let test = service.json(&of(&member, &["test", &target]));
    let told = received.recv_timeout(PATIENCE).unwrap();
    assert_eq!((&told["type"], &told["webhookId"]), (&json!("test"), &test["eventId"]));

    let rotated = service.json(&of(&member, &["rotate", &target]));
    assert_ne!(rotated["secret"], added["secret"]);
    let changed = [
        "change",
        "--severity",
        "HIGH",
        "--tools",
        "ScubaGear",
        "--tenant",
        "harbour dental",
        "--label",
        "Gold",
        "--name",
        "Other",
        &target,
    ];
    let changed = service.json(&of(&member, &changed));
    let rules = json!({ "kinds": [], "severity": "HIGH", "tools": ["ScubaGear"], "tenants": [tenant], "labels": ["Gold"], "quiet": "never" });
    assert_eq!((&changed["rules"], &changed["name"]), (&rules, &json!("Other")));
    let all = service.text(&of(&member, &["change", "--all", "--url", &url, &target]));
    assert!(all.contains("all events"), "{all}");

    assert!(service.text(&of(&member, &["pause", &target])).contains("paused"));
    service.text(&["tenant", "pause", "--org", &member.id, &tenant]);
    let refused = service.failure(1, &of(&member, &["send-again", "--since", "2026-01-01T00:00:00Z", &target]));
    assert!(refused.contains("the target is not active, so nothing was sent: resume it first"), "{refused}");
    assert!(service.text(&of(&member, &["resume", &target])).contains("active"));
    let again = ["send-again", "--since", "2026-01-01T00:00:00Z", &target];
    let again = service.json(&of(&member, &again));
    assert_eq!(again["events"], 2, "{again}");
    let kinds = [0; 2].map(|_| received.recv_timeout(PATIENCE).unwrap()["type"].clone());
    assert_eq!(kinds, ["tenant.added", "tenant.paused"]);
    let one = text_of(&told, "webhookId");
    let none = ["send-again", "--since", "2026-01-01T00:00:00Z", "--event", &one, &target];
    assert_eq!(service.run(&of(&member, &none)).status.code(), Some(1), "a test is no event");
    let deliveries = loop {
        let deliveries = service.json(&of(&member, &["deliveries", "--limit", "3", &target]));
        let delivered = deliveries.as_array().unwrap().iter().filter(|it| it["state"] == "DELIVERED").count();
        if delivered == 3 {
            break deliveries;
        }
        thread::sleep(Duration::from_millis(50));
    };
    assert!(deliveries.as_array().unwrap().iter().all(|it| it["status"] == 204), "{deliveries}");
    assert!(service.text(&of(&member, &["deliveries", &target])).contains("tenant.paused"));
    service.text(&of(&member, &["remove", &target, "--yes"]));
    assert_eq!(service.json(&of(&member, &["list"])), json!([]));
    let trail = service.failure(1, &of(&member, &["rotate", &target]));
    assert!(trail.contains("no such target"), "{trail}");
}

#[test]
fn a_channel_is_told_in_words() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let (url, received) = receiver();
    let add = ["add", "--name", "Channel", "--kinds", "tenant.added", "--shape", "slack", &url];
    let added = service.text(&of(&member, &add));
    assert!(added.contains("is a channel") && !added.contains("whsec_"), "{added}");
    let listed = service.json(&of(&member, &["list"]));
    let target = text_of(&listed[0], "targetId");
    assert_eq!(listed[0]["shape"], "SLACK");
    assert!(service.text(&of(&member, &["list"])).contains("slack"));
    service.tenant(&member, "Harbour & Dental", "11111111-2222-3333-4444-555555555555");
    assert_eq!(received.recv_timeout(PATIENCE).unwrap()["text"], "Tenant added: Harbour &amp; Dental");
    let changed = service.json(&of(&member, &["change", "--shape", "Teams", &target]));
    assert_eq!((&changed["shape"], &changed["name"]), (&json!("TEAMS"), &json!("Channel")));
    service.json(&of(&member, &["test", &target]));
    assert_eq!(received.recv_timeout(PATIENCE).unwrap()["type"], "message");
    let wrong = ["add", "--name", "A", "--shape", "discord", "https://hooks.example"];
    let complaint = service.failure(2, &of(&member, &wrong));
    assert!(complaint.contains("must be one of WEBHOOK, SLACK, TEAMS"), "{complaint}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_a_target() {
    let service = Service::start();
    let organization = service.organization("Northwind");
    let listed = |of_member: &[&str]| service.json(&of(&organization, of_member));
    service.tenant(&organization, "Harbour", "11111111-2222-3333-4444-555555555555");
    let invite = ["member", "invite", "--org", &organization.id, "--role", "admin", "--note", "Alex"];
    let link = text_of(&service.json(&invite), "link");
    let identity = IdentityHash::of("https://issuer.example", "alex");
    let person = Person { identity, name: "Alex".to_owned(), email: None };
    let (store, now) = (Store::new(service.client(), "posture"), chrono::Utc::now().try_into().unwrap());
    let secret = link.rsplit('/').next().unwrap().parse().unwrap();
    let id = store.accept_invitation(&secret, person, now).await.unwrap().member_id.to_string();
    let rules = ["--kinds", "control.drifted", "--severity", "high", "--tools", "ScubaGear", "--tenant", "Harbour"];
    let others = ["--label", "Gold", "--quiet", "sat", "--name", "Drifts", "--every", "day", &id];
    let added = listed(&[&["add-member"], &rules[..], &others[..]].concat());
    assert_eq!((&added["url"], &added["shape"], &added["pace"]), (&json!(id), &json!("MAIL"), &json!("DAY")));
    let rules = &added["rules"];
    assert_eq!(
        (&rules["kinds"], &rules["severity"], &rules["quiet"]),
        (&json!(["control.drifted"]), &json!("HIGH"), &json!("sat"))
    );
    assert_eq!((&rules["tools"], &rules["labels"]), (&json!(["ScubaGear"]), &json!(["Gold"])));
    assert_eq!(rules["tenants"].as_array().unwrap().len(), 1);
    assert!(service.text(&of(&organization, &["list"])).contains("mail, one each day"));
    let target = text_of(&added, "targetId");
    assert_eq!(listed(&["change", "--every", "week", &target])["pace"], "WEEK");
    let complaint = service.failure(1, &of(&organization, &["change", "--shape", "slack", &target]));
    assert!(complaint.contains("add another target"), "{complaint}");
    let unknown = ["add-member", "--name", "A", "mem_unknown"];
    assert!(service.failure(1, &of(&organization, &unknown)).contains("not added"));
}

#[test]
fn a_target_is_quiet_at_night() {
    let service = Service::start();
    let member = service.organization("Northwind");
    let add = ["add", "--name", "Tickets", "--quiet", "20-7,Sunday,sat", "https://hooks.example"];
    let added = service.json(&of(&member, &add));
    assert_eq!(added["rules"]["quiet"], "20-07,sat,sun");
    assert!(service.text(&of(&member, &["list"])).contains("all events; quiet 20-07,sat,sun UTC"));
    let target = text_of(&added, "targetId");
    let changed = service.text(&of(&member, &["change", "--quiet", "never", &target]));
    assert!(changed.contains("is active: all events."), "{changed}");
    for never_ends in ["00-24", "mon,tue,wed,thu,fri,sat,sun", "20"] {
        let complaint = service.failure(2, &of(&member, &["change", "--quiet", never_ends, &target]));
        assert!(complaint.contains("not quiet times: expected hours (UTC)"), "{complaint}");
    }
}

#[test]
fn an_address_is_https_and_its_kinds_are_known() {
    let service = Service::start();
    let member = service.organization("Northwind");
    for (wrong, expected) in [
        (vec!["add", "--name", "A", "http://hooks.example"], "must be an https address"),
        (
            vec!["add", "--name", "A", "--kinds", "control.moved", "https://hooks.example"],
            "must be one of tenant.added",
        ),
        (vec!["add", "--name", "A", "--severity", "worst", "https://hooks.example"], "must be one of CRITICAL"),
    ] {
        let complaint = service.failure(2, &of(&member, &wrong));
        assert!(complaint.contains(expected), "{complaint}");
    }
    let unknown = ["add", "--name", "A", "--tenant", "nobody", "https://hooks.example"];
    assert!(service.failure(1, &of(&member, &unknown)).contains("the target was not added"));
}

#[tokio::test]
async fn notifications_go_to_the_named_queue() {
    let Some(deployment) = Deployment::start().await else { return };
    let queues = deployment.queues();
    let create =
        queues.create_queue().queue_name("notifications.fifo").attributes(QueueAttributeName::FifoQueue, "true");
    let queue = create.send().await.unwrap().queue_url.unwrap();
    let own = text_of(&deployment.json(&["org", "create", "--name", "Northwind"]), "organizationId");
    let add = ["notify", "add", "--org", &own, "--name", "Tickets", "https://hooks.example"];
    let target = text_of(&deployment.json(&add), "targetId");
    for number in 1..=12 {
        let provider_id = format!("11111111-2222-3333-4444-{number:012}");
        deployment.json(&["tenant", "add", "--org", &own, "--name", "Alder", "--provider-tenant-id", &provider_id]);
    }
    let test = ["notify", "test", "--org", &own, &target];
    let complaint = failed(1, &deployment.run_in(None, &test));
    assert!(complaint.contains("set --queue or NOTIFICATIONS_QUEUE_URL"), "{complaint}");
    let again = ["notify", "send-again", "--org", &own, &target, "--since", "2026-01-01T00:00:00Z", "--queue", &queue];
    assert_eq!(deployment.json(&again)["events"], 12);
    let test = deployment.json(&[&test[..], &["--queue", &queue]].concat());
    let mut groups = BTreeSet::new();
    let mut bodies: Vec<Value> = Vec::new();
    while bodies.len() < 13 {
        let receive = queues.receive_message().queue_url(&queue).max_number_of_messages(10);
        let receive = receive.message_system_attribute_names(MessageSystemAttributeName::MessageGroupId);
        for message in receive.send().await.unwrap().messages.unwrap() {
            groups.extend(message.attributes.unwrap().into_values());
            bodies.push(serde_json::from_str(message.body.as_ref().unwrap()).unwrap());
            let receipt = message.receipt_handle.unwrap();
            queues.delete_message().queue_url(&queue).receipt_handle(receipt).send().await.unwrap();
        }
    }
    assert_eq!(groups.len(), 13, "a group for each tenant, and one for the organization");
    let last = bodies.iter().find(|body| body["eventId"] == test["eventId"]).unwrap();
    assert_eq!((&last["targetId"], &last["organizationId"]), (&json!(target), &json!(own)));
    // A message names the event, and has nothing of it.
    assert!(bodies.iter().all(|body| !body.to_string().contains("Alder")));
}
