//! The report file, and how its rows are reached.

use serde::Deserialize;

use super::test_row::TestRow;
use crate::file::{Input, Unreadable, rows};
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
    current_version: Option<String>,
    tenant_id: Option<String>,
    /// End of the run.
    executed_at: Option<String>,
    #[serde(deserialize_with = "rows")]
    tests: Vec<Option<TestRow>>,
}

impl ReportFile {
    fn facts(&self) -> RunFacts {
        RunFacts {
            version: non_empty(self.current_version.clone()),
            tenant: non_empty(self.tenant_id.clone()),
            completed: self.executed_at.as_ref().and_then(|time| time.parse().ok()),
            administrators: administrator_count(ADMINISTRATORS, |test| {
                self.tests.iter().flatten().filter_map(|row| row.reported_by(test)).collect()
            }),
            ..RunFacts::default()
        }
    }
}
