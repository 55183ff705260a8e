//! One finding: the result of a check for one resource, independent of the file format.

use model::{NotAssessedReason, ProviderTenantId, Timestamp};

use crate::file::TimeProblem;
use crate::run::{Describe, Description, Outcome};
use crate::text::{Document, non_empty, reason, severity};

/// Beginnings of the texts for resources that the tool was not allowed to read. It reports most of them as failed.
const NOT_READABLE: &[&str] = &[
    "Cannot read ",
    "Cannot verify ",
    "Defender for Identity APIs are not accessible",
    "Email OTP authentication method state could not be determined",
    "OAuth App Governance data is unavailable",
    "Unable to query ",
];

/// The fields of a finding that are read.
pub(super) struct Finding {
    pub(super) origin: Origin,
    pub(super) check: String,
    pub(super) status: String,
    pub(super) muted: bool,
    /// Description of the state that was found.
    pub(super) text: String,
    pub(super) texts: ProwlerCheck,
    /// Names of the damaged fields.
    pub(super) damaged: Vec<&'static str>,
}

/// Origin of a finding.
pub(super) struct Origin {
    /// Name of the tool, if the row has it.
    pub(super) product: Option<String>,
    /// The provider that the tool assessed.
    /// `None` if the row does not name it.
    pub(super) provider: Option<String>,
    pub(super) tenant: Option<ProviderTenantId>,
    pub(super) version: Option<String>,
    pub(super) time: Result<Timestamp, TimeProblem>,
}

/// The tool's texts about a check.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProwlerCheck {
    pub(super) title: String,
    pub(super) severity: String,
    pub(super) risk: String,
    pub(super) remediation: String,
}

impl Finding {
    /// Returns the outcome, or the status itself if its meaning is unknown.
    pub(super) fn outcome(&self) -> Result<Outcome, &str> {
        match self.status.trim().to_uppercase().as_str() {
            "PASS" | "FAIL" | "MANUAL" if self.muted => Ok(Outcome::NotAssessed(NotAssessedReason::Ignored)),
            "PASS" => Ok(Outcome::Passed),
            "FAIL" if NOT_READABLE.iter().any(|beginning| self.text.starts_with(beginning)) => {
                Ok(Outcome::NotAssessed(NotAssessedReason::Error))
            }
            "FAIL" => Ok(Outcome::Failed),
            "MANUAL" => Ok(Outcome::NotAssessed(NotAssessedReason::Manual)),
            _ => Err(&self.status),
        }
    }
}

impl Describe for ProwlerCheck {
    fn describe(self) -> Description {
        let risk = Document::parse(&self.risk).line();
        Description {
            name: self.title.trim().to_owned(),
            severity: severity(&self.severity),
            why: non_empty(Some(reason(&risk))),
            suggested_fix: non_empty(Some(Document::parse(&self.remediation).line())),
            ..Description::default()
        }
    }
}

/// Returns the first text that is a tenant's identifier. Versions of the tool write it to different fields.
pub(super) fn first_tenant<'a>(texts: impl IntoIterator<Item = Option<&'a String>>) -> Option<ProviderTenantId> {
    texts.into_iter().flatten().find_map(|text| text.parse().ok())
}
