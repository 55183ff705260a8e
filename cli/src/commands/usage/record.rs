//! `posture usage record`.

use std::path::PathBuf;

use anyhow::Context;
use assessments::TRIAL_DAYS;
use chrono::NaiveDate;
use clap::Args;
use model::{Actor, ServiceTenantId, counted};
use operations::usage::{self, BillingTerms, RecordedUsage};
use operations::{exports, rows};
use store::Organization;

use crate::arguments::{OfOrganization, now, past_day};
use crate::connection::Session;
use crate::exit::Exit;
use crate::files;
use crate::lookup;
use crate::run::Run;

pub(super) const FILES: &str = "\
Each file is a CSV table with a header line, or a JSON list of objects, one row per tenant, with these fields:
  serviceTenantId or providerTenantId
  totalLicensedUsers
  billableUsersThisMonth        0 is recorded for a paused tenant
  proratingPercentageThisMonth  0 to 100
  firstBillableDate             YYYY-MM-DD
  billableStatus                Trial, Active, Paused or NFR; if missing, it follows from the pause and the date
Tenants that are in no file are not in the snapshot. If one row is wrong, nothing is recorded.";

#[derive(Debug, Args)]
pub(crate) struct Recording {
    #[command(flatten)]
    organization: OfOrganization,
    /// The day, YYYY-MM-DD [default: today, UTC]
    #[arg(long, value_name = "DATE", value_parser = past_day)]
    date: Option<NaiveDate>,
    /// Files that together contain the usage of all tenants
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    // Last, because its heading also applies to the options after it.
    #[command(flatten)]
    exports: FromExports,
}

/// The usage of one tenant from the exports of its directory; the others' is carried over from the newest recorded day.
#[derive(Debug, Args)]
#[command(next_help_heading = "From the exports of one tenant's directory")]
struct FromExports {
    /// Read the files, and folders of them, as exports from Microsoft Graph, with all pages of `users`; the other
    /// tenants' usage is carried over from the newest recorded day
    #[arg(long, requires = "tenant")]
    from_exports: bool,
    /// The tenant, by its identifier, its provider identifier or its name
    #[arg(long, requires = "from_exports")]
    tenant: Option<String>,
    /// Length of the trial in days, during which the tenant is not billed
    #[arg(long, value_name = "DAYS", default_value_t = TRIAL_DAYS, requires = "from_exports")]
    #[arg(value_parser = clap::value_parser!(u32).range(0..=3650))]
    trial_days: u32,
    /// Mark the tenant as not for resale, so it is never billed
    #[arg(long, requires = "from_exports")]
    not_for_resale: bool,
    /// Record an empty list of users; by default it is refused, because its export may have failed
    #[arg(long, requires = "from_exports")]
    allow_empty: bool,
}

impl Run for Recording {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        let organization = session.organization(&self.organization.id).await?;
        let recorded = self.record(&organization).await.context("the usage was not recorded")?;
        session.output.show(&recorded, readable)?;
        Ok(Exit::Done)
    }
}

impl Recording {
    async fn record(self, organization: &Organization) -> anyhow::Result<RecordedUsage> {
        let Self { date, exports, files, .. } = self;
        let actor = Actor::operator();
        let now = now();
        let as_of = date.unwrap_or_else(|| now.date());
        let Some(tenant) = exports.tenant else {
            let rows = rows::read(files::contents(&files)?)?;
            return Ok(usage::record(organization, &actor, as_of, rows, now).await?);
        };
        let tenant = lookup::tenant(organization, &tenant).await?;
        let mut directory = exports::directory_of(&tenant, files::inputs(&files))?;
        if exports.allow_empty {
            directory.allow_no_users();
        }
        let terms = BillingTerms { trial_days: exports.trial_days, is_not_for_resale: exports.not_for_resale };
        let of_tenant = (&tenant, &directory);
        usage::record_from_exports(organization, &actor, as_of, of_tenant, terms, now).await?;
        Ok(usage::recorded(organization, as_of).await?)
    }
}

fn readable(recorded: &RecordedUsage) -> String {
    let text = format!("Recorded the usage of {} on {}.", counted(recorded.tenants, "tenant"), recorded.as_of);
    match recorded.missing.as_slice() {
        [] => text,
        missing => {
            let ids: Vec<_> = missing.iter().map(ServiceTenantId::as_str).collect();
            format!("{text}\nNot in the snapshot: {}", ids.join(", "))
        }
    }
}
