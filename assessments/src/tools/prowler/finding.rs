//! One finding: the result of a check for one resource, independent of the file format.

use chrono::{DateTime, NaiveDateTime};
use model::{ProviderTenantId, Timestamp};

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
}

/// Origin of a finding.
pub(super) struct Origin {
    /// The provider that the tool assessed.
    pub(super) provider: String,
    pub(super) tenant: Option<ProviderTenantId>,
    pub(super) version: Option<String>,
    pub(super) time: Option<Timestamp>,
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
        match self.status.as_str() {
            "PASS" | "FAIL" | "MANUAL" if self.muted => Ok(Outcome::NotAssessed),
            "PASS" => Ok(Outcome::Passed),
            "FAIL" if NOT_READABLE.iter().any(|beginning| self.text.starts_with(beginning)) => Ok(Outcome::NotAssessed),
            "FAIL" => Ok(Outcome::Failed),
            "MANUAL" => Ok(Outcome::NotAssessed),
            other => Err(other),
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

/// Parses the tool's times: a date and a time, in UTC unless they have an offset, or seconds since 1970.
pub(super) fn parse_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let zoned = || text.parse::<Timestamp>().ok();
    let seconds = || DateTime::from_timestamp(text.parse().ok()?, 0)?.try_into().ok();
    let naive = || {
        let text = text.replacen(' ', "T", 1);
        NaiveDateTime::parse_from_str(&text, "%Y-%m-%dT%H:%M:%S%.f").ok()?.and_utc().try_into().ok()
    };
    zoned().or_else(naive).or_else(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_unless_they_have_an_offset() {
        for (text, written) in [
            ("2026-08-20T09:15:42.123456", "2026-08-20T09:15:42.123Z"),
            ("2026-08-20 09:15:42.123456", "2026-08-20T09:15:42.123Z"),
            ("2026-08-20 09:15:42", "2026-08-20T09:15:42.000Z"),
            ("2026-08-20T09:15:42+02:00", "2026-08-20T07:15:42.000Z"),
            ("1787217342", "2026-08-20T09:15:42.000Z"),
        ] {
            assert_eq!(parse_time(text).map(|time| time.to_string()).as_deref(), Some(written), "{text}");
        }
        assert_eq!((parse_time(""), parse_time("today"), parse_time("2026-08-20")), (None, None, None));
    }
}
