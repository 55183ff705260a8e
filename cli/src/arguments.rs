//! Arguments that several commands take, and the present time.

use chrono::{NaiveDate, Utc};
use clap::Args;
use model::{OrganizationId, Timestamp, calendar_date};

/// Longest display name, in characters.
const LONGEST_NAME: usize = 200;

/// Whose data a command works on.
#[derive(Debug, Args)]
pub(crate) struct OfOrganization {
    /// The organization, by its identifier
    #[arg(long = "org", value_name = "ORG", env = "POSTURE_ORG")]
    pub(crate) id: OrganizationId,
}

/// A name that people read: a tenant's, an organization's.
pub(crate) fn display_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(format!("must be 1 to {LONGEST_NAME} characters without control characters"));
    }
    Ok(name.to_owned())
}

/// A day that is not to come.
pub(crate) fn past_day(text: &str) -> Result<NaiveDate, String> {
    let day = calendar_date(text).ok_or("must be a date in the form YYYY-MM-DD")?;
    if day > now().date() {
        return Err("must not be after today (UTC)".to_owned());
    }
    Ok(day)
}

/// The present time.
pub(crate) fn now() -> Timestamp {
    Utc::now().try_into().expect("the clock is within the years 0 to 9999")
}
