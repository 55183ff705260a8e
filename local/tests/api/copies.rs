//! Many reports of an organization, most of them as copies of the first ones.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use chrono::TimeDelta;
use model::{ServiceTenantId, Timestamp};
use serde_json::Value;

use crate::support::TestApp;

/// When reports are completed.
pub(crate) struct Times {
    pub(crate) first: Timestamp,
    /// Seconds from one report to the next.
    pub(crate) step: i64,
}

impl Times {
    /// Returns when the report with a number is completed.
    fn of(&self, number: usize) -> String {
        let at = self.first.to_datetime() + TimeDelta::seconds(number as i64 * self.step);
        at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
    }
}

/// Adds reports to tenants in turn: the first and the last of each through the store, the others as copies of the first,
/// since a hundred thousand through the store would take an hour.
pub(crate) async fn fill(
    app: &TestApp,
    tenants: &[ServiceTenantId],
    total: usize,
    times: &Times,
    body: impl Fn(&str, usize) -> Value,
) {
    let add = async |number: usize| {
        let of = &tenants[number % tenants.len()];
        app.org_a.add_report(of, &format!("rpt_{number}"), &body(&times.of(number), number)).await;
    };
    for number in 0..tenants.len() {
        add(number).await;
    }
    let firsts = app.items().await;
    let copied = tenants.len()..total - tenants.len();
    let mut copies = copied.flat_map(|number| copies(&firsts, number % tenants.len(), number, times)).peekable();
    while copies.peek().is_some() {
        let batch = copies.by_ref().take(25).map(|item| {
            let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        });
        let write = app.engine.client().batch_write_item().request_items("posture", batch.collect());
        let written = write.send().await.unwrap();
        assert!(written.unprocessed_items.is_none_or(|items| items.is_empty()));
    }
    for number in total - tenants.len()..total {
        add(number).await;
    }
}

/// Returns the items of a report with another number and time, but for the pointers to a tenant's newest reports.
fn copies(
    items: &[HashMap<String, AttributeValue>],
    first: usize,
    number: usize,
    times: &Times,
) -> impl Iterator<Item = HashMap<String, AttributeValue>> {
    let (time_of_first, time_of_number) = (times.of(first), times.of(number));
    let end = format!("#rpt_{first}");
    let of_first = items.iter().filter(move |item| {
        let key = item["sk"].as_s().unwrap();
        key.ends_with(&end) && !key.starts_with("LATEST#") && !key.starts_with("TOOL#")
    });
    let of_number = move |text: &String| {
        text.replace(&format!("rpt_{first}"), &format!("rpt_{number}")).replace(&time_of_first, &time_of_number)
    };
    of_first.map(move |item| item.iter().map(|(name, value)| (name.clone(), replaced(value, &of_number))).collect())
}

/// Returns a value with every text replaced.
fn replaced(value: &AttributeValue, change: &impl Fn(&String) -> String) -> AttributeValue {
    match value {
        AttributeValue::S(text) => AttributeValue::S(change(text)),
        AttributeValue::M(values) => {
            let of = |(name, value): (&String, &AttributeValue)| (name.clone(), replaced(value, change));
            AttributeValue::M(values.iter().map(of).collect())
        }
        other => other.clone(),
    }
}
