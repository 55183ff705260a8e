//! Quiet times: nothing is sent in them, and nothing is lost.

use axum::http::StatusCode;
use model::{Actor, EventRules, QuietTimes};
use operations::Queue;
use store::DeliveryState;

use super::{Receiver, add, listed, notifications};
use crate::dashboard::Desk;
use crate::support::{TestApp, by_operator, time};

fn nights_and_weekends() -> EventRules {
    EventRules { quiet: "20-07,sat,sun".parse().unwrap(), ..EventRules::default() }
}

#[tokio::test]
async fn messages_wait_for_the_end_of_a_quiet_time_and_are_sent_in_their_order() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let (organization, [first, second]) = (&app.org_a.organization, &app.org_a.tenants);
    let id = add(organization, &receiver.url, nights_and_weekends()).await.target.target_id;
    let mut notifications = notifications(&app);
    // 2026-07-03 is a Friday.
    for (tenant, pause, at) in [
        (first, true, "2026-07-03T19:59:00Z"),
        (first, false, "2026-07-03T20:00:00Z"),
        (second, true, "2026-07-04T12:00:00Z"),
        (first, true, "2026-07-06T06:59:00Z"),
    ] {
        by_operator(organization, time(at)).pause_tenant(tenant, pause).await.unwrap();
        notifications.complete(time(at)).await.unwrap();
    }
    assert_eq!(receiver.ids().len(), 1, "before the quiet time");
    // An event of no tenant waits, too.
    let other = add(organization, &receiver.url, EventRules::default()).await.target;
    let writer = organization.by(&Actor::service(), time("2026-07-06T06:59:30Z"));
    writer.disable_target(&other, "A reason.").await.unwrap();
    notifications.complete(time("2026-07-06T06:59:30Z")).await.unwrap();
    assert_eq!(organization.queued().await.unwrap().len(), 4);
    let night = time("2026-07-06T06:59:59Z");
    operations::notifications::test(&by_operator(organization, night), &Queue::Table, &id, night).await.unwrap();
    notifications.complete(night).await.unwrap();
    assert_eq!(receiver.received()[1].json()["type"], "test", "a person waits for it");
    notifications.complete(time("2026-07-06T07:00:00Z")).await.unwrap();
    let events = listed(&app, &app.org_a.key).await;
    let of = |tenant: &model::ServiceTenantId| -> Vec<_> {
        let of_tenant = |event: &&serde_json::Value| event["tenant"]["serviceTenantId"] == tenant.as_str();
        let events = events.iter().filter(|event| event["occurredAt"].as_str() >= Some("2026-07-03"));
        let ids: Vec<_> = events.filter(of_tenant).map(|event| event["id"].as_str().unwrap().to_owned()).collect();
        let received = receiver.ids().into_iter().filter(|id| ids.contains(id)).collect::<Vec<_>>();
        assert_eq!(received, ids);
        ids
    };
    assert_eq!((of(first).len(), of(second).len(), receiver.ids().len()), (3, 1, 6));
    let deliveries = organization.deliveries(&id, 10, night).await.unwrap();
    assert!(deliveries.iter().all(|it| (it.state, it.attempts) == (DeliveryState::Delivered, 1)), "{deliveries:?}");
}

#[tokio::test]
async fn a_failed_message_is_not_tried_again_in_a_quiet_time() {
    let app = TestApp::new().await;
    let receiver = Receiver::start().await;
    let organization = &app.org_a.organization;
    let id = add(organization, &receiver.url, nights_and_weekends()).await.target.target_id;
    receiver.answer(|before, _| if before == 0 { StatusCode::BAD_GATEWAY } else { StatusCode::OK });
    let evening = time("2026-07-03T19:59:58Z");
    by_operator(organization, evening).pause_tenant(&app.org_a.tenants[0], true).await.unwrap();
    let mut notifications = notifications(&app);
    notifications.complete(evening).await.unwrap();
    let delivery = organization.deliveries(&id, 10, evening).await.unwrap().remove(0);
    assert_eq!(
        (delivery.state, delivery.next_at),
        (DeliveryState::Waiting, Some(time("2026-07-06T07:00:00Z"))),
        "five seconds later, it is quiet"
    );
    notifications.complete(time("2026-07-06T06:59:59Z")).await.unwrap();
    assert_eq!(receiver.ids().len(), 1);
    notifications.complete(time("2026-07-06T07:00:00Z")).await.unwrap();
    assert_eq!(receiver.ids().len(), 2);
}

#[tokio::test]
async fn an_admin_chooses_quiet_times() {
    let desk = Desk::new().await;
    let list = "/settings/notifications";
    // A Saturday, and the evening of a Monday.
    for (pause, at) in [(true, "2026-07-04T12:00:00Z"), (false, "2026-07-06T20:00:00Z")] {
        let writer = by_operator(&desk.app.org_a.organization, time(at));
        writer.pause_tenant(&desk.app.org_a.tenants[0], pause).await.unwrap();
    }
    let fields = [
        ("form", "form_1"),
        ("name", "Tickets"),
        ("url", "https://hooks.example/in"),
        ("shape", "WEBHOOK"),
        ("quiet_from", "9"),
        ("quiet_hours", "8"),
        ("quiet_day", "Sun"),
        ("quiet_day", "Sat"),
    ];
    let preview = desk.submit("/settings/notifications/add", &[&fields[..], &[("preview", "on")]].concat()).await.text;
    for said in [
        "value=\"9\" selected>09:00 UTC",
        "value=\"8\" selected>8 hours",
        "value=\"Sat\" checked",
        "<strong>2 messages</strong>. 1 of them would have waited for the end of a quiet time.",
    ] {
        assert!(preview.contains(said), "{said}: {preview}");
    }
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri"].map(|day| ("quiet_day", day));
    let refused = desk.submit("/settings/notifications/add", &[&fields[..], &days].concat()).await.text;
    assert!(refused.contains("Leave at least an hour in a week that is not quiet."), "{refused}");
    assert_eq!(desk.submit("/settings/notifications/add", &fields).await.status, 200);
    let target = desk.target().await;
    assert_eq!(target.rules.quiet, "09-17,sat,sun".parse::<QuietTimes>().unwrap());
    assert!(desk.get(list).await.contains("All events; quiet 09-17 UTC, Saturday, Sunday"));
    // It is Wednesday, 15 July, 12:00.
    let shown = desk.get(&format!("{list}/{}", target.target_id)).await;
    let state = shown.split_once("Quiet until ").unwrap().1.split_once("</p>").unwrap().0;
    assert!(state.contains("15 Jul 2026, 17:00 UTC"), "{state}");
    let trail = desk.get("/settings/audit").await;
    assert!(trail.contains("09-17,sat,sun"), "{trail}");
}
