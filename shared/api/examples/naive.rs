//! A peer for the benchmarks, not part of the service: a straightforward implementation of the report history.
//!
//! Reports are plain items, serialized by `serde_json` and compressed by `flate2` at level 6 for every request.

use std::env;
use std::io::Write;

use api::caller;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http_body_util::Full;
use lambda_http::http::Response;
use lambda_http::{Error, Request, RequestExt, run_with_streaming_response, service_fn};
use model::PostureReport;
use serde::Serialize;
use store::{Timeouts, function_settings};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reports {
    total_reports: usize,
    reports: Vec<PostureReport>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let client = Client::new(&function_settings(Timeouts::PATIENT));
    let table = env::var("TABLE_NAME")?;
    run_with_streaming_response(service_fn(|request| respond(&client, &table, request))).await
}

async fn respond(client: &Client, table: &str, request: Request) -> Result<Response<Full<Bytes>>, Error> {
    let limit = request.query_string_parameters().first("limit").ok_or("no limit")?.parse()?;
    let organization = caller(&request).map_err(|_| "no organization")?.to_string();
    let reports = newest(client, table, organization, limit).await?;
    let text = serde_json::to_vec(&Reports { total_reports: reports.len(), reports })?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text)?;
    let response = Response::builder().header("content-type", "application/json").header("content-encoding", "gzip");
    Ok(response.body(Full::from(gzip.finish()?))?)
}

/// The organization's newest reports, page by page.
async fn newest(client: &Client, table: &str, organization: String, limit: usize) -> Result<Vec<PostureReport>, Error> {
    let query = client.query().table_name(table).key_condition_expression("pk = :organization");
    let query = query.expression_attribute_values(":organization", AttributeValue::S(organization));
    let mut pages = query.scan_index_forward(false).limit(i32::try_from(limit)?).into_paginator().send();
    let mut reports = Vec::with_capacity(limit);
    while reports.len() < limit {
        let Some(page) = pages.next().await else { break };
        reports.extend(serde_dynamo::from_items::<_, PostureReport>(page?.items.unwrap_or_default())?);
    }
    reports.truncate(limit);
    Ok(reports)
}
