//! `posture usage`: usage of an organization's tenants, a day at a time.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use anyhow::Context;
use assessments::{TRIAL_DAYS, Terms, Usage};
use chrono::{Datelike, NaiveDate};
use clap::{Args, Subcommand};
use model::{BillableStatus, ProviderTenantId, ServiceTenantId, UsageTenant};
use serde::Serialize;
use store::{Organization, TenantRecord};

use crate::arguments::{OfOrganization, now, past_day};
use crate::command::Run;
use crate::connection::Session;
use crate::exit::Exit;
use crate::files::directory_of;
use crate::records::{self, Record, RecordError};
use crate::tenant;

const FILES: &str = "\
Each file is a CSV table with a header line, or a JSON list of objects, one row per tenant, with these fields:
  serviceTenantId or providerTenantId
  totalLicensedUsers
  billableUsersThisMonth        0 is recorded for a paused tenant
  proratingPercentageThisMonth  0 to 100
  firstBillableDate             YYYY-MM-DD
  billableStatus                Trial, Active, Paused or NFR; without it, it follows from the pause and the date
Tenants that are in no file are not in the snapshot. If one row is wrong, nothing is recorded.";

const FIELDS: [&str; 7] = [
    "serviceTenantId",
    "providerTenantId",
    "totalLicensedUsers",
    "billableUsersThisMonth",
    "proratingPercentageThisMonth",
    "firstBillableDate",
    "billableStatus",
];

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Record the usage of a day, in place of what was recorded for it
    #[command(after_help = FILES)]
    Record(Recording),
}

#[derive(Debug, Args)]
pub(crate) struct Recording {
    #[command(flatten)]
    organization: OfOrganization,
    /// The day, YYYY-MM-DD [default: today, UTC]
    #[arg(long, value_name = "DATE", value_parser = past_day)]
    date: Option<NaiveDate>,
    /// Files that hold the usage of all tenants together
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    // The last, since what follows it would stand under its heading.
    #[command(flatten)]
    exports: FromExports,
}

/// One tenant's usage from the exports of its directory; that of the others is carried over from the newest day.
#[derive(Debug, Args)]
#[command(next_help_heading = "From the exports of one tenant's directory")]
struct FromExports {
    /// The files, and folders of them, are exports as Graph returns them, all pages of `users`; the other tenants' usage
    /// is carried over from the newest recorded day
    #[arg(long, requires = "tenant")]
    from_exports: bool,
    /// The tenant, by its service identifier or its provider identifier
    #[arg(long, requires = "from_exports")]
    tenant: Option<String>,
    /// Days that the tenant is not billed for after it was added
    #[arg(long, value_name = "DAYS", default_value_t = TRIAL_DAYS, requires = "from_exports")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=3650))]
    trial_days: u32,
    /// The tenant is not for resale, and never billed
    #[arg(long, requires = "from_exports")]
    not_for_resale: bool,
}

/// What was recorded.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    as_of: NaiveDate,
    tenants: usize,
    /// Tenants of the organization that are not in the snapshot.
    missing: Vec<ServiceTenantId>,
}

/// A tenant's figures, before the rest is filled in from the tenant.
pub(crate) struct Figures {
    pub(crate) total_licensed_users: u32,
    pub(crate) billable_users_this_month: u32,
    pub(crate) prorating_percentage_this_month: f64,
    pub(crate) first_billable_date: NaiveDate,
    pub(crate) billable_status: Option<BillableStatus>,
}

impl Run for Command {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let Self::Record(Recording { organization, date, exports, files }) = self;
        let organization = session.organization(&organization.id).await?;
        let as_of = date.unwrap_or_else(|| now().date());
        let tenants = Tenants::new(tenant::all(&organization).await?);
        let rows = match &exports.tenant {
            Some(reference) => {
                let tenant = tenant::find(&organization, reference).await?;
                let usage = exports.usage(&tenant, &files, as_of)?;
                record_beside(&organization, &tenants, as_of, usage).await?
            }
            None => {
                let rows = read(&files, &tenants, as_of)?;
                record(&organization, as_of, &rows).await?;
                rows
            }
        };
        let recorded = Recorded { as_of, tenants: rows.len(), missing: tenants.missing(&rows) };
        session.output.show(&recorded, told)?;
        Ok(Exit::Done)
    }
}

impl FromExports {
    /// The tenant's usage, as its exports and its terms tell it.
    fn usage(&self, tenant: &TenantRecord, files: &[PathBuf], as_of: NaiveDate) -> anyhow::Result<UsageTenant> {
        let terms = Terms {
            onboarding_date: tenant.onboarding_date.date(),
            trial_days: self.trial_days,
            is_paused: tenant.is_paused,
            is_not_for_resale: self.not_for_resale,
        };
        let usage = directory_of(tenant, files)?.usage(&terms, as_of).context("the usage is not recorded")?;
        Ok(usage_of(tenant, as_of, usage.into()))
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

/// Records one tenant's usage beside that of the others as it was recorded last: of the same day as it stands, of an
/// earlier one carried over, but for tenants that were removed since.
async fn record_beside(
    organization: &Organization,
    tenants: &Tenants,
    as_of: NaiveDate,
    usage: UsageTenant,
) -> anyhow::Result<Vec<UsageTenant>> {
    let beside = |recorded_on, rows: Vec<UsageTenant>| {
        let others = rows.into_iter().filter(|row| row.service_tenant_id != usage.service_tenant_id);
        let others = others.filter_map(|row| match recorded_on == as_of {
            true => Some(row),
            false => {
                tenants.by_id.get(&row.service_tenant_id).map(|tenant| carried_over(row, tenant, recorded_on, as_of))
            }
        });
        others.chain([usage.clone()]).collect()
    };
    organization.continue_usage(as_of, now(), beside).await.context("the usage is not recorded")
}

/// A tenant's usage of an earlier day on a later one, with the tenant as it is now. What was recorded for the month
/// stays for the rest of it as long as the status does; else it follows from the licensed users and the terms.
fn carried_over(row: UsageTenant, tenant: &TenantRecord, recorded_on: NaiveDate, as_of: NaiveDate) -> UsageTenant {
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
    usage_of(tenant, as_of, figures)
}

/// Records the usage of a day.
pub(crate) async fn record(organization: &Organization, as_of: NaiveDate, rows: &[UsageTenant]) -> anyhow::Result<()> {
    organization.record_usage(as_of, now(), rows).await.context("the usage is not recorded")
}

/// A tenant's usage on a day.
pub(crate) fn usage_of(tenant: &TenantRecord, as_of: NaiveDate, figures: Figures) -> UsageTenant {
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

/// The organization's tenants, by either identifier.
struct Tenants {
    by_id: HashMap<ServiceTenantId, TenantRecord>,
    ids: HashMap<ProviderTenantId, ServiceTenantId>,
}

impl Tenants {
    fn new(tenants: Vec<TenantRecord>) -> Self {
        let ids = tenants.iter().map(|tenant| (tenant.provider_tenant_id.clone(), tenant.service_tenant_id.clone()));
        let ids = ids.collect();
        Self { by_id: tenants.into_iter().map(|tenant| (tenant.service_tenant_id.clone(), tenant)).collect(), ids }
    }

    /// The tenant of a row. Where the row has both identifiers, they have to agree.
    fn of(&self, row: &Record) -> Result<&TenantRecord, RecordError> {
        const NOT_A_TENANT: &str = "is none of the organization's tenants";
        let service_id: Option<ServiceTenantId> = row.optional_id("serviceTenantId")?;
        let provider_id: Option<ProviderTenantId> = row.optional_id("providerTenantId")?;
        let by_provider = match &provider_id {
            Some(id) => Some(self.ids.get(id).ok_or_else(|| row.error("providerTenantId", NOT_A_TENANT))?),
            None => None,
        };
        let id = match (&service_id, by_provider) {
            (None, None) => return Err(row.error("serviceTenantId", "is missing, and so is providerTenantId")),
            (Some(a), Some(b)) if a != b => {
                return Err(row.error("providerTenantId", "is another tenant's than serviceTenantId"));
            }
            (Some(id), _) | (None, Some(id)) => id,
        };
        self.by_id.get(id).ok_or_else(|| row.error("serviceTenantId", NOT_A_TENANT))
    }

    fn missing(&self, rows: &[UsageTenant]) -> Vec<ServiceTenantId> {
        let recorded: HashSet<_> = rows.iter().map(|row| &row.service_tenant_id).collect();
        let mut missing: Vec<_> = self.by_id.keys().filter(|id| !recorded.contains(id)).cloned().collect();
        missing.sort();
        missing
    }
}

fn read(files: &[PathBuf], tenants: &Tenants, as_of: NaiveDate) -> Result<Vec<UsageTenant>, RecordError> {
    let mut ids = HashSet::new();
    let rows = records::read(files, &FIELDS)?;
    let usage = rows.iter().map(|row| {
        let tenant = tenants.of(row)?;
        if !ids.insert(&tenant.service_tenant_id) {
            return Err(row.error("serviceTenantId", "is there twice"));
        }
        Ok(usage_of(tenant, as_of, figures(row)?))
    });
    usage.collect()
}

fn figures(row: &Record) -> Result<Figures, RecordError> {
    Ok(Figures {
        total_licensed_users: row.count("totalLicensedUsers")?,
        billable_users_this_month: row.count("billableUsersThisMonth")?,
        prorating_percentage_this_month: row.percentage("proratingPercentageThisMonth")?,
        first_billable_date: row.day("firstBillableDate")?,
        billable_status: row.optional_name("billableStatus", "must be Trial, Active, Paused or NFR")?,
    })
}

fn told(recorded: &Recorded) -> String {
    let text = format!("Recorded the usage of {} tenants on {}.", recorded.tenants, recorded.as_of);
    match recorded.missing.as_slice() {
        [] => text,
        missing => {
            let ids: Vec<_> = missing.iter().map(ServiceTenantId::as_str).collect();
            format!("{text}\nNot in the snapshot: {}", ids.join(", "))
        }
    }
}
