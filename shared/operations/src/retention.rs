//! Retention: which reports are kept, and the deletion of the others.
//!
//! Every report of the current month and of a number of months before it is kept, then one a month: the last of each tool.
//! Also kept are baselines, edited reports, the newest of each tool, and reports that another one compares with.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::str::FromStr;

use chrono::{Datelike, Months, NaiveDate};
use model::{Admin, ReportId, ReportType, Timestamp};
use store::{Organization, ReportError, ReportSummary, Selection, StoreError, TenantRecord};

use crate::import::{ImportResult, Outcome};

/// Largest number of reports of a tenant that are considered.
const MOST: usize = 1_000_000;
/// Largest number of reports of a tenant that one import deletes. The next one goes on.
const MOST_PER_IMPORT: usize = 20;

/// The time for which reports are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retention {
    /// For ever.
    #[default]
    All,
    /// Every report for this number of months, then one a month.
    Months(NonZeroU32),
}

impl Retention {
    /// Returns the retention that `KEEP_MONTHS` of a function's environment says. 0, or no such variable, keeps all.
    pub fn from_env() -> Self {
        std::env::var("KEEP_MONTHS").ok().and_then(|months| months.parse().ok()).unwrap_or_default()
    }
}

impl FromStr for Retention {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(NonZeroU32::new(text.parse()?).map_or(Self::All, Self::Months))
    }
}

/// Returns the reports of a tenant that are no longer kept, oldest first.
///
/// # Errors
/// If the store fails.
pub async fn outdated(
    organization: &Organization,
    tenant: TenantRecord,
    retention: Retention,
    now: Timestamp,
) -> Result<Vec<ReportSummary>, StoreError> {
    let Retention::Months(months) = retention else { return Ok(Vec::new()) };
    let history = organization.select(Selection::history(MOST).of(tenant)).listed().await?;
    let history: Vec<_> = history.into_iter().map(|listed| listed.summary).collect();
    let outdated = of_history(&history, first_day_kept(now, months));
    Ok(outdated.into_iter().rev().cloned().collect())
}

/// Deletes outdated reports, up to 20 of each tenant that an import has added reports to.
///
/// The import is complete without it: the next one deletes whatever is left, also after a failure.
pub async fn prune_after(organization: &Organization, imported: &ImportResult, retention: Retention, now: Timestamp) {
    if let Err(error) = prune(organization, imported, retention, now).await {
        tracing::warn!(%error, "old reports were not deleted");
    }
}

async fn prune(
    organization: &Organization,
    imported: &ImportResult,
    retention: Retention,
    now: Timestamp,
) -> Result<(), ReportError> {
    let added = imported.reports.iter().map(|report| &report.imported);
    let added = added.filter(|report| retention != Retention::All && report.outcome == Outcome::Added);
    let tenants: BTreeSet<_> = added.map(|report| &report.service_tenant_id).collect();
    for id in tenants {
        let Some(tenant) = organization.tenant(id).await? else { continue };
        for report in outdated(organization, tenant, retention, now).await?.into_iter().take(MOST_PER_IMPORT) {
            delete(organization, &report.report_id, now).await?;
        }
    }
    Ok(())
}

/// Deletes a report as the operator, who chose the retention. Returns false if somebody else was faster.
///
/// # Errors
/// If the store fails.
pub async fn delete(organization: &Organization, id: &ReportId, now: Timestamp) -> Result<bool, ReportError> {
    match organization.by_admin(&Admin::operator(), now).delete_report(id).await {
        Ok(()) => Ok(true),
        Err(ReportError::NotFound(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the first day of which every report is kept: a month is thinned as a whole.
fn first_day_kept(now: Timestamp, months: NonZeroU32) -> NaiveDate {
    let date = now.date();
    let first = date.with_day(1).and_then(|first| first.checked_sub_months(Months::new(months.get())));
    first.unwrap_or(NaiveDate::MIN)
}

/// Returns those reports of a history, which is newest first, that are no longer kept.
fn of_history(history: &[ReportSummary], first_day: NaiveDate) -> Vec<&ReportSummary> {
    let compared: BTreeSet<_> =
        history.iter().filter_map(|report| Some(&report.figures.baseline.as_ref()?.id)).collect();
    let mut last_months = BTreeMap::new();
    let is_outdated = |report: &&ReportSummary| {
        let day = report.figures.completed_at.date();
        let month = (day.year(), day.month());
        // The first of a tool, and the first of each month of it, is the newest.
        let is_last = last_months.insert(report.tool.clone(), month) != Some(month);
        let is_kept = is_last
            || day >= first_day
            || report.revision > 0
            || report.figures.report_type != ReportType::FollowUp
            || compared.contains(&report.report_id);
        !is_kept
    };
    history.iter().filter(is_outdated).collect()
}
