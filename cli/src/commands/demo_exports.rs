//! The exports of the demo's tenants: the content of their directories, logs and usage reports, relative to a run.

use anyhow::{Context, anyhow};
use assessments::Contents;
use chrono::TimeDelta;
use model::Timestamp;
use serde_json::Value;

/// Prefix of a relative time in the exports: `{{-1.5d}}` is a day and a half before the run, `{{-2d date}}` the date two days
/// before.
const START: &str = "{{-";
const END: &str = "}}";

/// Reads the exports of a tenant as of the end of a run: a JSON list of pages, and of tables as texts.
///
/// # Errors
/// If the demo's own data is malformed.
pub(super) fn read(exports: &str, run_end: Timestamp) -> anyhow::Result<Vec<Contents>> {
    let exports = with_times(exports, run_end)?;
    let files: Vec<Value> = serde_json::from_str(&exports).context("the demo's exports are not a list")?;
    let bytes = |file: &Value| file.as_str().map_or_else(|| file.to_string(), str::to_owned).into_bytes();
    files.iter().map(|file| Ok(assessments::read(&bytes(file))?)).collect()
}

fn with_times(exports: &str, run_end: Timestamp) -> anyhow::Result<String> {
    let mut parts = exports.split(START);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (time, rest) = part.split_once(END).context("a time in the demo's exports has no end")?;
        let (days, date_only) =
            time.strip_suffix("d date").map_or((time.trim_end_matches('d'), false), |it| (it, true));
        let days: f64 = days.parse().map_err(|_| anyhow!("{time} in the demo's exports is not a time"))?;
        let minutes =
            TimeDelta::try_minutes((days * 24.0 * 60.0) as i64).context("a time of the demo is too far away")?;
        let moment = Timestamp::try_from(run_end.to_datetime() - minutes)?;
        text += &if date_only { moment.date().to_string() } else { moment.to_string() };
        text += rest;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_relative_to_the_run() {
        let run_end = "2026-11-20T12:00:00Z".parse().unwrap();
        assert_eq!(
            with_times(r#"["{{-0.5d}}", "{{-2d date}}"]"#, run_end).unwrap(),
            r#"["2026-11-20T00:00:00.000Z", "2026-11-18"]"#
        );
        assert!(with_times("{{-1d", run_end).is_err() && with_times("{{-xd}}", run_end).is_err());
    }
}
