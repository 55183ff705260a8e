//! The trend of an organization: the figures of each week, made after its end from the summaries of reports.
//!
//! Scores come from histories and not from the week's item before, so a week that was not made in time is made later,
//! from the same reports. The controls that were found fixed come from events, which are kept for 90 days: in an older
//! week, or one before there were events, they are not known.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::TimeDelta;
use futures_util::{FutureExt, Stream, StreamExt, TryStreamExt, stream};
use model::{Coverage, ReportFigures, ServiceTenantId, Timestamp, Trend, Week};
use store::{Fix, Fixed, Moved, Organization, ReportSummary, StoreError, TenantRecord, ToolTrend, WeekTrend, Writer};

/// Time from the end of a week until its trend is made: reports of its last night have come by then.
const WAIT: TimeDelta = TimeDelta::hours(12);
/// Most weeks that a look makes. The next one, which is at once, makes those that are left.
const AT_A_LOOK: usize = 13;
/// Number of weeks before the first one in which reports are looked for.
const LOOK_BACK: u32 = 13;
/// Most tenants that a week names for a tool.
const MOST_MOVED: usize = 10;
/// The age from which events may be deleted.
const EVENTS: TimeDelta = TimeDelta::days(90);
/// Number of histories that are read concurrently.
const AT_ONCE: usize = 32;

/// The figures of a report that weeks need.
#[derive(Clone, Copy)]
struct Point {
    completed_at: Timestamp,
    score: u8,
    open: u32,
    assessed: u32,
    /// Whether it compares with its baseline.
    is_comparable: bool,
}

/// The reports of a tool of a tenant, the last one of each week, newest first.
struct Line<'a> {
    tenant: &'a TenantRecord,
    tool: String,
    points: Vec<Point>,
}

/// Adds the trends of weeks that have ended, from one on, oldest first, and returns the first week without a trend, and
/// when to look again. Without a first week, it is decided, and nothing is written before the next look: an import of
/// older reports may have begun. Of weeks in which no tenant had a report, there are none. May be stopped at any time,
/// and run by several at once.
///
/// # Errors
/// If the store fails, or a tenant was removed meanwhile.
pub(crate) async fn follow(
    writer: &Writer,
    from: Option<Week>,
    tenants: &[TenantRecord],
    now: Timestamp,
) -> Result<(Week, Timestamp), StoreError> {
    let current = (now.to_datetime() - WAIT).try_into().map_or_else(|_| Week::of(now), Week::of);
    let next_at = (current.ends().to_datetime() + WAIT).try_into().unwrap_or(current.ends());
    let earliest = current.back(Trend::MOST_WEEKS);
    // In the week of the first look, an import may go on: the first weeks are made after its end.
    let begun = from.filter(|from| *from != earliest);
    let Some(from) = begun.map(|from| from.max(earliest)) else { return Ok((earliest, next_at)) };
    let weeks: Vec<_> = from.until(current).take(AT_A_LOOK).collect();
    let Some(until) = weeks.last().map(|last| last.next()).filter(|_| tenants.iter().any(|of| of.latest.is_some()))
    else {
        return Ok((from, next_at));
    };
    let active: HashMap<_, _> =
        tenants.iter().filter(|of| !of.is_paused).map(|of| (&of.service_tenant_id, of)).collect();
    let mut trends: Vec<BTreeMap<String, ToolTrend>> = vec![BTreeMap::new(); weeks.len()];
    let mut lines = std::pin::pin!(lines(writer, &active, (from, until)).await?);
    while let Some(lines) = lines.try_next().await? {
        for line in lines {
            weeks.iter().zip(&mut trends).for_each(|(week, tools)| line.count(*week, tools));
        }
    }
    // The oldest event tells since when there are any.
    let since = match writer.first_event_at().await {
        Err(StoreError::Damaged(_)) => None,
        since => since?,
    };
    let known_from = (now.to_datetime() - EVENTS).try_into().ok().zip(since);
    let is_known =
        |week: Week| known_from.is_some_and(|(kept, since): (Timestamp, _)| week.begins() >= kept.max(since));
    for (week, mut tools) in weeks.into_iter().zip(trends).filter(|(_, tools)| !tools.is_empty()) {
        if is_known(week)
            && let Some(mut fixed) = fixed(writer, week, &active).await?
        {
            for (tool, trend) in &mut tools {
                trend.fixed = Some(Fixed::all(fixed.remove(tool).unwrap_or_default()));
            }
        }
        writer.add_trend(&WeekTrend { week, tools, version: 0 }).await?;
    }
    Ok((until, if until < current { now } else { next_at }))
}

/// Returns the controls that events of a week tell to be fixed, by tool, each once, with the longest time; `None` if an
/// event is damaged.
async fn fixed(
    organization: &Organization,
    week: Week,
    active: &HashMap<&ServiceTenantId, &TenantRecord>,
) -> Result<Option<HashMap<String, Vec<Fixed>>>, StoreError> {
    let mut fixes = match organization.fixes(week.begins(), week.ends()).await {
        Err(StoreError::Damaged(_)) => return Ok(None),
        fixes => fixes?,
    };
    // An imported history tells of weeks that are over; a report of the last night may be imported in the next week.
    let earliest = week.back(1).begins();
    fixes.retain(|fix| fix.completed_at >= earliest && active.contains_key(&fix.service_tenant_id));
    fixes.sort_by_key(|fix| Reverse(fix.days));
    let mut seen = HashSet::new();
    fixes.retain(|fix| seen.insert((fix.service_tenant_id.clone(), fix.tool.clone(), fix.control_id.clone())));
    let mut by_tool: HashMap<_, Vec<_>> = HashMap::new();
    for Fix { tool, severity, days, .. } in fixes {
        by_tool.entry(tool).or_default().push(Fixed { severity, days: vec![(days, 1)] });
    }
    Ok(Some(by_tool))
}

/// Reads the reports that the scores at the ends of weeks come from, tenant by tenant.
async fn lines<'a>(
    organization: &'a Organization,
    active: &HashMap<&ServiceTenantId, &'a TenantRecord>,
    weeks: (Week, Week),
) -> Result<impl Stream<Item = Result<Vec<Line<'a>>, StoreError>> + use<'a>, StoreError> {
    let mut newest: HashMap<_, (&TenantRecord, Vec<_>)> = HashMap::new();
    for ReportSummary { service_tenant_id, tool, figures, .. } in organization.newest_of_tools().await? {
        if let Some(tenant) = active.get(&service_tenant_id) {
            newest.entry(service_tenant_id).or_insert((*tenant, Vec::new())).1.push((tool, Point::of(&figures)));
        }
    }
    let reads =
        newest.into_values().map(move |(tenant, newest)| of_tenant(organization, tenant, newest, weeks).boxed());
    Ok(stream::iter(reads.collect::<Vec<_>>()).buffer_unordered(AT_ONCE))
}

/// Returns the reports of a tenant until the end of weeks, and the last ones before. Its history is read only if one of
/// its newest reports completed since the weeks began, and not beyond [`LOOK_BACK`]: of a report before, only the
/// newest of its tool is found.
async fn of_tenant<'a>(
    organization: &Organization,
    tenant: &'a TenantRecord,
    newest: Vec<(String, Point)>,
    (from, until): (Week, Week),
) -> Result<Vec<Line<'a>>, StoreError> {
    let is_older = |point: &Point| point.completed_at < from.begins();
    let line = |(tool, point)| Line { tenant, tool, points: Some(point).filter(is_older).into_iter().collect() };
    let mut lines: Vec<_> = newest.into_iter().map(line).collect();
    let is_complete = |line: &Line<'_>| line.points.last().is_some_and(is_older);
    let range = (from.back(LOOK_BACK).begins(), until.begins());
    let mut pages = Box::pin(organization.reports_between(&tenant.service_tenant_id, range));
    while !lines.iter().all(is_complete) {
        let Some(page) = pages.try_next().await? else { break };
        for report in page {
            if let Some(line) = lines.iter_mut().find(|line| line.tool == report.tool && !is_complete(line)) {
                line.add(Point::of(&report.figures));
            }
        }
    }
    Ok(lines)
}

impl Point {
    fn of(figures: &ReportFigures) -> Self {
        let ReportFigures { completed_at, score, controls, coverage, .. } = figures;
        Self {
            completed_at: *completed_at,
            score: *score,
            open: controls.open + controls.drifted + controls.in_progress,
            assessed: controls.assessed,
            is_comparable: coverage.as_ref().is_none_or(Coverage::is_comparable),
        }
    }

    /// Returns whether the scores of two reports are comparable: both or none with its baseline, and with about as many
    /// controls.
    fn compares(self, other: Self) -> bool {
        let (previously_assessed, lost) = (self.assessed.max(other.assessed), self.assessed.abs_diff(other.assessed));
        let between = Coverage { previously_assessed, lost, reasons: Vec::new() };
        self.is_comparable == other.is_comparable && between.is_comparable()
    }
}

impl Line<'_> {
    /// Adds an older report, unless it is in the week of the one before.
    fn add(&mut self, point: Point) {
        let week = |point: &Point| Week::of(point.completed_at);
        if self.points.last().map(week) != Some(week(&point)) {
            self.points.push(point);
        }
    }

    /// Returns the newest report before a moment.
    fn at(&self, moment: Timestamp) -> Option<Point> {
        self.points.iter().find(|point| point.completed_at < moment).copied()
    }

    /// Adds the tenant to the figures of a week, if it had a report at the end.
    fn count(&self, week: Week, tools: &mut BTreeMap<String, ToolTrend>) {
        let Some(point) = self.at(week.ends()) else { return };
        let of_tool = tools.entry(self.tool.clone()).or_default();
        of_tool.tenants += 1;
        of_tool.scores += u64::from(point.score);
        of_tool.open += u64::from(point.open);
        of_tool.moved.extend(self.moved(week));
        of_tool.moved.sort_by_cached_key(|of| (Reverse(of.after.abs_diff(of.before)), of.service_tenant_id.clone()));
        of_tool.moved.truncate(MOST_MOVED);
    }

    /// Returns the change of the score in a week; `None` if there is none, or the two reports do not compare.
    fn moved(&self, week: Week) -> Option<Moved> {
        let (before, after) = (self.at(week.begins())?, self.at(week.ends())?);
        let (service_tenant_id, tenant_name) = (self.tenant.service_tenant_id.clone(), self.tenant.name.clone());
        let moved = Moved { service_tenant_id, tenant_name, before: before.score, after: after.score };
        (before.score != after.score && before.compares(after)).then_some(moved)
    }
}
