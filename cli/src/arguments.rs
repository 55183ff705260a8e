//! Arguments that several commands take, and the present time.

use chrono::{NaiveDate, Utc};
use clap::Args;
use model::{OrganizationId, Timestamp, calendar_date};

/// The organization that a command works on.
#[derive(Debug, Args)]
pub(crate) struct OfOrganization {
    /// The organization, by its identifier
    #[arg(long = "org", value_name = "ORG", env = "POSTURE_ORG")]
    pub(crate) id: OrganizationId,
}

/// The dashboard that links lead to.
#[derive(Debug, Clone, Args)]
pub(crate) struct Dashboard {
    /// Address of the dashboard that links lead to [default: DASHBOARD_URL of the environment; with --local, the address
    /// that the service names]
    #[arg(long = "dashboard-url", value_name = "URL")]
    pub(crate) url: Option<String>,
}

/// Reads a day of the calendar.
pub(crate) fn day(text: &str) -> Result<NaiveDate, &'static str> {
    calendar_date(text).ok_or("must be a date in the form YYYY-MM-DD")
}

/// Parses a day that is not in the future.
pub(crate) fn past_day(text: &str) -> Result<NaiveDate, String> {
    let day = calendar_date(text).ok_or("must be a date in the form YYYY-MM-DD")?;
    if day > now().date() {
        return Err("must not be after today (UTC)".to_owned());
    }
    Ok(day)
}

/// Returns the present time.
pub(crate) fn now() -> Timestamp {
    Utc::now().try_into().expect("the clock is within the years 0 to 9999")
}
