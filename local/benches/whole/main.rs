//! Measures the whole service: responses through the gateway, the built functions behind a Runtime API, comparable
//! functions, and how the times grow with the data.
//!
//! Started by `local/benches/run`, which builds the functions and the peers first; docs/PERFORMANCE.md contains the
//! results.

mod bucket;
mod capacity;
mod client;
mod dashboard;
#[path = "../../examples/event_data/data.rs"]
mod event_data;
mod fill;
mod first_call;
mod function;
mod functions;
mod import;
mod joining;
mod latest;
mod peers;
mod process;
mod responses;
mod runtime_api;
mod scale;
mod sizes;
mod support;
mod table;

use std::env;
use std::path::Path;

use process::Child;
use support::BoxError;
use table::Table;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["engine", file] => process::engine(Path::new(file)).await,
        ["gateway", engine] => process::gateway(engine.parse()?).await,
        // Argument of `cargo bench`; without it, this is not a run of the benchmarks.
        ["--bench"] => measure().await,
        [ref names @ .., "--bench"] => measure_functions(names).await,
        _ => Err("started by local/benches/run".into()),
    }
}

/// Measures all figures, and writes the tables.
async fn measure() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("reports.db");
    let data = fill::fill(&file).await?;
    let engine = Child::start(&["engine", file.to_str().ok_or("a path that is no UTF-8")?]).await?;

    let mut table = Table::new(sizes::describe()?);
    joining::measure(&mut table).await?;
    latest::measure(&mut table, engine.address, &data.tenants[0].id).await?;
    responses::measure(&mut table, engine.address, &data).await?;
    peers::measure(&mut table, engine.address, &data.reports.id).await?;
    functions::measure(&mut table, &[]).await?;
    dashboard::measure(&mut table).await?;
    first_call::measure(&mut table).await?;
    import::measure(&mut table).await?;
    scale::measure(&mut table, engine.address, &data).await?;
    table.write()
}

/// Measures single functions, and shows the tables.
async fn measure_functions(names: &[&str]) -> Result<(), BoxError> {
    let mut table = Table::new(String::new());
    functions::measure(&mut table, names).await?;
    if names.contains(&"dashboard") {
        dashboard::measure(&mut table).await?;
    }
    table.show();
    Ok(())
}
