//! The figures of one tenant on one day, and the rules to derive them.

use assessments::{Terms, Usage};
use chrono::{Datelike, NaiveDate};
use model::{BillableStatus, ProviderTenantId, ServiceTenantId, UsageTenant};
use serde::de::{Deserializer, IntoDeserializer};
use serde::{Deserialize, de};
use store::TenantRecord;

use crate::rows;

/// Usage of one tenant, as recorded by people. Either identifier names the tenant.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UsageRow {
    pub(super) service_tenant_id: Option<ServiceTenantId>,
    pub(super) provider_tenant_id: Option<ProviderTenantId>,
    #[serde(deserialize_with = "rows::count")]
    total_licensed_users: u32,
    #[serde(deserialize_with = "rows::count")]
    billable_users_this_month: u32,
    #[serde(deserialize_with = "rows::percentage")]
    prorating_percentage_this_month: f64,
    #[serde(deserialize_with = "rows::day")]
    first_billable_date: NaiveDate,
    #[serde(default, deserialize_with = "status")]
    billable_status: Option<BillableStatus>,
}

/// Figures of a tenant. The rest of its usage follows from the tenant and the day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// Users with at least one licence.
    pub total_licensed_users: u32,
    /// Users that are billed this month; 0 is recorded for a paused tenant.
    pub billable_users_this_month: u32,
    /// Share of the month's days that are billed, 0 to 100.
    pub prorating_percentage_this_month: f64,
    /// First day (UTC) that counts for billing.
    pub first_billable_date: NaiveDate,
    /// Status for billing. If `None`, it follows from the pause and the first billable date.
    pub billable_status: Option<BillableStatus>,
}

impl UsageRow {
    pub(super) fn figures(&self) -> Figures {
        Figures {
            total_licensed_users: self.total_licensed_users,
            billable_users_this_month: self.billable_users_this_month,
            prorating_percentage_this_month: self.prorating_percentage_this_month,
            first_billable_date: self.first_billable_date,
            billable_status: self.billable_status,
        }
    }
}

impl From<Usage> for Figures {
    fn from(usage: Usage) -> Self {
        Self {
            total_licensed_users: usage.total_licensed_users,
            billable_users_this_month: usage.billable_users_this_month,
            prorating_percentage_this_month: usage.prorating_percentage_this_month,
            first_billable_date: usage.first_billable_date,
            billable_status: Some(usage.billable_status),
        }
    }
}

/// Returns the usage of a tenant on a day, with the tenant's current data.
pub fn on_day(tenant: &TenantRecord, as_of: NaiveDate, figures: Figures) -> UsageTenant {
    let derived = match tenant.is_paused {
        true => BillableStatus::Paused,
        false if figures.first_billable_date > as_of => BillableStatus::Trial,
        false => BillableStatus::Active,
    };
    UsageTenant {
        service_tenant_id: tenant.service_tenant_id.clone(),
        provider_tenant_id: tenant.provider_tenant_id.clone(),
        onboarding_date: tenant.onboarding_date.date(),
        display_name: tenant.name.clone(),
        service: tenant.service,
        is_paused: tenant.is_paused,
        first_billable_date: figures.first_billable_date,
        billable_status: figures.billable_status.unwrap_or(derived),
        total_licensed_users: figures.total_licensed_users,
        billable_users_this_month: if tenant.is_paused { 0 } else { figures.billable_users_this_month },
        prorating_percentage_this_month: figures.prorating_percentage_this_month,
    }
}

/// Returns the usage of an earlier day on a later one, with the tenant's current data.
///
/// Figures recorded for a month remain valid for the rest of it as long as the status is the same; otherwise they
/// follow from the licensed users and the terms.
pub(super) fn carried_over(
    row: UsageTenant,
    tenant: &TenantRecord,
    recorded_on: NaiveDate,
    as_of: NaiveDate,
) -> UsageTenant {
    let terms = Terms {
        onboarding_date: row.first_billable_date,
        trial_days: 0,
        is_paused: tenant.is_paused,
        is_not_for_resale: row.billable_status == BillableStatus::NotForResale,
    };
    let now = terms.usage(row.total_licensed_users, as_of);
    let same_month = (recorded_on.year(), recorded_on.month()) == (as_of.year(), as_of.month());
    let figures = match same_month && now.billable_status == row.billable_status {
        true => Figures {
            total_licensed_users: row.total_licensed_users,
            billable_users_this_month: row.billable_users_this_month,
            prorating_percentage_this_month: row.prorating_percentage_this_month,
            first_billable_date: row.first_billable_date,
            billable_status: Some(row.billable_status),
        },
        false => now.into(),
    };
    on_day(tenant, as_of, figures)
}

fn status<'de, D: Deserializer<'de>>(field: D) -> Result<Option<BillableStatus>, D::Error> {
    let parse = |text: &str| {
        let name: de::value::StrDeserializer<'_, de::value::Error> = text.into_deserializer();
        model::chosen(name).ok()
    };
    rows::parsed(field, "must be Trial, Active, Paused or NFR", parse).map(Some)
}
