//! Turns one run into a report: finds its tenant and the report to compare with, and stores the result in one
//! transaction.

use std::time::Duration;

use assessments::{Assembled, Earlier, Run, Settings, assemble};
use backon::{ExponentialBuilder, Retryable};
use futures_util::future::try_join;
use model::{Actor, ReportBody, ReportFigures, ReportId};
use store::{NewReport, Organization, PastReport, ReportError, StoredReport, TenantRecord, Writer};

use super::copies::{self, Copy, content_of};
use super::error::ImportError;
use super::imported::{Imported, Outcome};
use super::kept;
use super::options::{BaselineChoice, Options};

/// How far in the future a run may have ended, because clocks differ and time zones can be wrong.
pub(super) const CLOCK_TOLERANCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Number of attempts to write between other imports for the same tenant: each success makes the others start over.
const ATTEMPTS: usize = 60;
/// First wait between attempts: about the duration of one attempt, so concurrent imports spread out.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest wait between attempts: enough for about fifty concurrent imports.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Imports one run.
///
/// # Errors
/// If the run cannot become a report of the tenant, other writers keep changing the tenant, or the store fails.
pub async fn import_run(
    organization: &Organization,
    actor: &Actor,
    run: &Run,
    options: &Options,
) -> Result<Imported, ImportError> {
    if run.completed.is_some_and(|end| end.to_datetime() > options.imported_at.to_datetime() + CLOCK_TOLERANCE) {
        return Err(ImportError::InTheFuture);
    }
    let waits = ExponentialBuilder::default()
        .with_min_delay(FIRST_WAIT)
        .with_max_delay(LONGEST_WAIT)
        .with_max_times(ATTEMPTS)
        .with_jitter();
    let tenant = tenant_of(organization, run, options).await?;
    let id = tenant.service_tenant_id.clone();
    let writer = organization.by(actor, options.imported_at).since(options.began);
    // Only an attempt after the first needs to read the tenant again.
    let mut found = Some(tenant);
    let attempt = || {
        let found = found.take();
        // An import is a large future: on the heap, it takes no room on the stack of each caller.
        Box::pin(async {
            let tenant = match found {
                Some(tenant) => tenant,
                None => writer.tenant(&id).await?.ok_or_else(|| ImportError::NoSuchTenant(id.to_string()))?,
            };
            attempt(&writer, &tenant, run, options).await
        })
    };
    attempt.retry(waits).sleep(organization.timer()).when(ImportError::is_contention).await
}

/// Imports the run for the tenant in the version that was read. Fails with [`ImportError::Busy`] if the tenant has
/// changed since.
async fn attempt(
    writer: &Writer,
    tenant: &TenantRecord,
    run: &Run,
    options: &Options,
) -> Result<Imported, ImportError> {
    let id = ReportId::of_run(writer.id(), &tenant.service_tenant_id, &run.run_id);
    if let Some(report) = writer.report(&id).await? {
        return again(writer, tenant, &report, run, options).await;
    }
    let tool = run.tool.to_string();
    let kept = async { Ok(try_join(writer.kept_edits(&tenant.service_tenant_id), writer.texts(&tool)).await?) };
    let (earlier, (kept, texts)) = try_join(earlier(writer, tenant, run, options), kept).await?;
    let mut report =
        assemble(run, &Settings { lookback_days: options.lookback_days, earlier: earlier.as_ref().map(compared) })?;
    let edits = kept::apply(&mut report.body, &report.revisions, kept, texts);
    let imported = |outcome| Imported::new(outcome, tenant, id.clone(), &report.body, run);
    if options.dry_run {
        return Ok(imported(Outcome::WouldBeAdded));
    }
    let new = NewReport {
        id: &id,
        tenant,
        tool: &tool,
        body: &report.body,
        revisions: &report.revisions,
        content: Some(content_of(run)),
    };
    match writer.add_report_with(new, edits).await {
        Ok(()) => Ok(imported(Outcome::Added)),
        Err(ReportError::Store(error)) => Err(error.into()),
        // If the same run was imported in the meantime, the next attempt returns its report.
        Err(_) => Err(ImportError::Busy),
    }
}

/// Imports a run that already has a report. Another copy of the run replaces it, and its edits are kept.
async fn again(
    writer: &Writer,
    tenant: &TenantRecord,
    stored: &StoredReport,
    run: &Run,
    options: &Options,
) -> Result<Imported, ImportError> {
    let PastReport { id, body: before, .. } = stored.clone().open()?;
    if copies::compare(stored, &before, run)? == Copy::Same {
        return Ok(Imported::new(Outcome::AlreadyThere, tenant, id, &before, run));
    }
    let earlier = match &before.figures.baseline {
        Some(baseline) => writer.report(&baseline.id).await?.map(StoredReport::open).transpose()?,
        None => None,
    };
    let settings = Settings { lookback_days: options.lookback_days, earlier: earlier.as_ref().map(compared) };
    let Assembled { body, revisions } = assemble(run, &settings)?;
    let ReportFigures { report_type, baseline, created_at, completed_at, .. } = before.figures.clone();
    let figures = ReportFigures { report_type, baseline, created_at, completed_at, ..body.figures };
    let mut body = ReportBody { figures, ..body };
    copies::keep_exports(&before, &mut body);
    let edits = copies::keep_edits(&before, &stored.edits, &mut body);
    let imported = |outcome| Imported::new(outcome, tenant, id.clone(), &body, run);
    if options.dry_run {
        return Ok(imported(Outcome::WouldBeReplaced));
    }
    let tool = &stored.summary.tool;
    let content = Some(content_of(run));
    let new = NewReport { id: &id, tenant, tool, body: &body, revisions: &revisions, content };
    match writer.replace_report(stored, new, edits).await {
        Ok(()) => Ok(imported(Outcome::Replaced)),
        Err(ReportError::Store(error)) => Err(error.into()),
        Err(_) => Err(ImportError::Busy),
    }
}

/// Returns the tenant with either identifier.
pub(super) async fn find_tenant(organization: &Organization, reference: &str) -> Result<TenantRecord, ImportError> {
    let tenant = organization.find_tenant(reference).await?;
    tenant.ok_or_else(|| ImportError::NoSuchTenant(reference.to_owned()))
}

/// Returns the tenant that the options name, or else the run's tenant.
async fn tenant_of(organization: &Organization, run: &Run, options: &Options) -> Result<TenantRecord, ImportError> {
    let of_run = run.tenant.as_ref().map(|id| id.as_str());
    let reference = options.tenant.as_deref().or(of_run).ok_or(ImportError::TenantUnnamed)?;
    let tenant = find_tenant(organization, reference).await?;
    match &run.tenant {
        Some(found) if *found != tenant.provider_tenant_id => Err(ImportError::OtherTenant {
            found: found.clone(),
            tenant: tenant.service_tenant_id,
            expected: tenant.provider_tenant_id,
        }),
        _ => Ok(tenant),
    }
}

/// Returns the report to compare with, or `None` if the new report is a baseline.
async fn earlier(
    organization: &Organization,
    tenant: &TenantRecord,
    run: &Run,
    options: &Options,
) -> Result<Option<PastReport>, ImportError> {
    if run.is_part && options.baseline == BaselineChoice::AsBaseline {
        return Err(ImportError::PartAsBaseline);
    }
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
    if report.summary.figures.completed_at >= completed_at {
        return Err(ImportError::BaselineNotEarlier(id));
    }
    Ok(Some(report.open()?))
}

fn compared(report: &PastReport) -> Earlier<'_> {
    Earlier { id: &report.id, body: &report.body, revisions: &report.revisions }
}
