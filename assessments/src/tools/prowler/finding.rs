//! One finding: the result of a check for one resource, in the words that both files share.

use chrono::{DateTime, NaiveDateTime};
use model::{ProviderTenantId, Timestamp};

use crate::collector::{About, Outcome};
use crate::markdown::Document;
use crate::wording::{reason, severity, stated};

/// Beginnings of what the tool writes where it was not allowed to look. It calls most of these failed.
const NOT_LOOKED_AT: &[&str] = &[
    "Cannot read ",
    "Cannot verify ",
    "Defender for Identity APIs are not accessible",
    "Email OTP authentication method state could not be determined",
    "OAuth App Governance data is unavailable",
    "Unable to query ",
];

/// A finding, as far as it is read.
pub(super) struct Finding {
    pub(super) origin: Origin,
    pub(super) check: String,
    pub(super) status: String,
    pub(super) muted: bool,
    /// What was found.
    pub(super) text: String,
    pub(super) said: Said,
}

/// Where and when a finding was made.
pub(super) struct Origin {
    /// The provider that the tool looked at.
    pub(super) provider: String,
    pub(super) tenant: Option<ProviderTenantId>,
    pub(super) version: Option<String>,
    pub(super) time: Option<Timestamp>,
}

/// What a finding says about its check.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Said {
    pub(super) title: String,
    pub(super) severity: String,
    pub(super) risk: String,
    pub(super) remediation: String,
}

impl Finding {
    /// The outcome, or the status itself if it is not known.
    pub(super) fn outcome(&self) -> Result<Outcome, &str> {
        match self.status.as_str() {
            "PASS" | "FAIL" | "MANUAL" if self.muted => Ok(Outcome::NotAssessed),
            "PASS" => Ok(Outcome::Passed),
            "FAIL" if NOT_LOOKED_AT.iter().any(|beginning| self.text.starts_with(beginning)) => {
                Ok(Outcome::NotAssessed)
            }
            "FAIL" => Ok(Outcome::Failed),
            "MANUAL" => Ok(Outcome::NotAssessed),
            other => Err(other),
        }
    }
}

impl Said {
    /// What the finding says, in plain text.
    pub(super) fn plain(self) -> About {
        let risk = Document::parse(&self.risk).line();
        About {
            name: self.title.trim().to_owned(),
            severity: severity(&self.severity),
            why: stated(Some(reason(&risk))),
            suggested_fix: stated(Some(Document::parse(&self.remediation).line())),
            ..About::default()
        }
    }
}

/// The first of some texts that is a tenant's identifier. Versions differ in where they write it.
pub(super) fn first_tenant<'a>(texts: impl IntoIterator<Item = Option<&'a String>>) -> Option<ProviderTenantId> {
    texts.into_iter().flatten().find_map(|text| text.parse().ok())
}

/// A moment as the tool writes it: a date and a time, in UTC unless they name a zone, or seconds since 1970.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
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
    fn moments_are_utc_unless_they_say_otherwise() {
        for (text, written) in [
            ("2026-08-20T09:15:42.123456", "2026-08-20T09:15:42.123Z"),
            ("2026-08-20 09:15:42.123456", "2026-08-20T09:15:42.123Z"),
            ("2026-08-20 09:15:42", "2026-08-20T09:15:42.000Z"),
            ("2026-08-20T09:15:42+02:00", "2026-08-20T07:15:42.000Z"),
            ("1787217342", "2026-08-20T09:15:42.000Z"),
        ] {
            assert_eq!(moment(text).map(|moment| moment.to_string()).as_deref(), Some(written), "{text}");
        }
        assert_eq!((moment(""), moment("today"), moment("2026-08-20")), (None, None, None));
    }
}
