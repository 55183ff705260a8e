//! Facts about a run that a file contains in addition to its rows: tool version, tenant, times, administrators.

use model::{ProviderTenantId, Timestamp};

use super::control_result::Describe;
use super::findings::Findings;
use super::id::run_id;
use super::issue::{Issue, IssueKind};
use super::results::ControlResults;
use super::tool::Tool;
use super::types::{AdminReview, Run};
use crate::file::TimeProblem;

/// Longest text that is accepted as a version, in bytes.
const VERSION_LENGTH: usize = 40;

/// Facts that a file contains in addition to its rows.
#[derive(Default)]
pub(crate) struct RunFacts {
    pub(crate) version: Option<String>,
    /// Identifier of the tenant, as in the file.
    pub(crate) tenant: Option<String>,
    pub(crate) started: Option<Timestamp>,
    pub(crate) completed: Option<Timestamp>,
    /// Reason why the end of the run is unknown.
    pub(crate) time_problem: Option<TimeProblem>,
    /// The tool's own identifier of the run.
    pub(crate) run_id: Option<String>,
    /// Number of top-privilege administrators.
    pub(crate) administrators: Option<u32>,
}

impl RunFacts {
    /// Returns the run with these results. Missing facts become issues.
    pub(crate) fn into_run(self, tool: Tool, results: ControlResults<impl Describe>) -> Run {
        self.into_run_with(tool, results, Vec::new())
    }

    /// Returns the run with these results and with further issues, which come first.
    pub(crate) fn into_run_with(
        self,
        tool: Tool,
        results: ControlResults<impl Describe>,
        first_issues: Vec<Issue>,
    ) -> Run {
        let rows = results.rows();
        let Findings { findings, left_out, mut issues } = results.finish();
        issues.splice(0..0, first_issues);
        issues.extend(self.missing());
        let tenant = self.tenant();
        let mut run = Run {
            tool,
            tool_version: self.version.filter(|text| is_version(text)),
            run_id: self.run_id.unwrap_or_else(|| run_id(tool, tenant.as_ref(), self.completed, &findings)),
            tenant,
            started: self.started,
            completed: self.completed,
            lookback_days: None,
            is_part: false,
            rows,
            findings,
            left_out,
            admins: AdminReview { count: self.administrators, ..AdminReview::default() },
            issues,
        };
        run.add_lost_rows(0);
        run
    }

    fn tenant(&self) -> Option<ProviderTenantId> {
        self.tenant.as_ref()?.parse().ok()
    }

    fn time_problem_in_words(&self) -> &'static str {
        match self.time_problem.unwrap_or(TimeProblem::Missing) {
            TimeProblem::Missing => "the file does not contain the time of the run",
            TimeProblem::Unreadable => "the time of the run in the file is unreadable",
            TimeProblem::TooEarly => "the time of the run in the file is before 2010",
            TimeProblem::NoOffset => "the time of the run in the file has no offset from UTC",
            TimeProblem::Ambiguous => "the time of the run in the file is ambiguous: day and month can be either",
        }
    }

    /// Returns an issue for each fact that a report needs and the file lacks.
    fn missing(&self) -> Vec<Issue> {
        let facts = [
            (self.tenant().is_none(), IssueKind::TenantUnknown, "the file does not contain the tenant's identifier"),
            (self.completed.is_none(), IssueKind::TimeUnknown, self.time_problem_in_words()),
            (
                self.administrators.is_none(),
                IssueKind::AdministratorsUnknown,
                "the file does not contain the number of top-privilege administrators, so it is unknown",
            ),
        ];
        facts.into_iter().filter(|(missing, ..)| *missing).map(|(_, kind, text)| Issue::of_file(kind, text)).collect()
    }
}

/// Returns whether a text can be a version. Results and logs repeat it, so other text is not accepted.
fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    text.len() <= VERSION_LENGTH && text.bytes().all(is_part)
}
