//! Compares our function with straightforward ones: the same reports, the same engine, the same platform.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use aws_sdk_dynamodb::types::AttributeValue;
use local::Engine;
use model::OrganizationId;

use crate::function::{Function, Program, built};
use crate::support::{self, BoxError, REPORTS, event};
use crate::table::{Bound, Table, median, milliseconds};

/// Name of the peers' table, which holds reports as plain items.
const TABLE: &str = "peer";
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peer/function.py");
const QUERY: [(&str, &str); 2] = [("latestOnly", "false"), ("limit", "500")];
const RUNS: usize = 3;

/// A function under comparison.
struct Peer {
    name: &'static str,
    /// Minimum factor by which it must be slower than ours.
    target: f64,
    function: Function,
    times: Vec<Duration>,
    length: usize,
}

/// Writes the peers' reports: as many as the large response has, of the same size.
pub(crate) async fn fill(engine: &Engine, organization: &OrganizationId) -> Result<(), BoxError> {
    engine.store(TABLE).await?;
    for number in 1..=REPORTS {
        let report = support::report(number);
        let request = engine.client().put_item().table_name(TABLE).set_item(Some(serde_dynamo::to_item(&report)?));
        let order = format!("{}#{}", report.body.figures.completed_at, report.head.id);
        request
            .item("pk", AttributeValue::S(organization.to_string()))
            .item("sk", AttributeValue::S(order))
            .send()
            .await?;
    }
    Ok(())
}

/// Adds the comparisons.
pub(crate) async fn measure(
    table: &mut Table,
    engine: SocketAddr,
    organization: &OrganizationId,
) -> Result<(), BoxError> {
    let program = |path| Program::new(path, &format!("http://{engine}"));
    let target = target()?;
    let node = program(node()?).argument(target.join("peer/function.mjs"));
    let mut peers = Vec::new();
    for (name, least, program) in [
        ("ours", 1.0, program(built("posture-reports")?)),
        ("Python", 80.0, program(target.join("peer/bin/python")).argument(PYTHON).env("TABLE_NAME", TABLE)),
        ("Node", 40.0, node.env("TABLE_NAME", TABLE)),
        ("naive Rust", 10.0, program(target.join("peer/release/examples/naive")).env("TABLE_NAME", TABLE)),
    ] {
        let mut program = program;
        peers.push(Peer { name, target: least, function: program.start().await?, times: Vec::new(), length: 0 });
    }
    let event = event(organization, &QUERY)?;
    for peer in &mut peers {
        peer.length = peer.function.invoke(&event).await?.body_length();
    }
    for _ in 0..RUNS {
        for peer in &mut peers {
            peer.times.push(peer.function.invoke(&event).await?.last);
        }
    }
    let (ours, peers) = peers.split_first().ok_or("no function")?;
    let time = |peer: &Peer| median(peer.times.iter().copied());
    let seen = |peer: &Peer| format!("{} for {:.1} MB", milliseconds(time(peer)), peer.length as f64 / 1e6);
    for peer in peers {
        let what = format!("500 reports in gzip: the function in {}, against ours", peer.name);
        let ratio = time(peer).div_duration_f64(time(ours));
        table.figure(what.clone(), Some(Bound::AtLeast(peer.target)), ratio, "x");
        table.detail(what, format!("{}, {}", seen(peer), seen(ours)));
    }
    Ok(())
}

/// Returns the build folder, where `local/benches/run` installs the peers.
fn target() -> Result<PathBuf, BoxError> {
    let program = env::current_exe()?;
    Ok(fs::canonicalize(program.ancestors().nth(3).ok_or("this program was not built by cargo")?)?)
}

fn node() -> Result<PathBuf, BoxError> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let node = env::split_paths(&folders).map(|folder| folder.join("node")).find(|path| path.is_file());
    node.ok_or_else(|| "Node is not installed".into())
}
