//! The two files and how they are walked.

use chrono::NaiveTime;
use model::Timestamp;
use serde::Deserialize;

use super::rows::{ADMINISTRATORS, Said, TestRow};
use crate::collector::{Collector, Repetition};
use crate::header::Header;
use crate::read::{Format, Input, Outline, Part, Unreadable, rows};
use crate::run::{Issue, IssueKind, Run, Tool};
use crate::wording::{administrators, stated};

/// The results of one tenant.
pub(crate) struct Results;

impl Format for Results {
    fn name(&self) -> &'static str {
        "Maester's TestResults (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_json_with(&["PassedCount", "FailedCount", "TenantId", "Tests"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let results: TenantResults = input.json()?;
        Ok(vec![results.into_run().into()])
    }
}

/// The results of several tenants, each a run of its own.
pub(crate) struct MergedResults;

impl Format for MergedResults {
    fn name(&self) -> &'static str {
        "Maester's merged results of several tenants (JSON)"
    }

    fn recognizes(&self, outline: &Outline) -> bool {
        outline.is_json_with(&["Tenants/TenantId", "Tenants/Tests"])
    }

    fn read(&self, input: Input<'_>) -> Result<Vec<Part>, Unreadable> {
        let merged: MergedFile = input.json()?;
        Ok(merged.tenants.into_iter().map(tenant_part).collect())
    }
}

fn tenant_part(results: Option<TenantResults>) -> Part {
    let no_results = || {
        let message = "an element of the list of tenants is no tenant's results and was left out";
        Issue::of_file(IssueKind::UnreadableRow, message).into()
    };
    results.map_or_else(no_results, |results| results.into_run().into())
}

#[derive(Deserialize)]
struct MergedFile {
    #[serde(rename = "Tenants", deserialize_with = "rows")]
    tenants: Vec<Option<TenantResults>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TenantResults {
    current_version: Option<String>,
    tenant_id: Option<String>,
    /// When the run began.
    executed_at: Option<String>,
    /// Hours, minutes and seconds.
    total_duration: Option<String>,
    #[serde(deserialize_with = "rows")]
    tests: Vec<Option<TestRow>>,
}

impl TenantResults {
    fn into_run(self) -> Run {
        let header = self.header();
        let mut collector = Collector::new(Repetition::Duplicates);
        for row in self.tests {
            match row.and_then(|row| row.into_row(&mut collector)) {
                Some(row) => collector.take(row),
                None => collector.note_unreadable(),
            }
        }
        header.into_run(Tool::Maester, collector.finish(Said::plain))
    }

    fn header(&self) -> Header {
        let started = self.executed_at.as_ref().and_then(|time| time.parse().ok());
        let tenant = stated(self.tenant_id.clone()).filter(|tenant| !is_placeholder(tenant));
        Header {
            version: stated(self.current_version.clone()),
            tenant,
            started,
            completed: started.and_then(|started| self.ended(started)),
            run_id: None,
            administrators: administrators(ADMINISTRATORS, |test| {
                self.tests.iter().flatten().filter_map(|row| row.reported_by(test)).collect()
            }),
        }
    }

    /// The end of a run that began then; the beginning where the file does not tell how long it took.
    fn ended(&self, started: Timestamp) -> Option<Timestamp> {
        let duration =
            self.total_duration.as_deref().and_then(|text| NaiveTime::parse_from_str(text, "%H:%M:%S%.f").ok());
        let duration = duration.unwrap_or_default().signed_duration_since(NaiveTime::MIN);
        started.to_datetime().checked_add_signed(duration)?.try_into().ok()
    }
}

/// Whether a text is what the tool writes where it was not connected to the directory.
fn is_placeholder(text: &str) -> bool {
    text.ends_with("(not connected to Graph)")
}
