//! The figures of the other benchmark, where it left them.

use std::env;
use std::fs;

use serde_json::Value;

use crate::support::Failure;
use crate::table::{Bound, Table};

/// Adds the ratios of the parts.
///
/// # Errors
/// When the other benchmark did not run.
pub(crate) fn read(table: &mut Table) -> Result<(), Failure> {
    let (splice, serialize) = (median("500 reports/splice")?, median("500 reports/serialize and gzip")?);
    let what = "500 reports in gzip: serializing and compressing, against joining what is stored";
    table.figure(what.to_owned(), Some(Bound::AtLeast(50.0)), serialize / splice, "x");
    table.detail(what.to_owned(), format!("{serialize:.2} ms, {splice:.2} ms"));
    let (handler, raw) = (median("100 latest/handler")?, median("100 latest/raw read")?);
    let what = "100 latest in gzip: the handler, against the bare calls for the same items";
    table.figure(what.to_owned(), Some(Bound::AtMost(1.2)), handler / raw, "x");
    table.detail(what.to_owned(), format!("{handler:.2} ms, {raw:.2} ms"));
    Ok(())
}

/// The median that criterion found, in milliseconds.
fn median(benchmark: &str) -> Result<f64, Failure> {
    // This program lies in `release/deps` of the folder that the results are in too.
    let program = env::current_exe()?;
    let target = program.ancestors().nth(3).ok_or("this program was not built by cargo")?;
    let file = target.join("criterion").join(benchmark).join("new/estimates.json");
    let estimates: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    Ok(estimates["median"]["point_estimate"].as_f64().ok_or("no median")? / 1e6)
}
