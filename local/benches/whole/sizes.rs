//! Compares the generated reports with a real one.

use std::fs;
use std::path::Path;

use assessments::{Settings, assemble, combine, read};
use model::ReportBody;
use store::Fragment;

use crate::support::{self, BoxError, minute};

/// Real result files, next to the checkout if they exist.
pub(crate) const CORPUS: &str = "../shared/corpus";
/// A real result file.
pub(crate) const REAL: &str = "scubagear/ScubaResults_v1.7.0_2025-10.json";

/// Returns a sentence about sizes.
pub(crate) fn describe() -> Result<String, BoxError> {
    let invented = sizes(&support::body(1, minute(1)))?;
    let real = match corpus(REAL)? {
        Some(_) => format!("; a real one of ScubaGear has {}", sizes(&real()?)?),
        None => String::new(),
    };
    Ok(format!("A report of the benchmarks has {invented}{real}.\n"))
}

/// Returns the text of a real result file, or `None` if there are none.
pub(crate) fn corpus(file: &str) -> Result<Option<String>, BoxError> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(CORPUS).join(file);
    if path.is_file() { Ok(Some(fs::read_to_string(path)?)) } else { Ok(None) }
}

/// Returns the report of the real result file.
pub(crate) fn real() -> Result<ReportBody, BoxError> {
    let file = corpus(REAL)?.ok_or("there is no real file")?;
    let run = combine([read(&file.as_bytes())?]).runs.pop().ok_or("the file holds no run")?;
    let settings = Settings::default();
    Ok(assemble(&run, &settings)?.body)
}

fn sizes(body: &ReportBody) -> Result<String, BoxError> {
    let text = serde_json::to_vec(body)?;
    let kilobytes = |bytes: usize| bytes as f64 / 1e3;
    let stored = Fragment::stored(&text).deflated.len();
    Ok(format!("{:.1} KB of JSON, stored in {:.1} KB", kilobytes(text.len()), kilobytes(stored)))
}
