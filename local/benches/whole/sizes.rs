//! How the invented reports compare with a real one.

use std::fs;
use std::path::Path;

use assessments::{Settings, assemble, combine, read};
use model::ReportBody;
use store::Fragment;

use crate::support::{self, Failure, minute};

/// A real result file, beside the checkout where there is one.
const REAL: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus/scubagear/ScubaResults_v1.7.0_2025-10.json");

/// A sentence about sizes.
///
/// # Errors
/// When the real file cannot be read.
pub(crate) fn describe() -> Result<String, Failure> {
    let invented = sizes(&support::body(1, minute(1)))?;
    let real = match Path::new(REAL).is_file() {
        true => format!("; a real one of ScubaGear has {}", sizes(&real()?)?),
        false => String::new(),
    };
    Ok(format!("A report of the benchmarks has {invented}{real}.\n"))
}

fn real() -> Result<ReportBody, Failure> {
    let run = combine([read(&fs::read(REAL)?)?]).runs.pop().ok_or("the file holds no run")?;
    let settings = Settings { imported_at: minute(0), lookback_days: None, earlier: None };
    Ok(assemble(&run, &settings)?.body)
}

fn sizes(body: &ReportBody) -> Result<String, Failure> {
    let text = serde_json::to_vec(body)?;
    let kilobytes = |bytes: usize| bytes as f64 / 1e3;
    let stored = Fragment::stored(&text).deflated.len();
    Ok(format!("{:.1} KB of JSON, stored in {:.1} KB", kilobytes(text.len()), kilobytes(stored)))
}
