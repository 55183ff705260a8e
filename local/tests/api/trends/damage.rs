//! A damaged item stops the trend alone.

use super::{MONDAY, add, filled, made, set_daily, trends};
use crate::formats::Item;
use crate::schedules::round;
use crate::stale::next_at;
use crate::support::time;

#[tokio::test]
async fn a_trend_that_cannot_be_made_fails_alone_and_is_made_an_hour_later() {
    let app = filled().await;
    add(&app.org_a, 1, "2026-07-08T00:00:00Z", 90, "OPEN").await;
    set_daily(&app, "2026-07-12T12:00:00Z").await;
    made(&app, "2026-07-12T12:00:00Z").await;
    let mut items = app.items().await.into_iter();
    let pointer = items.find(|item| Item(item.clone()).key().1.starts_with("HISTORY#ten_a2#2026-07-08")).unwrap();
    let mut damaged = pointer.clone();
    damaged.retain(|name, _| ["pk", "sk"].contains(&name.as_str()));
    app.put(damaged).await;
    let due = operations::schedules::run(&app.app.store, &Default::default(), time(MONDAY)).await.unwrap();
    let failed: Vec<_> = due.trends_failed.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!((due.requested, due.failed.len(), failed), (2, 0, vec!["org_a"]));
    assert_eq!(next_at(&app).await, Some(time("2026-07-13T13:00:00Z")));
    app.put(pointer).await;
    round(&app, time("2026-07-13T13:00:00Z")).await;
    assert_eq!(trends(&app, "").await[2]["averageScore"], 75.0);
}
