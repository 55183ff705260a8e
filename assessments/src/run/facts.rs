//! What a file says beside its rows, and what it leaves unsaid.

use model::{ProviderTenantId, Timestamp};

use crate::collector::Collected;
use crate::findings::run_id;
use crate::run::{AdminReview, Issue, IssueKind, Run, Tool};

/// Longest text that is taken for a version, in bytes.
const VERSION_LENGTH: usize = 40;

/// What a file says beside its rows.
#[derive(Default)]
pub(crate) struct Header {
    pub(crate) version: Option<String>,
    /// The tenant's identifier, as the file has it.
    pub(crate) tenant: Option<String>,
    pub(crate) started: Option<Timestamp>,
    pub(crate) completed: Option<Timestamp>,
    /// The tool's own identifier of the run.
    pub(crate) run_id: Option<String>,
    /// How many top-privilege administrators there are.
    pub(crate) administrators: Option<u32>,
}

impl Header {
    /// The run with these rows.
    pub(crate) fn into_run(self, tool: Tool, rows: Collected) -> Run {
        let Collected { findings, left_out, mut issues } = rows;
        issues.extend(self.gaps());
        let tenant = self.tenant();
        Run {
            tool,
            tool_version: self.version.filter(|text| is_version(text)),
            run_id: self.run_id.unwrap_or_else(|| run_id(tool, tenant.as_ref(), self.completed, &findings)),
            tenant,
            started: self.started,
            completed: self.completed,
            lookback_days: None,
            findings,
            left_out,
            admins: AdminReview { count: self.administrators, ..AdminReview::default() },
            issues,
        }
    }

    fn tenant(&self) -> Option<ProviderTenantId> {
        self.tenant.as_ref()?.parse().ok()
    }

    /// What a report needs and the file does not tell.
    fn gaps(&self) -> Vec<Issue> {
        let gaps = [
            (self.tenant().is_none(), IssueKind::TenantUnknown, "the file does not name the tenant by its identifier"),
            (self.completed.is_none(), IssueKind::TimeUnknown, "the file does not tell when the run was, in UTC"),
            (
                self.administrators.is_none(),
                IssueKind::AdministratorsUnknown,
                "the file does not tell how many top-privilege administrators there are; the report says 0",
            ),
        ];
        gaps.into_iter().filter(|(missing, ..)| *missing).map(|(_, kind, text)| Issue::of_file(kind, text)).collect()
    }
}

/// Whether a text is a version and no other text that stands in its place: results and logs repeat it.
fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    text.len() <= VERSION_LENGTH && text.bytes().all(is_part)
}
