//! Usage of all tenants on a day.

use axum::response::Response;
use chrono::NaiveDate;
use futures_util::TryStreamExt;
use model::{UsageHead, UsageTenant};
use serde::Deserialize;
use web::failure::Failure;
use web::input::Asked;
use web::session::Viewer;
use web::view::form::Errors;
use web::{Dashboard, respond};

use crate::view::{self, csv};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Day {
    #[serde(default)]
    as_of: String,
}

pub(crate) async fn show(dashboard: Dashboard, viewer: Viewer, Asked(day): Asked<Day>) -> Result<Response, Failure> {
    let (usage, errors) = match day.read(&viewer) {
        Some(date) => (recorded(&viewer, date).await?, Errors::default()),
        None => (None, Errors::default().with("asOf", "Enter a date up to today, such as 2026-01-31.")),
    };
    let shell = viewer.shell(&dashboard).await?;
    let usage = usage.as_ref().map(|(head, tenants)| (head, &**tenants));
    Ok(respond::page(view::usage::page(&view::usage::Page {
        shell: &shell,
        as_of: &day.as_of,
        errors: &errors,
        usage,
    })))
}

pub(crate) async fn download(viewer: Viewer, Asked(day): Asked<Day>) -> Result<Response, Failure> {
    let date = day.read(&viewer).ok_or(Failure::NotFound)?;
    let tenants = recorded(&viewer, date).await?.map(|(_, tenants)| tenants).unwrap_or_default();
    Ok(respond::csv("usage.csv", csv::usage(&tenants)))
}

impl Day {
    /// The day that is asked for, today by default. `None` if it is no date or after today.
    fn read(&self, viewer: &Viewer) -> Option<NaiveDate> {
        let today = viewer.now.date();
        match self.as_of.trim() {
            "" => Some(today),
            text => text.parse().ok().filter(|date| *date <= today),
        }
    }
}

/// The newest usage that is recorded for a day at or before the given one.
async fn recorded(viewer: &Viewer, until: NaiveDate) -> Result<Option<(UsageHead, Vec<UsageTenant>)>, Failure> {
    let Some(usage) = viewer.organization.usage(until).await? else { return Ok(None) };
    let name = viewer.organization.name().await?;
    let head = usage.head(name);
    Ok(Some((head, usage.tenants.try_concat().await?)))
}
