//! The function that a user would write instead, beside ours: the same reports, the same engine, the same platform.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use aws_sdk_dynamodb::types::AttributeValue;
use local::Engine;
use model::OrganizationId;

use crate::fill::REPORTS;
use crate::function::{Function, Program, built};
use crate::support::{self, Failure, event};
use crate::table::{Bound, Table, median, milliseconds};

/// Name of the peer's table, which holds reports as plain items.
const TABLE: &str = "peer";
const FUNCTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peer/function.py");
const QUERY: [(&str, &str); 2] = [("latestOnly", "false"), ("limit", "500")];
const RUNS: usize = 3;

/// Writes the peer's reports: as many as the large answer has, of the same size.
///
/// # Errors
/// When the engine fails.
pub(crate) async fn fill(engine: &Engine, organization: &OrganizationId) -> Result<(), Failure> {
    engine.store(TABLE).await?;
    for number in 1..=REPORTS {
        let report = support::report(number);
        let request = engine.client().put_item().table_name(TABLE).set_item(Some(serde_dynamo::to_item(&report)?));
        let order = format!("{}#{}", report.body.completed_at, report.head.id);
        request
            .item("pk", AttributeValue::S(organization.to_string()))
            .item("sk", AttributeValue::S(order))
            .send()
            .await?;
    }
    Ok(())
}

/// Adds the comparison.
///
/// # Errors
/// When either function fails.
pub(crate) async fn measure(
    table: &mut Table,
    engine: SocketAddr,
    organization: &OrganizationId,
) -> Result<(), Failure> {
    let endpoint = format!("http://{engine}");
    let mut ours = Program::new(built("posture-reports")?, &endpoint).start().await?;
    let mut peer = Program::new(python()?, &endpoint).argument(FUNCTION).env("TABLE_NAME", TABLE);
    let mut peer = peer.start().await?;
    let event = event(organization, &QUERY)?;
    let (ours, length) = invoke(&mut ours, &event).await?;
    let (theirs, peer_length) = invoke(&mut peer, &event).await?;
    let what = "500 reports in gzip: the function in Python, against ours";
    table.figure(what.to_owned(), Some(Bound::AtLeast(20.0)), theirs.div_duration_f64(ours), "x");
    let size = |length| length as f64 / 1e6;
    table.detail(
        what.to_owned(),
        format!(
            "{} for {:.1} MB, {} for {:.1} MB",
            milliseconds(theirs),
            size(peer_length),
            milliseconds(ours),
            size(length)
        ),
    );
    Ok(())
}

/// Median time of the answer once the function is warm, and the answer's length.
async fn invoke(function: &mut Function, event: &str) -> Result<(Duration, usize), Failure> {
    let mut times = Vec::with_capacity(RUNS);
    let mut length = function.invoke(event).await?.body_length();
    for _ in 0..RUNS {
        let answer = function.invoke(event).await?;
        length = answer.body_length();
        times.push(answer.last);
    }
    Ok((median(times), length))
}

/// The interpreter of the peer's environment, which `local/benches/run` makes.
fn python() -> Result<PathBuf, Failure> {
    let program = env::current_exe()?;
    let target = program.ancestors().nth(3).ok_or("this program was not built by cargo")?;
    Ok(fs::canonicalize(target)?.join("peer/bin/python"))
}
