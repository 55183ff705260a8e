//! The tables of pages as CSV files that spreadsheets open without harm.
//!
//! Spreadsheets execute a cell that begins like a formula, so such a text begins with an apostrophe. Numbers and dates
//! come from the service and are unchanged.

use std::collections::BTreeMap;
use std::iter;

use chrono::NaiveDate;
use model::{BillableUser, Check, ControlId, ServiceTenantId, UsageTenant};
use serde::Serialize;
use store::{Assignment, Control, ControlResult, FleetControl, ReportSummary, Task};
use web::view::text;

use super::audit::Entry;
use super::portfolio::Row;
use super::words;

/// Byte order mark, so that spreadsheets read the file as UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the portfolio as CSV.
pub(crate) fn portfolio(rows: &[&Row]) -> Vec<u8> {
    let columns = [
        "tenant",
        "serviceTenantId",
        "paused",
        "leading",
        "tool",
        "completedAt",
        "score",
        "grade",
        "previousScore",
        "secure",
        "fixed",
        "inProgress",
        "open",
        "drifted",
        "notAssessed",
        "stale",
    ];
    let cells = rows.iter().copied().flat_map(lines).map(|(row, latest, leads)| {
        let figures = latest.map(|report| &report.figures);
        (
            (safe(&row.name), &row.tenant, row.is_paused, latest.map(|_| leads)),
            (latest.map(|it| safe(&it.tool)), figures.map(|it| it.completed_at)),
            (figures.map(|it| it.score), figures.map(|it| it.grade), figures.and_then(|it| it.previous_score)),
            words::STATUSES.map(|status| figures.map(|it| it.controls.count(status))),
            row.is_stale,
        )
    });
    file(&columns, cells)
}

/// Returns the lines of a tenant: that of its leading tool, then those of the others.
fn lines(row: &Row) -> impl Iterator<Item = (&Row, Option<&ReportSummary>, bool)> {
    let others = row.others.iter().map(move |report| (row, Some(report), false));
    iter::once((row, row.latest.as_ref(), true)).chain(others)
}

/// Returns a tenant's reports as CSV.
pub(crate) fn reports(reports: &[ReportSummary]) -> Vec<u8> {
    let columns = [
        "reportId",
        "completedAt",
        "tool",
        "reportType",
        "score",
        "grade",
        "previousScore",
        "secure",
        "fixed",
        "inProgress",
        "open",
        "drifted",
        "notAssessed",
    ];
    let cells = reports.iter().map(|ReportSummary { report_id, tool, figures, .. }| {
        (
            (report_id, figures.completed_at, safe(tool), words::report_type(figures.report_type)),
            (figures.score, figures.grade, figures.previous_score),
            words::STATUSES.map(|status| figures.controls.count(status)),
        )
    });
    file(&columns, cells)
}

/// Returns the checks of a report as CSV.
pub(crate) fn checks(checks: &[Check], tasks: &BTreeMap<ControlId, Task>) -> Vec<u8> {
    let columns = [
        "controlId",
        "category",
        "name",
        "status",
        "severity",
        "currentState",
        "previousState",
        "why",
        "suggestedFix",
        "observedUsage",
        "acceptedUntil",
        "acceptedBecause",
        "owner",
        "due",
        "note",
    ];
    let cells = checks.iter().map(|check| {
        let texts = [&check.previous_state, &check.why, &check.suggested_fix, &check.observed_usage];
        (
            (safe(check.control_id.as_str()), words::category(check.category), safe(&check.name)),
            (check.status, check.severity, safe(&check.current_state)),
            texts.map(|text| text.as_deref().map(safe)),
            check.accepted_risk.as_ref().map(|risk| (risk.until, safe(&risk.reason))).unzip(),
            assigned(tasks.get(&check.control_id)),
        )
    });
    file(&columns, cells)
}

/// Returns controls as CSV.
pub(crate) fn controls(controls: &[&FleetControl]) -> Vec<u8> {
    let columns = [
        "tool",
        "controlId",
        "category",
        "name",
        "severity",
        "secure",
        "fixed",
        "inProgress",
        "open",
        "drifted",
        "notAssessed",
        "acceptedRisks",
    ];
    let cells = controls.iter().map(|FleetControl { tool, control, tenants, accepted }| {
        (
            (safe(tool), safe(control.control_id.as_str()), words::category(control.category)),
            (safe(&control.name), control.severity),
            (words::STATUSES.map(|status| tenants.count(status)), accepted),
        )
    });
    file(&columns, cells)
}

/// Returns the tenants of a control as CSV.
pub(crate) fn control(
    tool: &str,
    control: &Control,
    results: &[&ControlResult],
    tasks: &BTreeMap<ServiceTenantId, Task>,
) -> Vec<u8> {
    let columns = [
        "tool",
        "controlId",
        "tenant",
        "serviceTenantId",
        "status",
        "since",
        "reportId",
        "completedAt",
        "acceptedUntil",
        "owner",
        "due",
        "note",
    ];
    let cells = results.iter().map(|result| {
        (
            (safe(tool), safe(control.control_id.as_str()), safe(&result.tenant_name), &result.service_tenant_id),
            (result.status, result.since, &result.report_id, result.completed_at, result.accepted_until),
            assigned(tasks.get(&result.service_tenant_id)),
        )
    });
    file(&columns, cells)
}

/// Returns the cells of a task that is not done.
fn assigned(task: Option<&Task>) -> (Option<String>, Option<NaiveDate>, Option<String>) {
    let Some(task) = task.filter(|task| task.is_open()) else { return (None, None, None) };
    let Assignment { owner, due, note } = &task.assignment;
    (owner.as_deref().map(safe), *due, note.as_deref().map(safe))
}

/// Returns the usage of all tenants as CSV.
pub(crate) fn usage(tenants: &[UsageTenant]) -> Vec<u8> {
    let columns = [
        "tenant",
        "serviceTenantId",
        "providerTenantId",
        "billableStatus",
        "paused",
        "totalLicensedUsers",
        "billableUsersThisMonth",
        "proratingPercentageThisMonth",
        "firstBillableDate",
        "onboardingDate",
    ];
    let cells = tenants.iter().map(|tenant| {
        (
            (safe(&tenant.display_name), &tenant.service_tenant_id, &tenant.provider_tenant_id),
            (words::billable_status(tenant.billable_status), tenant.is_paused, tenant.total_licensed_users),
            // `Display` writes a whole number without decimals.
            (tenant.billable_users_this_month, tenant.prorating_percentage_this_month.to_string()),
            (tenant.first_billable_date, tenant.onboarding_date),
        )
    });
    file(&columns, cells)
}

/// Returns the billable users of a tenant as CSV.
pub(crate) fn billable_users(users: &[BillableUser]) -> Vec<u8> {
    let columns = ["id", "displayName", "userPrincipalName", "mail", "accountEnabled", "assignedLicenseSkuIds"];
    let cells = users.iter().map(|user| {
        let texts = [&user.id, &user.display_name, &user.user_principal_name, &user.mail];
        (texts.map(|text| safe(text)), user.account_enabled, safe(&user.assigned_license_sku_ids.join(" ")))
    });
    file(&columns, cells)
}

/// Returns a part of the audit trail as CSV: one line for each value that changed.
pub(crate) fn audit(entries: &[Entry]) -> Vec<u8> {
    let cells = entries.iter().flat_map(|entry| {
        let line = |change: [Option<&String>; 3]| {
            let subject = (entry.subject != entry.subject_id).then(|| safe(&entry.subject));
            let who = (safe(&entry.by), safe(&entry.by_id));
            let head = (entry.at, who, safe(&entry.action), (safe(&entry.subject_id), subject));
            (head, change.map(|text| text.map(|text| safe(text))))
        };
        let bare = entry.changes.is_empty().then(|| line([None; 3]));
        let changes = entry.changes.iter();
        bare.into_iter()
            .chain(changes.map(move |(name, before, after)| line([Some(name), before.as_ref(), after.as_ref()])))
    });
    file(&["at", "by", "byId", "action", "subject", "subjectName", "value", "before", "after"], cells)
}

/// Returns a table whose rows have one cell for each column.
fn file<R: Serialize>(columns: &[&str], rows: impl IntoIterator<Item = R>) -> Vec<u8> {
    let mut writer =
        ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).has_headers(false).from_writer(MARK.to_vec());
    let written =
        writer.write_record(columns).and_then(|()| rows.into_iter().try_for_each(|row| writer.serialize(row)));
    written.expect("writing to memory does not fail, and every row has the columns of its table");
    writer.into_inner().expect("writing to memory does not fail")
}

/// Returns a text as spreadsheets show it and do not run it, with hidden characters spelled out.
fn safe(text: &str) -> String {
    let shown = text::visible_lines(text);
    let starts = |c: char| matches!(c, '=' | '+' | '-' | '@' | '\t' | '\n' | '|' | '%' | '＝' | '＋' | '－' | '＠');
    match shown.trim_start().starts_with(starts) || shown.starts_with(starts) {
        true => format!("'{shown}"),
        false => shown.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::portfolio::sample;
    use super::*;

    #[test]
    fn no_cell_begins_like_a_formula() {
        for start in ["=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠"] {
            for attack in [format!("{start}1"), format!("  {start}1"), format!("\t{start}1"), format!("\n{start}1")] {
                assert_eq!(safe(&attack), format!("'{attack}"));
            }
        }
        for blank in ["\t1", "\n1"] {
            assert_eq!(safe(blank), format!("'{blank}"));
        }
        for text in ["Fabrikam 日本", "a=b", "'quoted", ""] {
            assert_eq!(safe(text), text);
        }
        assert_eq!(safe("invoice\u{202e}fdp"), "invoice[U+202E]fdp");
        assert_eq!(safe("\r=1"), "[U+000D]=1", "what is spelled out is no formula any more");
    }

    #[test]
    fn a_tenant_without_a_report_has_empty_cells() {
        let other = ReportSummary { tool: "Prowler".to_owned(), ..sample::report() };
        let one = Row { others: vec![other], ..sample::row("One", Some(sample::report())) };
        let bytes = portfolio(&[&one, &sample::row("=Two", None)]);
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<_> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "One,ten_1,false,true,ScubaGear,2026-07-01T08:00:00.500Z,87,B,,1,0,0,2,0,0,false",
                "One,ten_1,false,false,Prowler,2026-07-01T08:00:00.500Z,87,B,,1,0,0,2,0,0,false",
                "'=Two,ten_1,false,,,,,,,,,,,,,false"
            ]
        );
    }

    #[test]
    fn separators_and_quotes_stay_in_their_cell() {
        let bytes = file(&["a", "b"], [("x,\"y\"\nz", None), ("1", Some(2))]);
        assert_eq!(bytes, b"\xef\xbb\xbfa,b\r\n\"x,\"\"y\"\"\nz\",\r\n1,2\r\n");
        assert_eq!(file::<[u8; 2]>(&["a", "b"], []), b"\xef\xbb\xbfa,b\r\n");
    }
}
