//! `posture report compare`.

use std::fmt::{self, Write};

use anyhow::{Context, bail};
use clap::Args;
use model::{
    Check, ControlId, Coverage, Differences, Grade, ReportFigures, ReportId, Severity, Status, Timestamp, counted,
};
use serde::Serialize;
use store::{PastReport, StoredReport};

use super::report_text::{control_line, heading};
use crate::arguments::OfOrganization;
use crate::connection::Session;
use crate::exit::Exit;
use crate::lookup;
use crate::output::{plain, wire_name};
use crate::run::Run;

#[derive(Debug, Args)]
pub(crate) struct Compare {
    #[command(flatten)]
    organization: OfOrganization,
    /// One report
    #[arg(value_name = "REPORT_ID")]
    one: ReportId,
    /// Another report of the same tenant and tool; the older one is compared with the newer one
    #[arg(value_name = "OTHER_REPORT_ID")]
    other: ReportId,
}

/// The differences between two reports. Each list is in the order of the sections.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison<'a> {
    older: Side<'a>,
    newer: Side<'a>,
    /// How many of the older report's controls the newer one assesses again.
    coverage: Coverage,
    /// Whether the scores are comparable.
    is_comparable: bool,
    regressed: Vec<Difference<'a>>,
    fixed: Vec<Difference<'a>>,
    changed: Vec<Difference<'a>>,
    new: Vec<Difference<'a>>,
    gone: Vec<Difference<'a>>,
    /// Number of controls with the same result.
    same: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Side<'a> {
    report_id: &'a ReportId,
    completed_at: Timestamp,
    score: u8,
    grade: Grade,
}

/// A control with different results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Difference<'a> {
    control_id: &'a ControlId,
    name: &'a str,
    severity: Option<Severity>,
    /// The result in the older report; null if it lacks the control.
    before: Option<Outcome<'a>>,
    /// The result in the newer report; null if it lacks the control.
    after: Option<Outcome<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    status: Status,
    current_state: &'a str,
}

impl Run for Compare {
    async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        const NOT_COMPARED: &str = "the reports cannot be compared";
        let organization = session.organization(&self.organization.id).await?;
        let one = lookup::report(&organization, &self.one).await.context(NOT_COMPARED)?;
        let other = lookup::report(&organization, &self.other).await.context(NOT_COMPARED)?;
        require_same_source(&one, &other).context(NOT_COMPARED)?;
        let (older, newer) = if one.summary.figures.completed_at <= other.summary.figures.completed_at {
            (one, other)
        } else {
            (other, one)
        };
        let (older, newer) = (older.open()?, newer.open()?);
        session.output.show(&Comparison::of(&older, &newer), readable)?;
        Ok(Exit::Done)
    }
}

fn require_same_source(one: &StoredReport, other: &StoredReport) -> anyhow::Result<()> {
    if one.summary.service_tenant_id != other.summary.service_tenant_id {
        bail!("they belong to different tenants: choose two reports of one tenant");
    }
    if one.summary.tool != other.summary.tool {
        let tools = [&one.summary.tool, &other.summary.tool];
        bail!("they come from {} and {}: choose two reports of one tool", tools[0], tools[1]);
    }
    Ok(())
}

impl<'a> Comparison<'a> {
    fn of(older: &'a PastReport, newer: &'a PastReport) -> Self {
        let found = Differences::between(&older.body, &newer.body);
        let coverage = found.coverage();
        let pairs = |pairs: &[(&'a Check, &'a Check)]| {
            pairs.iter().map(|(then, now)| Difference::new(now, Some(then), Some(now))).collect()
        };
        Self {
            older: Side::of(older),
            newer: Side::of(newer),
            is_comparable: coverage.is_comparable(),
            coverage,
            regressed: pairs(&found.regressed),
            fixed: pairs(&found.fixed),
            changed: pairs(&found.changed),
            new: found.new.iter().map(|check| Difference::new(check, None, Some(check))).collect(),
            gone: found.gone.iter().map(|check| Difference::new(check, Some(check), None)).collect(),
            same: found.same.len(),
        }
    }
}

impl<'a> Side<'a> {
    fn of(PastReport { id, body, .. }: &'a PastReport) -> Self {
        let ReportFigures { completed_at, score, grade, .. } = body.figures;
        Self { report_id: id, completed_at, score, grade }
    }
}

impl<'a> Difference<'a> {
    fn new(of: &'a Check, before: Option<&'a Check>, after: Option<&'a Check>) -> Self {
        let outcome = |check: &'a Check| Outcome { status: check.status, current_state: &check.current_state };
        Self {
            control_id: &of.control_id,
            name: &of.name,
            severity: of.severity,
            before: before.map(outcome),
            after: after.map(outcome),
        }
    }
}

fn readable(comparison: &Comparison<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_comparison(&mut text, comparison);
    text
}

fn write_comparison(text: &mut String, comparison: &Comparison<'_>) -> fmt::Result {
    let Comparison { older, newer, coverage, regressed, fixed, changed, new, gone, same, .. } = comparison;
    for (label, Side { report_id, completed_at, score, grade }) in [("Older", older), ("Newer", newer)] {
        writeln!(text, "{label:<9} {report_id}, completed {completed_at}, score {score} ({})", wire_name(grade))?;
    }
    if let Some(lost) = coverage.in_words() {
        writeln!(text, "Coverage  {lost}")?;
    }
    let lists = [
        ("REGRESSED: best practice was met before", regressed),
        ("FIXED: best practice is met now", fixed),
        ("OTHER CHANGES", changed),
        ("NEW: only in the newer report", new),
        ("GONE: only in the older report", gone),
    ];
    for (title, differences) in lists.into_iter().filter(|(_, differences)| !differences.is_empty()) {
        writeln!(text, "\n{}", heading(title))?;
        differences.iter().try_for_each(|difference| write_difference(text, difference))?;
    }
    write!(text, "\n{} with the same result", counted(*same, "control"))
}

fn write_difference(text: &mut String, difference: &Difference<'_>) -> fmt::Result {
    let Difference { control_id, name, severity, before, after } = difference;
    let Some(shown) = after.as_ref().or(before.as_ref()) else { return Ok(()) };
    writeln!(text, "{}", control_line(shown.status, *severity, control_id.as_str(), name))?;
    if let (Some(before), Some(after)) = (before, after) {
        writeln!(text, "    before {}: {}", wire_name(&before.status), plain(before.current_state))?;
        if before.current_state != after.current_state {
            writeln!(text, "    now    {}", plain(after.current_state))?;
        }
    }
    Ok(())
}
