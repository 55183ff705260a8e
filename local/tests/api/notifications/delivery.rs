//! The messages that a target receives.

use model::{EventKind, EventRules, Severity};
use serde_json::json;
use store::{DeliveryState, TargetEdit, TargetState};

use super::{API, NOW, Receiver, add, add_reports, listed, notifications};
use crate::support::{DASHBOARD, TestApp, by_operator, time};

#[tokio::test]
async fn a_target_receives_every_event_once_in_its_order_and_signed() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let created = add(&app.org_a.organization, &receiver.url, EventRules::default()).await;
    add_reports(&app).await;
    let mut notifications = notifications(&app);
    for _ in 0..3 {
        notifications.complete(time(NOW)).await.unwrap();
    }
    // A service that was started again begins a few minutes earlier.
    super::notifications(&app).complete(time(NOW)).await.unwrap();
    let events = listed(&app, &app.org_a.key).await;
    let events: Vec<_> = events.iter().filter(|event| event["occurredAt"].as_str() >= Some("2026-07-01")).collect();
    assert!(events.len() > 2, "{events:?}");
    let received = receiver.received();
    let ids: Vec<_> = events.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(receiver.ids(), ids);
    for (message, event) in received.iter().zip(&events) {
        assert!(message.is_signed_with(&created.secret));
        let body = message.json();
        assert_eq!((&body["type"], &body["timestamp"]), (&event["kind"], &event["occurredAt"]));
        let mut data = (**event).clone();
        data["apiUrl"] = json!(format!("{API}/v1/posture-reports/{}", event["report"]["id"].as_str().unwrap()));
        assert_eq!(body["data"], data);
        assert!(data["url"].as_str().unwrap().starts_with(DASHBOARD));
        assert_eq!(
            (message.path.as_str(), message.header("content-type")),
            ("/hook?from=posture", "application/json".to_owned())
        );
    }
    let deliveries = app.org_a.organization.deliveries(&created.target.target_id, 100, time(NOW)).await.unwrap();
    assert_eq!(deliveries.len(), events.len());
    assert!(deliveries.iter().all(|it| (it.state, it.attempts, it.status) == (DeliveryState::Delivered, 1, Some(204))));
}

#[tokio::test]
async fn a_target_is_told_of_what_its_rules_select_while_it_is_active() {
    let app = TestApp::new().await;
    let (organization, tenant) = (&app.org_a.organization, &app.org_a.tenants[0]);
    let (all, severe, other, paused) =
        (Receiver::start().await, Receiver::start().await, Receiver::start().await, Receiver::start().await);
    add(organization, &all.url, EventRules::default()).await;
    let drifts = EventRules {
        kinds: [EventKind::ControlDrifted].into(),
        severity: Some(Severity::High),
        tools: ["scubagear".to_owned()].into(),
        tenants: [tenant.clone()].into(),
        ..Default::default()
    };
    add(organization, &severe.url, drifts).await;
    add(organization, &other.url, EventRules { tenants: [app.org_a.tenants[1].clone()].into(), ..Default::default() })
        .await;
    let id = add(organization, &paused.url, EventRules::default()).await.target.target_id;
    by_operator(organization, time("2026-07-01T00:00:00Z")).pause_target(&id, true).await.unwrap();
    add_reports(&app).await;
    let mut notifications = notifications(&app);
    notifications.complete(time(NOW)).await.unwrap();
    // Events from before it was resumed are not sent.
    by_operator(organization, time("2026-07-03T00:00:00Z")).pause_target(&id, false).await.unwrap();
    by_operator(organization, time("2026-07-04T00:00:00Z")).pause_tenant(tenant, true).await.unwrap();
    notifications.complete(time("2026-07-04T00:00:00Z")).await.unwrap();
    let kinds = |receiver: &Receiver| -> Vec<String> {
        receiver.received().iter().map(|message| message.json()["type"].as_str().unwrap().to_owned()).collect()
    };
    let told = all.received();
    assert!(
        kinds(&all).contains(&"control.drifted".to_owned()) && kinds(&all).contains(&"report.completed".to_owned())
    );
    let expected: Vec<_> = told
        .iter()
        .map(|message| message.json()["data"].clone())
        .filter(|event| event["kind"] == "control.drifted")
        .filter(|event| ["CRITICAL", "HIGH"].contains(&event["control"]["severity"].as_str().unwrap_or_default()))
        .collect();
    let sent: Vec<_> = severe.received().iter().map(|message| message.json()["data"].clone()).collect();
    assert!(!expected.is_empty());
    assert_eq!(sent, expected);
    let low = told.iter().filter(|message| message.json()["data"]["control"]["severity"] == "LOW").count();
    assert_eq!(low, 1, "one that the limit leaves out");
    assert!(other.received().is_empty());
    assert_eq!(kinds(&paused), ["tenant.paused"]);
}

#[tokio::test]
async fn the_secret_before_signs_for_another_day() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    let first = add(organization, &receiver.url, EventRules::default()).await;
    let id = &first.target.target_id;
    let writer = by_operator(organization, time("2026-07-02T00:00:00Z"));
    let second = writer.rotate_secret(id).await.unwrap();
    let third = by_operator(organization, time("2026-07-02T01:00:00Z")).rotate_secret(id).await.unwrap();
    let mut notifications = notifications(&app);
    for now in ["2026-07-02T02:00:00Z", "2026-07-03T01:00:00Z"] {
        let writer = by_operator(organization, time(now));
        operations::notifications::test(&writer, &operations::Queue::Table, id, time(now)).await.unwrap();
        notifications.complete(time(now)).await.unwrap();
    }
    let signers = |number: usize| {
        let message = &receiver.received()[number];
        [&first, &second, &third].map(|created| message.is_signed_with(&created.secret))
    };
    assert_eq!((signers(0), signers(1)), ([false, true, true], [false, false, true]));
    assert_eq!(receiver.received()[0].json()["type"], "test");
    let deliveries = organization.deliveries(id, 10, time("2026-07-03T01:00:00Z")).await.unwrap();
    assert!(deliveries.len() == 2 && deliveries.iter().all(|delivery| delivery.kind.is_none()));
}

#[tokio::test]
async fn events_are_sent_again_and_a_removed_target_receives_nothing() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    let id = add(organization, &receiver.url, EventRules::default()).await.target.target_id;
    add_reports(&app).await;
    let mut notifications = notifications(&app);
    notifications.complete(time(NOW)).await.unwrap();
    let first = receiver.ids();
    let again = time("2026-07-05T00:00:00Z");
    let writer = by_operator(organization, again);
    let queue = operations::Queue::Table;
    let sent = operations::notifications::send_again(&writer, &queue, &id, time(NOW), None, again).await.unwrap();
    notifications.complete(again).await.unwrap();
    assert_eq!((sent, receiver.ids()), (first.len(), [&first[..], &first].concat()));
    let only = first[0].parse().unwrap();
    let edit = TargetEdit {
        rules: Some(EventRules { kinds: [EventKind::DataRepaired].into(), ..Default::default() }),
        ..Default::default()
    };
    assert_eq!(writer.edit_target(&id, edit).await.unwrap().state, TargetState::Active);
    operations::notifications::send_again(&writer, &queue, &id, time(NOW), Some(&only), time("2026-07-06T00:00:00Z"))
        .await
        .unwrap();
    notifications.complete(time("2026-07-06T00:00:00Z")).await.unwrap();
    assert_eq!(receiver.ids().last(), Some(&first[0]));
    let before = receiver.ids().len();
    operations::notifications::test(&writer, &queue, &id, time("2026-07-06T00:00:00Z")).await.unwrap();
    writer.remove_target(&id).await.unwrap();
    notifications.complete(time("2026-07-07T00:00:00Z")).await.unwrap();
    assert_eq!((receiver.ids().len(), organization.targets().await.unwrap().len()), (before, 0));
    assert!(organization.deliveries(&id, 10, again).await.unwrap().is_empty());
}
