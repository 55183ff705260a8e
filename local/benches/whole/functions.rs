//! The built functions: how fast they start, what a small request takes, how much memory, and how large a zip.

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use local::Engine;
use tokio::net::TcpListener;

use crate::event_data;
use crate::function::{Program, built};
use crate::process::ANY_PORT;
use crate::support::Failure;
use crate::table::{Bound, MIB, Table, median, milliseconds};

const STARTS: usize = 41;
const WARM_UPS: usize = 20;
const INVOCATIONS: usize = 201;
/// A zip's own records of one file, in bytes: names and times.
const ZIP_RECORDS: u64 = 130;

/// The program that does nothing, then every function: its name, where it was built, and an event to answer.
const PROGRAMS: [(&str, &str, &str); 7] = [
    ("bare", "examples/bare", include_str!("../../../events/tenants/gzip.json")),
    ("authorizer", "authorizer", include_str!("../../../events/authorizer/known-key.json")),
    ("posture-reports", "posture-reports", include_str!("../../../events/posture-reports/gzip.json")),
    ("tenants", "tenants", include_str!("../../../events/tenants/gzip.json")),
    ("usage", "usage", include_str!("../../../events/usage/gzip.json")),
    ("billable-users", "billable-users", include_str!("../../../events/billable-users/gzip.json")),
    ("import-assessment", "import-assessment", include_str!("../../../events/import-assessment/file.json")),
];

/// A function under measurement.
struct Candidate {
    name: &'static str,
    event: &'static str,
    program: Program,
    starts: Vec<Duration>,
    zip: u64,
}

/// Adds every function's figures.
///
/// # Errors
/// When a function fails.
pub(crate) async fn measure(table: &mut Table) -> Result<(), Failure> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    event_data::write(&engine).await?;
    let bucket = crate::bucket::serve().await?;
    let mut candidates = Vec::new();
    for (name, program, event) in PROGRAMS {
        let path = built(program)?;
        let zip = zipped(&path)?;
        let program = Program::new(&path, &format!("http://{}", engine.address()));
        let program = program.env("AWS_ENDPOINT_URL_S3", format!("http://{bucket}"));
        candidates.push(Candidate { name, event, program, starts: Vec::new(), zip });
    }
    // In turn, so that whatever else the machine does meets all alike.
    for _ in 0..STARTS {
        for candidate in &mut candidates {
            candidate.starts.push(candidate.program.start().await?.start);
        }
    }
    let bare = median(candidates[0].starts.iter().copied());
    for candidate in candidates {
        candidate.add_to(table, bare).await?;
    }
    Ok(())
}

impl Candidate {
    async fn add_to(mut self, table: &mut Table, bare: Duration) -> Result<(), Failure> {
        let (first, last, peak) = self.warm().await?;
        let start = median(self.starts);
        let (ratio, zip) = (start.div_duration_f64(bare), self.zip as f64 / MIB);
        table.function([
            self.name,
            &milliseconds(start),
            &format!("{ratio:.2}x"),
            &milliseconds(first),
            &milliseconds(last),
            &format!("{:.1} MiB", peak as f64 / MIB),
            &format!("{zip:.2} MiB"),
        ]);
        if self.name != PROGRAMS[0].0 {
            let name = self.name;
            table.figure(format!("start of {name} to its first poll"), Some(Bound::AtMost(1.5)), ratio, "x");
            table.figure(format!("zip of {name}"), Some(Bound::AtMost(3.0)), self.zip as f64 / 1e6, " MB");
        }
        Ok(())
    }

    /// Times to the first and to the last byte of an answer, and the memory that all of them took.
    async fn warm(&mut self) -> Result<(Duration, Duration, u64), Failure> {
        let mut function = self.program.start().await?;
        for _ in 0..WARM_UPS {
            function.invoke(self.event).await?;
        }
        let (mut firsts, mut lasts) = (Vec::with_capacity(INVOCATIONS), Vec::with_capacity(INVOCATIONS));
        for _ in 0..INVOCATIONS {
            let answer = function.invoke(self.event).await?;
            firsts.push(answer.first);
            lasts.push(answer.last);
        }
        Ok((median(firsts), median(lasts), function.peak_memory()?))
    }
}

/// Size of a program as it is uploaded: alone in a zip, compressed as the deploying tools do.
fn zipped(program: &Path) -> Result<u64, Failure> {
    let mut deflate = DeflateEncoder::new(io::sink(), Compression::default());
    io::copy(&mut fs::File::open(program)?, &mut deflate)?;
    deflate.try_finish()?;
    Ok(deflate.total_out() + ZIP_RECORDS)
}
