//! Measures imports: a real file and a large export by the built function, and many files by the command.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};
use std::{env, fs};

use aws_sdk_dynamodb::Client;
use local::Engine;
use store::Store;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::bucket::{self, SAMPLE_TENANT};
use crate::capacity::Meter;
use crate::event_data;
use crate::function::{Program, built};
use crate::process::ANY_PORT;
use crate::sizes::{self, CORPUS};
use crate::support::{self, BoxError, TABLE, add_organization, minute, provider_id, tenant_id};
use crate::table::{MIB, Table, median, milliseconds};

const EVENT: &str = include_str!("../../../events/import-assessment/file.json");
/// Of a real result file: its tenant with the provider, the run's identifier and its time.
const TENANT: &str = "ca08493a-c9c8-4db0-a9e8-d3b4bafac269";
const RUN: &str = "dfd70a15-3042-4bc9-8e02-61d4f868be10";
const TIME: &str = "2025-10-06T22:30:54.153Z";
/// A list of findings, repeated until it is as large as an export of many resources.
const FINDINGS: &str = "prowler/derived_m365.ocsf.json";
const FINDINGS_TENANT: &str = "8f2c1e34-5b6a-4c7d-9e80-1a2b3c4d5e6f";
const EXPORT: usize = 200_000_000;
const RUNS: usize = 5;
const FILES: u64 = 500;

/// Adds the cost of imports. Without the real files, the table says that it was not measured.
pub(crate) async fn measure(table: &mut Table) -> Result<(), BoxError> {
    let (Some(real), Some(findings)) = (sizes::corpus(sizes::REAL)?, sizes::corpus(FINDINGS)?) else {
        table.detail("imports", format!("not measured: there are no real files in {CORPUS}"));
        return Ok(());
    };
    let mut imports = Vec::new();
    for _ in 0..RUNS {
        imports.push(by_function(real.replace(TENANT, SAMPLE_TENANT)).await?);
    }
    let time = median(imports.iter().map(|import| import.0));
    let memory = median(imports.iter().map(|import| import.1));
    let units = write_units().await?;
    let megabytes = |bytes: usize| format!("{:.1} MB", bytes as f64 / 1e6);
    table.detail(
        format!("import of a real file of {} by a fresh function", megabytes(real.len())),
        format!("{}, {:.1} MiB of memory, {units} write units", milliseconds(time), memory),
    );
    let export = export(&findings.replace(FINDINGS_TENANT, SAMPLE_TENANT))?;
    let size = export.len();
    let (time, memory) = by_function(export).await?;
    table.detail(
        format!("import of an export of {} by a fresh function", megabytes(size)),
        format!("{:.2} s, {memory:.1} MiB of memory", time.as_secs_f64()),
    );
    let time = by_command(&real).await?;
    table.detail(
        format!("import of {FILES} files of {} by the command", megabytes(real.len())),
        format!("{:.2} s, {:.0} files a second", time.as_secs_f64(), FILES as f64 / time.as_secs_f64()),
    );
    Ok(())
}

/// Returns the time to the last byte of the response to a new function's first event, and its peak memory in MiB.
async fn by_function(file: String) -> Result<(Duration, f64), BoxError> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    event_data::write(&engine).await?;
    let bucket = bucket::serve(file).await?;
    let program = Program::new(built("import-assessment")?, &format!("http://{}", engine.address()));
    let mut function = program.env("AWS_ENDPOINT_URL_S3", format!("http://{bucket}")).start().await?;
    let time = function.invoke(EVENT).await?.last;
    Ok((time, function.peak_memory()? as f64 / MIB))
}

/// Returns the write units of a real report with its pointers and its tenant, by DynamoDB's rules.
async fn write_units() -> Result<f64, BoxError> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    engine.store(TABLE).await?;
    let meter = Meter::default();
    let client = engine.client().config().to_builder().interceptor(meter.clone()).build();
    let organization = add_organization(&Store::new(Client::from_conf(client), TABLE), &"org_import".parse()?).await?;
    support::add_bare_tenant(&organization, 1).await?;
    meter.take();
    support::add_body(&organization, &tenant_id(1), 1, &sizes::real()?).await?;
    Ok(meter.take().units)
}

/// Returns findings for enough resources to make the file large.
fn export(findings: &str) -> Result<String, BoxError> {
    let list = findings.trim().strip_prefix('[').and_then(|list| list.strip_suffix(']')).ok_or("no list")?;
    let repeated = vec![list; EXPORT.div_ceil(list.len() + 1)];
    Ok(format!("[{}]", repeated.join(",")))
}

/// Returns the time that the command takes for files of one tenant, each with its own run.
async fn by_command(real: &str) -> Result<Duration, BoxError> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    let organization = add_organization(&engine.store(TABLE).await?, &"org_import".parse()?).await?;
    support::add_bare_tenant(&organization, 1).await?;
    let folder = tempfile::tempdir()?;
    let mut command = posture(engine.address())?;
    for number in 1..=FILES {
        let run = format!("dfd70a15-3042-4bc9-8e02-{number:012}");
        let file = real.replace(TENANT, &provider_id(1)).replace(RUN, &run).replace(TIME, &minute(number).to_string());
        let path = folder.path().join(format!("{number}.json"));
        fs::write(&path, file)?;
        command.arg(path);
    }
    let start = Instant::now();
    let output = command.output().await?;
    let time = start.elapsed();
    match output.status.success() {
        true => Ok(time),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}

/// Returns the command that imports files, with an engine in place of DynamoDB.
fn posture(engine: SocketAddr) -> Result<Command, BoxError> {
    let mut command = Command::new(built("posture")?);
    command.args(["report", "import", "--org", "org_import", "--table", TABLE, "--endpoint-url"]);
    command.arg(format!("http://{engine}")).env_clear().stdin(Stdio::null());
    for (name, value) in [("AWS_REGION", "local"), ("AWS_ACCESS_KEY_ID", "local"), ("AWS_SECRET_ACCESS_KEY", "local")] {
        command.env(name, value);
    }
    command.env("HOME", env::temp_dir());
    Ok(command)
}
