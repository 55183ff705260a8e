//! A report, as the API returns it and as text.

use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};
use model::{
    Check, Coverage, GlobalAdmin, GlobalAdmins, PostureReport, ReportBody, Severity, Status, TopRisk, counted,
};
use store::StoredReport;

use crate::output::{Column, plain, table, wire_name};

/// Returns the report as the API returns it, with a link to this address.
pub(super) fn as_returned(dashboard: &str, stored: StoredReport) -> anyhow::Result<PostureReport> {
    let head = api::reports::head(dashboard, &stored);
    Ok(PostureReport { head, body: stored.open()?.body })
}

/// Returns the report as text.
pub(super) fn readable(report: &PostureReport) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut text, report);
    text
}

fn write_report(text: &mut String, report: &PostureReport) -> fmt::Result {
    let (head, body) = (&report.head, &report.body);
    let tenant = &head.tenant;
    writeln!(text, "Report          {}", head.id)?;
    writeln!(text, "Tenant          {} ({})", plain(&tenant.name), tenant.service_tenant_id)?;
    writeln!(text, "Provider tenant {}", tenant.provider_tenant_id)?;
    writeln!(text, "Completed       {}", body.figures.completed_at)?;
    write_result(text, body)?;
    write_admins(text, &body.global_admins)?;
    write_risks(text, &body.top_risks)?;
    write_checks(text, &body.checks)?;
    write!(text, "\n{}", head.url)
}

fn write_result(text: &mut String, body: &ReportBody) -> fmt::Result {
    let figures = &body.figures;
    write!(text, "Type            {}", wire_name(&figures.report_type))?;
    if let Some(baseline) = &figures.baseline {
        write!(text, ", compared with {}", baseline.id)?;
    }
    write!(text, "\nScore           {} ({})", figures.score, wire_name(&figures.grade))?;
    if let (Some(score), Some(grade)) = (figures.previous_score, &figures.previous_grade) {
        write!(text, ", before {score} ({})", wire_name(grade))?;
    }
    if let Some(lost) = figures.coverage.as_ref().and_then(Coverage::in_words) {
        write!(text, "\nCoverage        {lost}")?;
    }
    let counts = &figures.controls;
    writeln!(
        text,
        "\nControls        {} assessed: {} secure, {} fixed, {} in progress, {} open, {} drifted; {} not assessed",
        counts.assessed,
        counts.secure,
        counts.fixed,
        counts.in_progress,
        counts.open,
        counts.drifted,
        counts.not_assessed
    )
}

fn write_admins(text: &mut String, review: &GlobalAdmins) -> fmt::Result {
    writeln!(text, "\n{}", heading("ADMINISTRATORS"))?;
    let known = |count: Option<u32>| count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
    write!(text, "Number: {}, at most {} recommended", known(review.known_count()), review.best_practice_max)?;
    if review.previous_count.is_some() {
        write!(text, ", before {}", known(review.known_previous_count()))?;
    }
    writeln!(text, "; with strong MFA: {}", known(review.known_strong_mfa_count()))?;
    if !review.data_complete {
        writeln!(text, "The list of administrators is not complete.")?;
    }
    if review.admins.is_empty() {
        return Ok(());
    }
    let columns = [
        Column::text("SIGN-IN NAME"),
        Column::text("STATUS"),
        Column::text("MFA"),
        Column::text("ENFORCED BY"),
        Column::number("PASSWORD AGE"),
        Column::number("FAILED SIGN-INS"),
    ];
    writeln!(text, "{}", table(&columns, review.admins.iter().map(admin_row)))
}

fn admin_row(admin: &GlobalAdmin) -> Vec<String> {
    vec![
        admin.user_principal_name.clone(),
        wire_name(&admin.status),
        wire_name(&admin.mfa_method),
        wire_name(&admin.mfa_enforcement),
        admin.password_age_days.map_or_else(|| "unknown".to_owned(), |days| counted(days as usize, "day")),
        admin.failed_sign_ins.to_string(),
    ]
}

fn write_risks(text: &mut String, risks: &[TopRisk]) -> fmt::Result {
    if risks.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n{}", heading("TOP RISKS"))?;
    risks.iter().try_for_each(|risk| {
        let line = control_line(risk.status, risk.severity, risk.control_id.as_str(), &risk.name);
        writeln!(text, "{line}")
    })
}

/// Writes the checks under the headings of their sections, with details for those that are not secure.
fn write_checks(text: &mut String, checks: &[Check]) -> fmt::Result {
    for section in checks.chunk_by(|a, b| a.category == b.category) {
        writeln!(text, "\n{}", heading(&wire_name(&section[0].category).replace('_', " ")))?;
        section.iter().try_for_each(|check| write_check(text, check))?;
    }
    Ok(())
}

fn write_check(text: &mut String, check: &Check) -> fmt::Result {
    writeln!(text, "{}", control_line(check.status, check.severity, check.control_id.as_str(), &check.name))?;
    if check.status == Status::Secure {
        return Ok(());
    }
    let fix = check.suggested_fix.as_ref().filter(|_| check.status.is_failing());
    let references = check.references.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let accepted = check.accepted_risk.as_ref().map(|risk| format!("until {}: {}", risk.until, risk.reason));
    let details = [
        ("now", Some(&check.current_state)),
        ("before", check.previous_state.as_ref()),
        ("usage", check.observed_usage.as_ref()),
        ("fix", fix),
        ("accept", accepted.as_ref()),
        ("see", Some(&references).filter(|references| !references.is_empty())),
    ];
    for (label, detail) in details {
        if let Some(detail) = detail {
            writeln!(text, "    {label:<7}{}", plain(detail))?;
        }
    }
    Ok(())
}

pub(super) fn control_line(status: Status, severity: Option<Severity>, control: &str, name: &str) -> String {
    let (style, status) = (style(status), wire_name(&status));
    let severity = severity.map_or_else(|| "-".to_owned(), |severity| wire_name(&severity));
    format!("{style}{status:<13}{style:#}{severity:<9}{}  {}", plain(control), plain(name))
}

pub(super) fn heading(text: &str) -> String {
    let style = Style::new().bold();
    format!("{style}{text}{style:#}")
}

fn style(status: Status) -> Style {
    match status {
        Status::Secure | Status::Fixed => AnsiColor::Green.on_default(),
        Status::Open | Status::Drifted => AnsiColor::Red.on_default(),
        Status::InProgress => AnsiColor::Yellow.on_default(),
        Status::NotAssessed | Status::Unknown => Style::new().dimmed(),
    }
}
