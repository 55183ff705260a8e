//! A service that ends at any of its calls: no event is lost, and one that is sent twice has the same identifier.

use std::collections::BTreeMap;
use std::sync::Arc;

use deliver::{Client, Internet, Reach};
use local::Notifications;
use model::EventRules;

use super::{API, Receiver, add, listed, notifications};
use crate::faults::{Fault, FaultyStore};
use crate::support::{DASHBOARD, TestApp, by_operator, time};

#[tokio::test]
async fn wherever_the_service_ends_every_event_arrives_and_in_the_order_of_its_tenant() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    add(organization, &receiver.url, EventRules::default()).await;
    let faulty = FaultyStore::over(&app.engine).await;
    let client = Client::new(Arc::new(Internet), Reach::AndThisMachine).unwrap();
    let mut moment = time("2026-07-02T00:00:00Z").to_datetime();
    let mut call = 0;
    loop {
        for (tenant, pause) in [(0, true), (1, true), (0, false), (1, false)] {
            // Of changes at the same moment, nobody knows which came first.
            moment += chrono::TimeDelta::seconds(1);
            let writer = by_operator(organization, moment.try_into().unwrap());
            writer.pause_tenant(&app.org_a.tenants[tenant], pause).await.unwrap();
        }
        moment += chrono::TimeDelta::minutes(10);
        let now = moment.try_into().unwrap();
        let fault = if call % 2 == 0 { Fault::Refused } else { Fault::HalfResponse };
        faulty.plan(fault, call..usize::MAX);
        // It fails from this call on, and does not end properly.
        let mut ended = Notifications::of(faulty.store.clone(), client.clone(), DASHBOARD, API);
        let _ = ended.complete(now).await;
        let was_reached = faulty.made().len() > call;
        let mut again = notifications(&app);
        again.complete(now).await.unwrap();
        again.complete(now).await.unwrap();
        assert!(organization.queued().await.unwrap().is_empty(), "{fault:?} from call {call}");
        if !was_reached {
            break;
        }
        call += 1;
    }
    assert!(call > 10, "{call}");
    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in
        listed(&app, &app.org_a.key).await.iter().filter(|event| event["occurredAt"].as_str() >= Some("2026-07-02"))
    {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        expected.entry(text(&event["tenant"]["serviceTenantId"])).or_default().push(text(&event["id"]));
    }
    let mut received: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for message in receiver.received() {
        let (event, id) = (message.json()["data"].clone(), message.header("webhook-id"));
        assert_eq!(event["id"], id.as_str());
        let of_tenant = received.entry(event["tenant"]["serviceTenantId"].as_str().unwrap().to_owned()).or_default();
        if !of_tenant.contains(&id) {
            of_tenant.push(id);
        }
    }
    assert_eq!(received, expected);
}
