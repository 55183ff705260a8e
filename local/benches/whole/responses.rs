//! 500 reports through the gateway: the total time, the time to the first byte, and the added memory of the process.

use std::net::SocketAddr;
use std::time::Duration;

use crate::client::{Client, Coding, Pace, Received};
use crate::fill::Data;
use crate::process::Child;
use crate::support::BoxError;
use crate::table::{Bound, MIB, Table, median, milliseconds};

/// Every report of the organization.
const PATH: &str = "/v1/posture-reports?latestOnly=false&limit=500";
/// A response that warms up without large data.
const SMALL: &str = "/v1/posture-reports?limit=1";
const RUNS: usize = 11;
/// The platform's streaming rate after the first 10 MB.
const SLOW: Pace = Pace::BytesPerSecond(2 * 1024 * 1024);
/// A larger plain response, so that the run ends in time.
const SLOW_PLAIN: Pace = Pace::BytesPerSecond(8 * 1024 * 1024);

/// Adds the figures of the whole response.
pub(crate) async fn measure(table: &mut Table, engine: SocketAddr, data: &Data) -> Result<(), BoxError> {
    for (name, coding) in [("gzip", Coding::Gzip), ("plain", Coding::Identity)] {
        let responses = timed(engine, data, coding).await?;
        let total = median(responses.iter().map(|response| response.total));
        let share = median(responses.iter().map(|response| response.first.div_duration_f64(response.total)));
        table.detail(
            format!("500 reports through the gateway, {name}"),
            format!("{}, {:.1} MB", milliseconds(total), responses[0].bytes as f64 / 1e6),
        );
        let bound = if coding == Coding::Gzip { Some(Bound::AtMost(25.0)) } else { None };
        table.figure(format!("first byte of 500 reports, {name}, as a share of the time"), bound, 100.0 * share, " %");
    }
    for (name, coding, pace) in [
        ("gzip", Coding::Gzip, Pace::Full),
        ("gzip, slow client", Coding::Gzip, SLOW),
        ("plain", Coding::Identity, Pace::Full),
        ("plain, slow client", Coding::Identity, SLOW_PLAIN),
    ] {
        let added = added_memory(engine, data, coding, pace).await?;
        let figure = format!("memory added by 500 reports, {name}");
        table.figure(figure, Some(Bound::AtMost(32.0)), added as f64 / MIB, " MiB");
    }
    Ok(())
}

async fn timed(engine: SocketAddr, data: &Data, coding: Coding) -> Result<Vec<Received>, BoxError> {
    let (_gateway, client) = warm_gateway(engine, data).await?;
    let mut responses = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        responses.push(client.get(PATH, coding, Pace::Full).await?);
    }
    Ok(responses)
}

/// Returns peak memory of a new gateway during the response, minus its memory before it.
async fn added_memory(engine: SocketAddr, data: &Data, coding: Coding, pace: Pace) -> Result<u64, BoxError> {
    let (gateway, client) = warm_gateway(engine, data).await?;
    let memory = gateway.memory()?;
    memory.forget_peak()?;
    let before = memory.resident()?;
    client.get(PATH, coding, pace).await?;
    Ok(memory.peak()?.saturating_sub(before))
}

/// Returns a separate process that has already served a response.
async fn warm_gateway(engine: SocketAddr, data: &Data) -> Result<(Child, Client), BoxError> {
    let gateway = Child::start(&["gateway", &engine.to_string()]).await?;
    let client = data.reports.client(gateway.address);
    for _ in 0..3 {
        client.get(SMALL, Coding::Gzip, Pace::Full).await?;
    }
    // Memory of the warm-up is released before the measurement.
    tokio::time::sleep(Duration::from_millis(100)).await;
    Ok((gateway, client))
}
