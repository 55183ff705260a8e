//! Measures the built functions: start, small request, memory, and size of the zip.

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use local::Engine;
use tokio::net::TcpListener;

use crate::function::{Program, built};
use crate::process::ANY_PORT;
use crate::support::BoxError;
use crate::table::{Bound, MIB, Table, median, milliseconds};
use crate::{bucket, event_data};

const STARTS: usize = 41;
const WARM_UPS: usize = 20;
const INVOCATIONS: usize = 201;
/// A zip's own records of one file, in bytes: names and times.
const ZIP_RECORDS: u64 = 130;

/// The minimal program, then every function: its name, its location, and a sample event.
const PROGRAMS: [(&str, &str, &str); 17] = [
    ("bare", "examples/bare", include_str!("../../../events/tenants/gzip.json")),
    ("authorizer", "authorizer", include_str!("../../../events/authorizer/known-key.json")),
    ("posture-reports", "posture-reports", include_str!("../../../events/posture-reports/gzip.json")),
    ("posture-report", "posture-report", include_str!("../../../events/posture-report/gzip.json")),
    ("report-summaries", "report-summaries", include_str!("../../../events/report-summaries/gzip.json")),
    ("controls", "controls", include_str!("../../../events/controls/gzip.json")),
    ("events", "events", include_str!("../../../events/events/gzip.json")),
    ("imports", "imports", include_str!("../../../events/imports/list.json")),
    ("mcp", "mcp", include_str!("../../../events/mcp/list-tenants.json")),
    ("tenants", "tenants", include_str!("../../../events/tenants/gzip.json")),
    ("trends", "trends", include_str!("../../../events/trends/gzip.json")),
    ("usage", "usage", include_str!("../../../events/usage/gzip.json")),
    ("billable-users", "billable-users", include_str!("../../../events/billable-users/gzip.json")),
    ("import-assessment", "import-assessment", include_str!("../../../events/import-assessment/file.json")),
    ("collect", "collect", include_str!("../../../events/collect/request.json")),
    ("dashboard", "dashboard", include_str!("../../../events/dashboard/signed-out.json")),
    ("report-pdf", "report-pdf", include_str!("../../../events/report-pdf/signed-out.json")),
];
/// Functions without a target: they serve people or a queue, not every poll of a client.
const WITHOUT_TARGET: [&str; 3] = ["collect", "dashboard", "report-pdf"];
/// The certificate that `collect` reads at its start.
const CERTIFICATE: &str = include_str!("../../../shared/graph/tests/collector/application.pem");

/// Functions whose responses to the sample events are a list or a record without reports.
const SMALL_RESPONSES: [&str; 3] = ["tenants", "usage", "billable-users"];

/// A function under measurement.
struct Candidate {
    name: &'static str,
    event: &'static str,
    program: Program,
    starts: Vec<Duration>,
    zip: u64,
}

/// Adds every function's figures, or those of the named ones beside the minimal program's.
pub(crate) async fn measure(table: &mut Table, names: &[&str]) -> Result<(), BoxError> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    event_data::write(&engine).await?;
    let bucket = bucket::serve(bucket::SAMPLE).await?;
    let mut candidates = Vec::new();
    let is_measured = |name: &str| names.is_empty() || name == PROGRAMS[0].0 || names.contains(&name);
    for (name, program, event) in PROGRAMS.into_iter().filter(|(name, ..)| is_measured(name)) {
        let path = built(program)?;
        let zip = zipped(&path)?;
        let program = Program::new(&path, &format!("http://{}", engine.address()));
        let program = program.env("AWS_ENDPOINT_URL_S3", format!("http://{bucket}")).env("IMPORTS_BUCKET", "bench");
        let program = program.env("GRAPH_CLIENT_ID", "bench").env("GRAPH_CERTIFICATE", CERTIFICATE);
        candidates.push(Candidate { name, event, program, starts: Vec::new(), zip });
    }
    // In turn, so that other load on the machine affects all alike.
    for _ in 0..STARTS {
        for candidate in &mut candidates {
            candidate.starts.push(candidate.program.start().await?.start);
        }
    }
    let mut bare = None;
    for candidate in candidates {
        candidate.add_to(table, &mut bare).await?;
    }
    Ok(())
}

impl Candidate {
    /// Adds the figures. `bare` has the start and the warm time of the first candidate.
    async fn add_to(mut self, table: &mut Table, bare: &mut Option<(Duration, Duration)>) -> Result<(), BoxError> {
        let (last, peak) = self.warm().await?;
        let start = median(self.starts);
        let (bare_start, bare_last) = *bare.get_or_insert((start, last));
        let ratio = start.div_duration_f64(bare_start);
        let zip = self.zip as f64 / MIB;
        let beyond = last.saturating_sub(bare_last);
        table.function([
            self.name,
            &milliseconds(start),
            &format!("{ratio:.2}x"),
            &milliseconds(last),
            &milliseconds(beyond),
            &format!("{:.1} MiB", peak as f64 / MIB),
            &format!("{zip:.2} MiB"),
        ]);
        let name = self.name;
        if name != PROGRAMS[0].0 && !WITHOUT_TARGET.contains(&name) {
            table.figure(format!("start of {name} to its first poll"), Some(Bound::AtMost(1.5)), ratio, "x");
            // The import reads archives, folders and logs, with a second SDK client.
            let largest = if name == "import-assessment" { 5.0 } else { 3.0 };
            table.figure(format!("zip of {name}"), Some(Bound::AtMost(largest)), self.zip as f64 / 1e6, " MB");
        }
        if SMALL_RESPONSES.contains(&name) {
            let what = format!("warm {name}, beyond the bare function");
            table.figure(what, Some(Bound::AtMost(3.0)), beyond.as_secs_f64() * 1e3, " ms");
        }
        Ok(())
    }

    /// Returns the time to the last byte of a response, and the peak memory.
    async fn warm(&mut self) -> Result<(Duration, u64), BoxError> {
        let mut function = self.program.start().await?;
        for _ in 0..WARM_UPS {
            function.invoke(self.event).await?;
        }
        let mut times = Vec::with_capacity(INVOCATIONS);
        for _ in 0..INVOCATIONS {
            times.push(function.invoke(self.event).await?.last);
        }
        Ok((median(times), function.peak_memory()?))
    }
}

/// Returns the size of a program as uploaded: alone in a zip, compressed as by the deployment tools.
fn zipped(program: &Path) -> Result<u64, BoxError> {
    let mut deflate = DeflateEncoder::new(io::sink(), Compression::default());
    io::copy(&mut fs::File::open(program)?, &mut deflate)?;
    deflate.try_finish()?;
    Ok(deflate.total_out() + ZIP_RECORDS)
}
