//! Results of assessment tools become reports of an organization's tenants.
//!
//! Files become runs by [`assessments::read`] and [`assessments::combine`]; [`import`] takes one run through to its
//! report: the tenant it is of, the report it compares with, and the store, whole or not at all. The same run makes the
//! same report, however often it is imported.

mod error;
mod imported;

use std::time::Duration;

use assessments::{Earlier, Run, Settings, assemble};
use backon::{ExponentialBuilder, Retryable};
use model::{ReportId, ServiceTenantId, Timestamp};
use store::{NewReport, Organization, PastReport, ReportError, TenantRecord};

pub use error::ImportError;
pub use imported::{Imported, Outcome};

/// Ends the name of a result that an import from a bucket writes beside a file, so that none is taken for a file.
pub const RESULT_SUFFIX: &str = ".import.json";

/// How a run is imported.
#[derive(Debug, Clone)]
pub struct Options {
    /// Service or provider identifier of the tenant. None for the tenant that the run names.
    pub tenant: Option<String>,
    /// What the report compares with.
    pub baseline: BaselineChoice,
    /// Window of activity in days, when the operator names it.
    pub lookback_days: Option<u32>,
    /// When the run is imported; stands in for the run's own times where the file does not tell them.
    pub imported_at: Timestamp,
    /// Does everything but write.
    pub dry_run: bool,
}

/// What a report compares with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaselineChoice {
    /// The tenant's newest baseline report of the same tool at or before the run; without one, the report is itself a
    /// baseline.
    Newest,
    /// A certain report of the same tenant and tool that completed before the run.
    Report(ReportId),
    /// Nothing: the report is a baseline.
    AsBaseline,
}

/// How far ahead of this clock a run may have ended, for clocks that differ and zones that were mistaken.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Attempts to come through between other imports for the same tenant: many may run at once, and each success makes
/// the others start over.
const ATTEMPTS: usize = 60;
/// First wait between attempts, about as long as an attempt takes, so that many do not meet at every turn.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest wait: with it, attempts of some fifty imports at once mostly miss each other.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Imports one run.
///
/// # Errors
/// When the run cannot become a report of the tenant, the tenant is changed by others all the time, or the store fails.
pub async fn import(organization: &Organization, run: &Run, options: &Options) -> Result<Imported, ImportError> {
    if run.completed.is_some_and(|end| end.to_datetime() > options.imported_at.to_datetime() + CLOCK_TOLERANCE) {
        return Err(ImportError::InTheFuture);
    }
    let waits = ExponentialBuilder::default()
        .with_min_delay(FIRST_WAIT)
        .with_max_delay(LONGEST_WAIT)
        .with_max_times(ATTEMPTS)
        .with_jitter();
    let tenant = tenant_of(organization, run, options).await?;
    let attempt = || attempt(organization, &tenant, run, options);
    attempt.retry(waits).when(ImportError::is_contention).await
}

/// Puts the runs of a set of files in the order to import them in: a follow-up needs its baseline first. A run that does
/// not tell its time counts as one of the time of import.
pub fn oldest_first(runs: &mut [Run], imported_at: Timestamp) {
    runs.sort_by_key(|run| run.completed.unwrap_or(imported_at));
}

/// A run as it is told apart from others of the same files: by its tool and the time that it ended.
pub fn label(run: &Run) -> String {
    let time = run.completed.map(|time| format!(" of {time}")).unwrap_or_default();
    format!("{} run{time}", run.tool)
}

/// One attempt on the tenant as it is now. [`ImportError::Busy`] when it changed before the report was added.
async fn attempt(
    organization: &Organization,
    tenant: &ServiceTenantId,
    run: &Run,
    options: &Options,
) -> Result<Imported, ImportError> {
    let tenant = organization.tenant(tenant).await?.ok_or_else(|| ImportError::NoSuchTenant(tenant.to_string()))?;
    let id = ReportId::of_run(organization.id(), &tenant.service_tenant_id, &run.run_id);
    if let Some(report) = organization.report(&id).await? {
        return Ok(Imported::new(Outcome::AlreadyThere, &tenant, id, &report.open()?.body, run));
    }
    let earlier = earlier(organization, &tenant, run, options).await?;
    let report =
        assemble(run, &Settings { lookback_days: options.lookback_days, earlier: earlier.as_ref().map(compared) })?;
    let imported = |outcome| Imported::new(outcome, &tenant, id.clone(), &report.body, run);
    if options.dry_run {
        return Ok(imported(Outcome::WouldBeAdded));
    }
    let tool = run.tool.to_string();
    let new = NewReport {
        id: &id,
        tenant: &tenant,
        tool: &tool,
        body: &report.body,
        revisions: &report.revisions,
        added_at: options.imported_at,
    };
    match organization.add_report(new).await {
        Ok(()) => Ok(imported(Outcome::Added)),
        // The same run was imported in the meantime: the next attempt returns what its report says.
        Err(ReportError::Exists | ReportError::TenantChanged) => Err(ImportError::Busy),
        Err(ReportError::Store(error)) => Err(error.into()),
    }
}

/// The tenant that the options name, or else the one that the run is of.
async fn tenant_of(organization: &Organization, run: &Run, options: &Options) -> Result<ServiceTenantId, ImportError> {
    let of_run = run.tenant.as_ref().map(|id| id.as_str());
    let reference = options.tenant.as_deref().or(of_run).ok_or(ImportError::TenantUnnamed)?;
    let tenant = organization.find_tenant(reference).await?;
    let tenant = tenant.ok_or_else(|| ImportError::NoSuchTenant(reference.to_owned()))?;
    match &run.tenant {
        Some(found) if *found != tenant.provider_tenant_id => Err(ImportError::OtherTenant {
            found: found.clone(),
            tenant: tenant.service_tenant_id,
            expected: tenant.provider_tenant_id,
        }),
        _ => Ok(tenant.service_tenant_id),
    }
}

/// The report that the run's own compares with; none makes it a baseline.
async fn earlier(
    organization: &Organization,
    tenant: &TenantRecord,
    run: &Run,
    options: &Options,
) -> Result<Option<PastReport>, ImportError> {
    let completed_at = run.completed.unwrap_or(options.imported_at);
    let tool = run.tool.to_string();
    let id = match &options.baseline {
        BaselineChoice::AsBaseline => return Ok(None),
        BaselineChoice::Newest => {
            return Ok(organization.baseline(&tenant.service_tenant_id, &tool, completed_at).await?);
        }
        BaselineChoice::Report(id) => id.clone(),
    };
    let Some(report) = organization.report(&id).await? else { return Err(ImportError::NoSuchBaseline(id)) };
    if report.summary.service_tenant_id != tenant.service_tenant_id {
        return Err(ImportError::BaselineOfOtherTenant(id));
    }
    if report.summary.tool != tool {
        return Err(ImportError::BaselineOfOtherTool { id, tool: report.summary.tool });
    }
    if report.summary.completed_at >= completed_at {
        return Err(ImportError::BaselineNotEarlier(id));
    }
    Ok(Some(report.open()?))
}

fn compared(report: &PastReport) -> Earlier<'_> {
    Earlier { id: &report.id, body: &report.body, revisions: &report.revisions }
}
