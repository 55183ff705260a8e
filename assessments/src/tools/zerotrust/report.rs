//! The report file, and how its rows are reached.

use serde::Deserialize;
use serde_json::Value;

use super::test_row::TestRow;
use crate::file::{Field, Input, Unreadable, WithoutOffset, read_time, rows};
use crate::run::{ControlResults, Repetition, Run, RunFacts, Tool};
use crate::text::{CountingTests, administrator_count, non_empty};

/// Tests whose results contain the number of top-privilege administrators. The first also counts applications.
const ADMINISTRATORS: CountingTests =
    &[("21812", &["Total number of Global Administrators:"]), ("21813", &["Global administrator role count:"])];

/// Reads the report of a run.
pub(crate) fn read_report(input: Input<'_>) -> Result<Run, Unreadable> {
    let file: ReportFile = input.json()?;
    let facts = file.facts();
    let mut results = ControlResults::new(Repetition::Duplicates);
    for row in file.tests {
        results.take(row.and_then(TestRow::into_result));
    }
    Ok(facts.into_run(Tool::ZeroTrustAssessment, results))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReportFile {
    #[serde(default)]
    current_version: Field<String>,
    #[serde(default)]
    tenant_id: Field<String>,
    /// End of the run.
    #[serde(default)]
    executed_at: Value,
    #[serde(deserialize_with = "rows")]
    tests: Vec<Option<TestRow>>,
}

impl ReportFile {
    fn facts(&self) -> RunFacts {
        let completed = read_time(&self.executed_at, WithoutOffset::IsUnreadable);
        RunFacts {
            version: non_empty(self.current_version.text().map(str::to_owned)),
            tenant: non_empty(self.tenant_id.text().map(str::to_owned)),
            completed: completed.ok(),
            time_problem: completed.err(),
            administrators: administrator_count(ADMINISTRATORS, |test| {
                self.tests.iter().flatten().filter_map(|row| row.reported_by(test)).collect()
            }),
            ..RunFacts::default()
        }
    }
}
