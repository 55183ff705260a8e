//! The parts: what joining stored bytes costs beside making them anew, and what a handler costs beside the bare calls.
//!
//! `cargo bench -p local --bench parts`; docs/PERFORMANCE.md puts the figures into their context.

#![allow(missing_docs, reason = "the macros of criterion make items without")]

mod support;

use std::hint::black_box;
use std::io::{Read, Write};

use api::App;
use api::response::{Body, Encoding, List, Row};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};
use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use local::Engine;
use model::{PostureReport, ReportHead};
use serde::Serialize;
use store::{Fragment, StoreError};
use support::{DASHBOARD, Failure, TABLE};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const ORGANIZATION: &str = "org_latest";
/// Reports in one batch of the store.
const BATCH: usize = 100;

/// Keys, or an item, as the SDK has them.
type Item = std::collections::HashMap<String, AttributeValue>;

/// The whole answer, as it would be serialized.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    reports: Vec<PostureReport>,
    total_reports: usize,
}

/// A report's head, and the rest of it as stored.
type Stored = (ReportHead, Fragment);

fn join(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let reports: Vec<_> = (0..500).map(support::report).collect();
    let stored: Vec<_> = reports.iter().map(store).collect();
    let answer = Answer { total_reports: reports.len(), reports };
    let spliced = runtime.block_on(async { splice(stored.clone()).await.collect().await.expect("infallible") });
    assert!(gunzip(&spliced.to_bytes()) == gunzip(&serialize_and_gzip(&answer)), "both say the same");

    let mut group = criterion.benchmark_group("500 reports");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    group.bench_function("splice", |bencher| {
        bencher.to_async(&runtime).iter_batched(
            || stored.clone(),
            async |stored| read(splice(stored).await).await,
            BatchSize::PerIteration,
        );
    });
    group.bench_function("serialize and gzip", |bencher| bencher.iter(|| serialize_and_gzip(black_box(&answer))));
    group.finish();
}

fn read_latest(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let (engine, app) = runtime.block_on(latest_reports()).expect("an organization with reports");
    let keys = runtime.block_on(keys_of_reports(engine.client())).expect("keys");
    let event = support::event(&ORGANIZATION.parse().expect("an id"), &[]).expect("an event");

    let mut group = criterion.benchmark_group("100 latest");
    group.sampling_mode(SamplingMode::Flat).sample_size(50);
    group.bench_function("handler", |bencher| {
        bencher.to_async(&runtime).iter(async || {
            let request = lambda_http::request::from_str(&event).expect("an event");
            let response = posture_reports::handle(app.clone(), request).await.expect("an answer");
            read(response.into_body()).await
        });
    });
    group.bench_function("raw read", |bencher| {
        bencher.to_async(&runtime).iter(async || raw_read(engine.client(), &keys).await.expect("an answer"));
    });
    group.finish();
}

fn store(report: &PostureReport) -> Stored {
    let text = serde_json::to_vec(&report.body).expect("plain data");
    (report.head.clone(), Fragment::stored(&text[1..]))
}

async fn splice(mut stored: Vec<Stored>) -> Body {
    let batches = std::iter::from_fn(move || {
        let batch = stored.drain(..BATCH.min(stored.len()));
        let rows: Vec<_> = batch.map(|(head, rest)| Row::continued(&head, rest)).collect();
        (!rows.is_empty()).then_some(Ok::<_, StoreError>(rows))
    });
    List::new("reports", "totalReports", stream::iter(batches)).send(Encoding::Gzip).await.expect("whole fragments")
}

/// Level 6, as libraries do where nobody chooses.
fn serialize_and_gzip(answer: &Answer) -> Vec<u8> {
    let text = serde_json::to_vec(answer).expect("plain data");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).and_then(|()| gzip.finish()).expect("memory takes it")
}

fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut text).expect("a whole member");
    text
}

/// Takes a body in, and drops each piece at once.
async fn read(body: Body) -> usize {
    body.into_data_stream().fold(0, async |length, piece| length + piece.expect("infallible").len()).await
}

/// An engine with 100 tenants, each with a report.
async fn latest_reports() -> Result<(Engine, App), Failure> {
    let engine = Engine::memory(TcpListener::bind("127.0.0.1:0").await?).await?;
    let store = engine.store(TABLE).await?;
    let organization = support::add_organization(&store, &ORGANIZATION.parse()?).await?;
    for number in 0..100 {
        support::add_tenant(&organization, number).await?;
    }
    Ok((engine, App::new(store, DASHBOARD)))
}

/// Where the reports are: a program that reads them without the store's code would know.
async fn keys_of_reports(client: &Client) -> Result<Vec<Item>, Failure> {
    let scan = client.scan().table_name(TABLE).filter_expression("begins_with(sk, :reports)");
    let scan = scan.expression_attribute_values(":reports", AttributeValue::S("REPORT#".into()));
    let pages = scan.projection_expression("pk, sk").into_paginator().items().send();
    let keys = pages.collect::<Result<Vec<_>, _>>().await?;
    assert_eq!(keys.len(), 100);
    Ok(keys)
}

/// The same items by the same two operations, one after the other, and nothing done with them.
async fn raw_read(client: &Client, keys: &[Item]) -> Result<usize, Failure> {
    let pointers = client
        .query()
        .table_name(TABLE)
        .key_condition_expression("pk = :pk AND begins_with(sk, :latest)")
        .expression_attribute_values(":pk", keys[0]["pk"].clone())
        .expression_attribute_values(":latest", AttributeValue::S("LATEST#".into()))
        .scan_index_forward(false)
        .limit(100)
        .send()
        .await?;
    let keys = KeysAndAttributes::builder().set_keys(Some(keys.to_vec())).build()?;
    let reports = client.batch_get_item().request_items(TABLE, keys).send().await?;
    let reports = reports.responses.unwrap_or_default().remove(TABLE).unwrap_or_default();
    assert_eq!((pointers.count(), reports.len()), (100, 100));
    Ok(reports.len())
}

criterion_group!(parts, join, read_latest);
criterion_main!(parts);
