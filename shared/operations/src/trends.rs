//! The trend of an organization: the figures of each week, made after its end from the summaries of reports.
//!
//! Scores come from histories and not from the week's item before, so a week that nobody made in time is made later, from
//! the same reports. The controls that were found fixed come from events, which are kept for 90 days: in an older week,
//! or one before there were events, they are not known.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::TimeDelta;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use model::{Coverage, ServiceTenantId, Timestamp, Week};
use store::{Fix, Fixed, Moved, Organization, ReportSummary, StoreError, TenantRecord, ToolTrend, WeekTrend, Writer};

/// Most weeks that are made at once: those before stay a gap.
const MOST_WEEKS: u32 = 52;
/// Most tenants that a week names for a tool.
const MOST_MOVED: usize = 10;
/// The age from which events may be deleted.
const EVENTS: TimeDelta = TimeDelta::days(90);
/// Number of histories that are read concurrently.
const AT_ONCE: usize = 32;

/// The reports of a tool of a tenant that the weeks need, newest first.
struct Line {
    tenant: ServiceTenantId,
    name: String,
    tool: String,
    reports: Vec<ReportSummary>,
}

/// Adds the trends of all weeks that have ended, from one on, and returns the first week without a trend: none before the
/// first report. Of weeks in which no tenant had a report, there are none. May be stopped at any time, and run by several at once.
///
/// # Errors
/// If the store fails, or a tenant was removed meanwhile.
pub(crate) async fn follow(
    writer: &Writer,
    from: Option<Week>,
    tenants: &[TenantRecord],
    now: Timestamp,
) -> Result<Option<Week>, StoreError> {
    let current = Week::of(now);
    let earliest = current.back(MOST_WEEKS);
    let first = from.map_or(earliest, |from| from.max(earliest));
    if first >= current || tenants.iter().all(|tenant| tenant.latest.is_none()) {
        return Ok(from);
    }
    let lines = lines(writer, tenants, (first, current)).await?;
    // The oldest event tells since when there are any.
    let known_from = (now.to_datetime() - EVENTS).try_into().ok().zip(writer.first_event_at().await?);
    let is_known = |week: &Week| {
        known_from.is_some_and(|(kept, since): (Timestamp, _)| week.begins() >= kept && week.ends() > since)
    };
    let fixes = match first.until(current).find(is_known) {
        Some(week) => writer.fixes(week.begins(), current.begins()).await?,
        None => Vec::new(),
    };
    let counted: HashSet<_> = lines.iter().map(|line| (&line.tenant, &line.tool)).collect();
    let fixes: Vec<_> =
        fixes.into_iter().filter(|fix| counted.contains(&(&fix.service_tenant_id, &fix.tool))).collect();
    for week in first.until(current) {
        let fixes = is_known(&week).then_some(&*fixes);
        let tools = of_week(week, &lines, fixes);
        if !tools.is_empty() {
            writer.add_trend(&WeekTrend { week, tools, version: 0 }).await?;
        }
    }
    Ok(Some(current))
}

/// Reads the reports that the scores at the ends of weeks come from, those of paused tenants left out.
async fn lines(
    organization: &Organization,
    tenants: &[TenantRecord],
    (first, current): (Week, Week),
) -> Result<Vec<Line>, StoreError> {
    let active = tenants.iter().filter(|tenant| !tenant.is_paused);
    let mut newest: HashMap<_, Vec<ReportSummary>> = HashMap::new();
    for report in organization.newest_of_tools().await? {
        newest.entry(report.service_tenant_id.clone()).or_default().push(report);
    }
    let reads = active.filter_map(|tenant| {
        let newest = newest.remove(&tenant.service_tenant_id)?;
        Some(of_tenant(organization, tenant, newest, (first.begins(), current.begins())).boxed())
    });
    stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(AT_ONCE).try_concat().await
}

/// Returns the reports of a tenant before a moment, as far back as the last ones before another. Reads its history only if
/// one of its newest reports is not older.
async fn of_tenant(
    organization: &Organization,
    tenant: &TenantRecord,
    newest: Vec<ReportSummary>,
    (from, until): (Timestamp, Timestamp),
) -> Result<Vec<Line>, StoreError> {
    let is_older = |report: &ReportSummary| report.figures.completed_at < from;
    let mut lines: Vec<_> = newest
        .into_iter()
        .map(|report| Line {
            tenant: tenant.service_tenant_id.clone(),
            name: tenant.name.clone(),
            tool: report.tool.clone(),
            reports: Some(report).filter(is_older).into_iter().collect(),
        })
        .collect();
    let is_complete = |line: &Line| line.reports.last().is_some_and(is_older);
    let mut pages = Box::pin(organization.reports_before(&tenant.service_tenant_id, until));
    while !lines.iter().all(is_complete) {
        let Some(page) = pages.try_next().await? else { break };
        for report in page {
            if let Some(line) = lines.iter_mut().find(|line| line.tool == report.tool && !is_complete(line)) {
                line.reports.push(report);
            }
        }
    }
    Ok(lines)
}

impl Line {
    /// Returns the newest report before a moment.
    fn at(&self, moment: Timestamp) -> Option<&ReportSummary> {
        self.reports.iter().find(|report| report.figures.completed_at < moment)
    }

    /// Returns how the score changed in a week; `None` if it did not, or nothing compares with it: a rise by loss is no
    /// rise.
    fn moved(&self, week: Week) -> Option<Moved> {
        let [before, after] = [week.begins(), week.ends()].map(|moment| self.at(moment));
        let [before, after] = [&before?.figures, &after?.figures];
        let is_comparable = after.coverage.as_ref().is_none_or(Coverage::is_comparable);
        let (before, after) = (before.score, after.score);
        let (service_tenant_id, tenant_name) = (self.tenant.clone(), self.name.clone());
        (is_comparable && before != after).then_some(Moved { service_tenant_id, tenant_name, before, after })
    }
}

/// Returns the figures of a week by tool. Without `fixes`, it is not known what was fixed.
fn of_week(week: Week, lines: &[Line], fixes: Option<&[Fix]>) -> BTreeMap<String, ToolTrend> {
    let mut tools: BTreeMap<String, ToolTrend> = BTreeMap::new();
    for line in lines {
        let Some(report) = line.at(week.ends()) else { continue };
        let of_tool = tools.entry(line.tool.clone()).or_default();
        let controls = &report.figures.controls;
        of_tool.tenants += 1;
        of_tool.scores += u64::from(report.figures.score);
        of_tool.open += u64::from(controls.open) + u64::from(controls.drifted) + u64::from(controls.in_progress);
        of_tool.moved.extend(line.moved(week));
    }
    for (tool, trend) in &mut tools {
        trend.moved.sort_by_cached_key(|of| (Reverse(of.after.abs_diff(of.before)), of.service_tenant_id.clone()));
        trend.moved.truncate(MOST_MOVED);
        let is_of = |fix: &&Fix| fix.tool == *tool && Week::of(fix.written_at) == week;
        let fixed = |fix: &Fix| Fixed { severity: fix.severity, days: vec![(fix.days, 1)] };
        trend.fixed = fixes.map(|fixes| Fixed::all(fixes.iter().filter(is_of).map(fixed)));
    }
    tools
}
