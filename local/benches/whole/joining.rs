//! Measures only the response path: joining stored fragments, compared with serializing and compressing the same
//! reports.

use std::hint::black_box;
use std::io::{Read, Write};
use std::time::Instant;

use api::response::{Body, Encoding, List, Row};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use model::{PostureReport, ReportHead};
use serde::Serialize;
use store::{Fragment, StoreError};

use crate::support::{self, BoxError, REPORTS};
use crate::table::{Bound, Table, median, milliseconds};

/// Reports in one batch of the store.
const BATCH: usize = 100;
const RUNS: usize = 9;

/// A report's head, and the rest of it as stored.
type Stored = (ReportHead, Fragment);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reports {
    reports: Vec<PostureReport>,
    total_reports: usize,
}

/// Adds the comparison.
pub(crate) async fn measure(table: &mut Table) -> Result<(), BoxError> {
    let reports: Vec<_> = (1..=REPORTS).map(support::report).collect();
    let stored = reports.iter().map(store).collect::<Result<Vec<Stored>, BoxError>>()?;
    let response = Reports { total_reports: reports.len(), reports };
    let joined = splice(stored.clone()).await?.collect().await?.to_bytes();
    if gunzip(&joined)? != gunzip(&serialize_and_gzip(&response)?)? {
        return Err("the two responses differ".into());
    }
    let (mut joining, mut serializing) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let stored = stored.clone();
        let start = Instant::now();
        black_box(length(splice(stored).await?).await);
        joining.push(start.elapsed());
        let start = Instant::now();
        black_box(serialize_and_gzip(&response)?);
        serializing.push(start.elapsed());
    }
    let (joining, serializing) = (median(joining), median(serializing));
    let what = "500 reports in gzip: serializing and compressing, against joining what is stored";
    table.figure(what, Some(Bound::AtLeast(50.0)), serializing.div_duration_f64(joining), "x");
    table.detail(what, format!("{}, {}", milliseconds(serializing), milliseconds(joining)));
    Ok(())
}

fn store(report: &PostureReport) -> Result<Stored, BoxError> {
    let text = serde_json::to_vec(&report.body)?;
    Ok((report.head.clone(), Fragment::stored(&text[1..])))
}

async fn splice(mut stored: Vec<Stored>) -> Result<Body, StoreError> {
    let batches = std::iter::from_fn(move || {
        let batch = stored.drain(..BATCH.min(stored.len()));
        let rows: Vec<_> = batch.map(|(head, rest)| Row::continued(&head, rest)).collect();
        (!rows.is_empty()).then_some(Ok::<_, StoreError>(rows))
    });
    List::new("reports", "totalReports", stream::iter(batches)).send(Encoding::Gzip).await
}

/// Receives a body and drops each piece at once.
async fn length(body: Body) -> usize {
    body.into_data_stream().fold(0, async |length, piece| length + piece.map_or(0, |piece| piece.len())).await
}

/// Compresses at level 6, the default of most libraries.
fn serialize_and_gzip(response: &Reports) -> Result<Vec<u8>, BoxError> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&serde_json::to_vec(response)?)?;
    Ok(gzip.finish()?)
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, BoxError> {
    let mut text = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut text)?;
    Ok(text)
}
