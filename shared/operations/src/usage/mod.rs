//! Usage of an organization's tenants, recorded per day.

mod figures;
mod tenants;

use std::collections::HashSet;

use assessments::{Directory, LicensesUnknown, TRIAL_DAYS, Terms};
use chrono::NaiveDate;
use futures_util::TryStreamExt;
use model::{Actor, BillableStatus, ServiceTenantId, Timestamp, UsageTenant};
use serde::Serialize;
use store::{Organization, StoreError, TenantError, TenantRecord};

use crate::exports::ExportsError;
use crate::rows::{Placed, RowError};

pub use figures::{Figures, UsageRow, on_day};

use figures::carried_over;
use tenants::Tenants;

/// The usage that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedUsage {
    /// The day (UTC).
    pub as_of: NaiveDate,
    /// Number of tenants in the snapshot.
    pub tenants: usize,
    /// Tenants of the organization that are not in the snapshot, in order.
    pub missing: Vec<ServiceTenantId>,
}

/// Terms of one tenant that are not part of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillingTerms {
    /// Number of days after it was added for which the tenant is not billed; [`assessments::TRIAL_DAYS`] by default.
    pub trial_days: u32,
    /// Whether the tenant is not for resale and therefore never billed.
    pub is_not_for_resale: bool,
}

impl BillingTerms {
    /// Returns the terms under which a tenant's usage was recorded last, or else the usual ones.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn recorded(
        organization: &Organization,
        tenant: &TenantRecord,
        until: NaiveDate,
    ) -> Result<Self, StoreError> {
        let row = organization.usage_of_tenant(until, &tenant.service_tenant_id).await?;
        let terms = row.map(|row| Self {
            trial_days: u32::try_from((row.first_billable_date - row.onboarding_date).num_days()).unwrap_or(TRIAL_DAYS),
            is_not_for_resale: row.billable_status == BillableStatus::NotForResale,
        });
        Ok(terms.unwrap_or(Self { trial_days: TRIAL_DAYS, is_not_for_resale: false }))
    }
}

/// Why usage was not recorded. The previous recording remains.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// A file or a row is malformed.
    #[error("{0}")]
    Row(#[from] RowError),
    /// The files are not the exports of the tenant.
    #[error("{0}")]
    Exports(#[from] ExportsError),
    /// The exports do not contain the licences.
    #[error("{0}")]
    Licenses(#[from] LicensesUnknown),
    /// The tenant was removed meanwhile.
    #[error("{0}")]
    Tenant(TenantError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

/// Records the usage of a day from rows that people maintain, and replaces an earlier recording of it.
///
/// # Errors
/// If a row does not name a tenant of the organization, two rows name the same tenant, or the store fails.
pub async fn record(
    organization: &Organization,
    actor: &Actor,
    as_of: NaiveDate,
    rows: Vec<Placed<UsageRow>>,
    recorded_at: Timestamp,
) -> Result<RecordedUsage, UsageError> {
    let tenants = Tenants::of(organization).await?;
    let mut seen = HashSet::new();
    let mut usage = Vec::with_capacity(rows.len());
    for row in &rows {
        let tenant = tenants.named_by(row)?;
        if !seen.insert(&tenant.service_tenant_id) {
            return Err(row.error("serviceTenantId", "occurs twice").into());
        }
        usage.push(on_day(tenant, as_of, row.row.figures()));
    }
    organization.by(actor, recorded_at).record_usage(as_of, &usage).await?;
    Ok(RecordedUsage { as_of, tenants: usage.len(), missing: tenants.missing_from(&usage) })
}

/// Records the usage of one tenant from the exports of its directory.
///
/// The first recording of a day carries the usage of the other tenants over from the newest recorded day, for those that
/// still exist. Each further one writes one row.
///
/// # Errors
/// If the exports do not contain the licences, or the store fails.
pub async fn record_from_exports(
    organization: &Organization,
    actor: &Actor,
    as_of: NaiveDate,
    (tenant, directory): (&TenantRecord, &Directory),
    terms: BillingTerms,
    recorded_at: Timestamp,
) -> Result<(), UsageError> {
    let terms = Terms {
        onboarding_date: tenant.onboarding_date.date(),
        trial_days: terms.trial_days,
        is_paused: tenant.is_paused,
        is_not_for_resale: terms.is_not_for_resale,
    };
    let usage = on_day(tenant, as_of, directory.usage(&terms, as_of)?.into());
    let writer = organization.by(actor, recorded_at);
    match writer.record_usage_of_tenant(as_of, &usage).await {
        Ok(true) => return Ok(()),
        Ok(false) => {}
        Err(TenantError::Store(error)) => return Err(error.into()),
        Err(error) => return Err(UsageError::Tenant(error)),
    }
    let tenants = Tenants::of(organization).await?;
    let beside_others = |recorded_on, rows: Vec<UsageTenant>| {
        let others = rows.into_iter().filter(|row| row.service_tenant_id != usage.service_tenant_id);
        let others = others.filter_map(|row| match recorded_on == as_of {
            true => Some(row),
            false => tenants.get(&row.service_tenant_id).map(|now| carried_over(row, now, recorded_on, as_of)),
        });
        others.chain([usage.clone()]).collect()
    };
    Ok(writer.continue_usage(as_of, beside_others).await.map(drop)?)
}

/// Returns which tenants are in the usage that is recorded for a day.
///
/// # Errors
/// If the store fails.
pub async fn recorded(organization: &Organization, as_of: NaiveDate) -> Result<RecordedUsage, StoreError> {
    let usage = organization.usage(as_of).await?.filter(|usage| usage.as_of == as_of);
    let rows: Vec<_> = match usage {
        Some(usage) => usage.tenants.try_concat().await?,
        None => Vec::new(),
    };
    let tenants = Tenants::of(organization).await?;
    Ok(RecordedUsage { as_of, tenants: rows.len(), missing: tenants.missing_from(&rows) })
}
