//! The two file formats.

use model::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::test_row::{ADMINISTRATORS, TestRow};
use crate::file::{Field, Input, Unreadable, WithoutOffset, read_duration, read_time, rows};
use crate::run::{ControlResults, FileRuns, Issue, IssueKind, Repetition, Run, RunFacts, Tool};
use crate::text::{administrator_count, non_empty};

/// Reads the results of one tenant.
pub(crate) fn read_results(input: Input<'_>) -> Result<Run, Unreadable> {
    let results: TenantResults = input.json()?;
    Ok(results.into_run())
}

/// Reads the results of several tenants, each of which is a run of its own.
pub(crate) fn read_merged_results(input: Input<'_>) -> Result<FileRuns, Unreadable> {
    let merged: MergedFile = input.json()?;
    let mut found = FileRuns::default();
    for results in merged.tenants {
        match results {
            Some(results) => found.runs.push(results.into_run()),
            None => {
                let message = "skipped an element of the list of tenants that is not the results of a tenant";
                found.issues.push(Issue::of_file(IssueKind::UnreadableRow, message));
            }
        }
    }
    Ok(found)
}

#[derive(Deserialize)]
struct MergedFile {
    #[serde(rename = "Tenants", deserialize_with = "rows")]
    tenants: Vec<Option<TenantResults>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TenantResults {
    #[serde(default)]
    current_version: Field<String>,
    #[serde(default)]
    tenant_id: Field<String>,
    /// Start of the run.
    #[serde(default)]
    executed_at: Value,
    /// Hours, minutes and seconds.
    #[serde(default)]
    total_duration: Field<String>,
    #[serde(deserialize_with = "rows")]
    tests: Vec<Option<TestRow>>,
}

impl TenantResults {
    fn into_run(self) -> Run {
        let facts = self.facts();
        let mut results = ControlResults::new(Repetition::Duplicates);
        for row in self.tests {
            results.take(row.and_then(TestRow::into_result));
        }
        facts.into_run(Tool::Maester, results)
    }

    fn facts(&self) -> RunFacts {
        let started = read_time(&self.executed_at, WithoutOffset::IsUnreadable);
        let tenant = non_empty(self.tenant_id.text().map(str::to_owned)).filter(|tenant| !is_placeholder(tenant));
        RunFacts {
            version: non_empty(self.current_version.text().map(str::to_owned)),
            tenant,
            started: started.ok(),
            completed: started.ok().and_then(|started| self.end_of_run(started)),
            time_problem: started.err(),
            run_id: None,
            administrators: administrator_count(ADMINISTRATORS, |test| {
                self.tests.iter().flatten().filter_map(|row| row.reported_by(test)).collect()
            }),
        }
    }

    /// Returns the end of the run; its start if the file has no readable duration.
    fn end_of_run(&self, started: Timestamp) -> Option<Timestamp> {
        let duration = self.total_duration.text().and_then(read_duration).unwrap_or_default();
        started.to_datetime().checked_add_signed(duration)?.try_into().ok()
    }
}

/// Returns whether a text is the placeholder of a run without a connection to Microsoft Graph.
fn is_placeholder(text: &str) -> bool {
    text.ends_with("(not connected to Graph)")
}
