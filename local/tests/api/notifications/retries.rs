//! A message that is not accepted, and a target that accepts none.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::StatusCode;
use model::EventRules;
use store::{AuditAction, Delivery, DeliveryState, Organization, TargetState};

use super::{NOW, Receiver, add, listed, notifications};
use crate::support::{TestApp, by_operator, time};

async fn delivery(organization: &Organization, now: &str) -> (Delivery, store::Target) {
    let target = organization.targets().await.unwrap().remove(0);
    let deliveries = organization.deliveries(&target.target_id, 10, time(now)).await.unwrap();
    (deliveries.last().unwrap().clone(), target)
}

#[tokio::test]
async fn a_message_is_tried_again_later_and_those_of_its_tenant_wait_for_it() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    add(organization, &receiver.url, EventRules::default()).await;
    // Of changes at the same moment, nobody knows which came first.
    for (tenant, pause, at) in
        [(0, true, NOW), (1, true, "2026-07-02T00:00:00.100Z"), (0, false, "2026-07-02T00:00:00.200Z")]
    {
        by_operator(organization, time(at)).pause_tenant(&app.org_a.tenants[tenant], pause).await.unwrap();
    }
    let first = AtomicBool::new(true);
    receiver.answer(move |_, message| {
        let is_first =
            message.json()["data"]["tenant"]["serviceTenantId"] == "ten_a1" && first.swap(false, Ordering::Relaxed);
        if is_first { StatusCode::FOUND } else { StatusCode::OK }
    });
    let mut notifications = notifications(&app);
    notifications.complete(time(NOW)).await.unwrap();
    let kinds = || {
        receiver.received().iter().map(|it| it.json()["data"]["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(), ["tenant.paused", "tenant.paused"], "the other tenant's message does not wait");
    let (waiting, _) = delivery(organization, NOW).await;
    assert_eq!((waiting.state, waiting.attempts, waiting.status), (DeliveryState::Waiting, 1, Some(302)));
    assert!(waiting.problem.unwrap().contains("name the address that it redirects to"));
    // A service that was started again dispatches the events of the last minutes again.
    super::notifications(&app).complete(time("2026-07-02T00:00:04Z")).await.unwrap();
    assert_eq!((receiver.ids().len(), organization.queued().await.unwrap().len()), (2, 2));
    notifications.complete(time("2026-07-02T00:00:06Z")).await.unwrap();
    assert_eq!(kinds()[2..], ["tenant.paused", "tenant.resumed"]);
    let ids = receiver.ids();
    assert!(ids[2] == ids[0] || ids[2] == ids[1], "the same message has the same identifier");
    assert_eq!(delivery(organization, NOW).await.1.failing_since, None);
    assert!(
        receiver.received().iter().all(|message| message.path == "/hook?from=posture"),
        "redirects are not followed"
    );
}

#[tokio::test]
async fn a_message_is_given_up_after_three_days_and_a_silent_target_is_switched_off_after_five() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    add(organization, &receiver.url, EventRules::default()).await;
    receiver.answer(|_, _| StatusCode::INTERNAL_SERVER_ERROR);
    by_operator(organization, time(NOW)).pause_tenant(&app.org_a.tenants[0], true).await.unwrap();
    let mut notifications = notifications(&app);
    let mut now = time(NOW);
    for attempts in 1..=13 {
        notifications.complete(now).await.unwrap();
        let (delivery, _) = delivery(organization, NOW).await;
        assert_eq!((delivery.attempts, receiver.ids().len()), (attempts, attempts as usize));
        let Some(next_at) = delivery.next_at else {
            assert_eq!((attempts, delivery.state, delivery.status), (13, DeliveryState::Failed, Some(500)));
            break;
        };
        assert_eq!(delivery.state, DeliveryState::Waiting);
        // The attempt itself takes a moment.
        now = (next_at.to_datetime() + chrono::TimeDelta::seconds(1)).try_into().unwrap();
    }
    assert_eq!((now.to_datetime() - time(NOW).to_datetime()).num_hours(), 72);
    notifications.complete(time("2026-07-06T00:00:00Z")).await.unwrap();
    assert_eq!(receiver.ids().len(), 13);
    by_operator(organization, time("2026-07-06T23:00:00Z")).pause_tenant(&app.org_a.tenants[0], false).await.unwrap();
    notifications.complete(time("2026-07-06T23:00:00Z")).await.unwrap();
    assert_eq!(delivery(organization, NOW).await.1.state, TargetState::Active);
    notifications.complete(time("2026-07-07T00:00:01Z")).await.unwrap();
    let target = organization.targets().await.unwrap().remove(0);
    assert_eq!(target.state, TargetState::Disabled);
    assert_switched_off(&app, "It has accepted nothing for five days.").await;
}

#[tokio::test]
async fn a_target_that_is_gone_is_switched_off_at_once_and_can_be_resumed() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    let id = add(organization, &receiver.url, EventRules::default()).await.target.target_id;
    receiver.answer(|_, _| StatusCode::GONE);
    by_operator(organization, time(NOW)).pause_tenant(&app.org_a.tenants[0], true).await.unwrap();
    let later = time("2026-07-02T00:00:00.100Z");
    by_operator(organization, later).pause_tenant(&app.org_a.tenants[0], false).await.unwrap();
    let mut notifications = notifications(&app);
    notifications.complete(later).await.unwrap();
    notifications.complete(time("2026-07-03T00:00:00Z")).await.unwrap();
    assert_eq!(receiver.ids().len(), 1);
    assert_eq!(delivery(organization, NOW).await.0.state, DeliveryState::Failed);
    assert_switched_off(&app, "It responded with status 410: it accepts nothing any more.").await;
    let resumed = by_operator(organization, time("2026-07-04T00:00:00Z")).pause_target(&id, false).await.unwrap();
    assert_eq!((resumed.state, resumed.failing_since), (TargetState::Active, None));
}

/// Asserts that an event and the audit trail say that the target was switched off, and why.
async fn assert_switched_off(app: &TestApp, reason: &str) {
    let events = listed(app, &app.org_a.key).await;
    let event = events.iter().find(|event| event["kind"] == "target.disabled").unwrap();
    assert_eq!((&event["failures"][0]["of"], &event["failures"][0]["reason"]), (&"Tickets".into(), &reason.into()));
    let (trail, _) = app.org_a.organization.audit_trail(None, 10, time(NOW)).await.unwrap();
    let entry = trail.iter().find(|entry| entry.action == AuditAction::TargetDisabled).unwrap();
    assert_eq!((entry.author_id.as_str(), entry.changes[0].after.as_deref()), ("service", Some(reason)));
}
