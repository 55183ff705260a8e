//! Compares the newest reports of 100 tenants: the built function with the bare calls that read the same items.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use lambda_http::http::StatusCode;
use local::Engine;
use model::OrganizationId;
use serde_json::{Value, json};

use crate::function::{Function, Program, built};
use crate::support::{BoxError, TABLE, event, minute, report_id, tenant_id};
use crate::table::{Bound, Table, median, milliseconds};

const RUNS: usize = 61;
const REPORTS: u64 = 100;

/// Adds the comparison, for an organization that has that many tenants with a report each.
pub(crate) async fn measure(
    table: &mut Table,
    engine: SocketAddr,
    organization: &OrganizationId,
) -> Result<(), BoxError> {
    let client = Engine::client_at(engine).await;
    let mut function = Program::new(built("posture-reports")?, &format!("http://{engine}")).start().await?;
    let event = event(organization, &[])?;
    let (mut responses, mut calls) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        responses.push(function.invoke(&event).await?.last);
        let start = Instant::now();
        read(&client, organization).await?;
        calls.push(start.elapsed());
    }
    let (responses, calls) = (median(responses), median(calls));
    let what = "100 latest in gzip: the warm function, against the bare calls for the same items";
    table.figure(what, Some(Bound::AtMost(1.2)), responses.div_duration_f64(calls), "x");
    table.detail(what, format!("{}, {}", milliseconds(responses), milliseconds(calls)));
    let not_modified = not_modified(&mut function, &event).await?;
    table.figure("304 for the 100 latest, warm", Some(Bound::AtMost(5.0)), not_modified.as_secs_f64() * 1e3, " ms");
    Ok(())
}

/// Returns the time until the end of a response to a client that has the reports already.
async fn not_modified(function: &mut Function, event: &str) -> Result<Duration, BoxError> {
    let tag = function.invoke(event).await?.head()["headers"]["etag"].take();
    let mut event: Value = serde_json::from_str(event)?;
    event["multiValueHeaders"]["if-none-match"] = json!([tag]);
    let event = event.to_string();
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let response = function.invoke(&event).await?;
        if response.head()["statusCode"] != StatusCode::NOT_MODIFIED.as_u16() {
            return Err("a current tag does not result in 304".into());
        }
        times.push(response.last);
    }
    Ok(median(times))
}

/// Reads the same items with the same two operations, one after the other, and discards them.
async fn read(client: &Client, organization: &OrganizationId) -> Result<(), BoxError> {
    let partition = AttributeValue::S(format!("ORG#{organization}"));
    let pointers = client
        .query()
        .table_name(TABLE)
        .key_condition_expression("pk = :pk AND begins_with(sk, :latest)")
        .expression_attribute_values(":pk", partition.clone())
        .expression_attribute_values(":latest", AttributeValue::S("LATEST#".into()))
        .scan_index_forward(false)
        .limit(REPORTS as i32)
        .send()
        .await?;
    let keys = (1..=REPORTS).map(|number| {
        let report = format!("REPORT#{}#{}#{}", tenant_id(number), minute(number), report_id(number));
        [("pk".to_owned(), partition.clone()), ("sk".to_owned(), AttributeValue::S(report))].into()
    });
    let keys = KeysAndAttributes::builder().set_keys(Some(keys.collect())).build()?;
    let reports = client.batch_get_item().request_items(TABLE, keys).send().await?;
    let reports = reports.responses.and_then(|mut tables| tables.remove(TABLE)).unwrap_or_default();
    match (pointers.count(), reports.len()) {
        (100, 100) => Ok(()),
        read => Err(format!("{read:?} pointers and reports were read").into()),
    }
}
