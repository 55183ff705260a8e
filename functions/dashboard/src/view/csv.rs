//! The tables of pages as CSV files that spreadsheets open without harm.
//!
//! A cell that begins like a formula is run by spreadsheets, so text gets an apostrophe in front where it could. Numbers
//! and dates are ours and stay as they are.

use model::{BillableUser, Check, UsageTenant};

use super::audit::Entry;
use super::portfolio::Row;
use super::tenant::Report;
use super::{text, words};

/// The header `Content-Type` of a CSV file.
pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8; header=present";

/// By this, spreadsheets recognize UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the portfolio as CSV.
pub fn portfolio(rows: &[&Row]) -> Vec<u8> {
    let columns = [
        "tenant",
        "serviceTenantId",
        "paused",
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
    ];
    file(
        &columns,
        rows.iter().map(|row| {
            let mut cells = vec![safe(&row.name), row.tenant.to_string(), row.is_paused.to_string()];
            if let Some(latest) = &row.latest {
                cells.extend([
                    safe(&latest.tool),
                    latest.completed.to_string(),
                    latest.score.to_string(),
                    words::grade(latest.grade).to_owned(),
                ]);
                cells.push(number(latest.previous_score));
                cells.extend(words::STATUSES.map(|status| words::count(&latest.controls, status).to_string()));
            }
            cells
        }),
    )
}

/// Returns a tenant's reports as CSV.
pub fn reports(reports: &[Report]) -> Vec<u8> {
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
    file(
        &columns,
        reports.iter().map(|report| {
            let mut cells = vec![
                report.id.to_string(),
                report.completed.to_string(),
                safe(&report.tool),
                words::report_type(report.kind).to_owned(),
            ];
            cells.extend([
                report.score.to_string(),
                words::grade(report.grade).to_owned(),
                number(report.previous_score),
            ]);
            cells.extend(words::STATUSES.map(|status| words::count(&report.controls, status).to_string()));
            cells
        }),
    )
}

/// Returns the checks of a report as CSV.
pub fn checks(checks: &[Check]) -> Vec<u8> {
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
    ];
    file(
        &columns,
        checks.iter().map(|check| {
            let mut cells =
                vec![safe(check.control_id.as_str()), words::category(check.category).to_owned(), safe(&check.name)];
            cells.extend([
                words::status_wire(check.status).to_owned(),
                check.severity.map(words::severity_wire).unwrap_or_default().to_owned(),
            ]);
            cells.push(safe(&check.current_state));
            let texts = [&check.previous_state, &check.why, &check.suggested_fix, &check.observed_usage];
            cells.extend(texts.map(|text| safe(text.as_deref().unwrap_or_default())));
            cells
        }),
    )
}

/// Returns the usage of all tenants as CSV.
pub fn usage(tenants: &[UsageTenant]) -> Vec<u8> {
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
    file(
        &columns,
        tenants.iter().map(|tenant| {
            vec![
                safe(&tenant.display_name),
                tenant.service_tenant_id.to_string(),
                tenant.provider_tenant_id.to_string(),
                words::billable_status(tenant.billable_status).to_owned(),
                tenant.is_paused.to_string(),
                tenant.total_licensed_users.to_string(),
                tenant.billable_users_this_month.to_string(),
                tenant.prorating_percentage_this_month.to_string(),
                tenant.first_billable_date.to_string(),
                tenant.onboarding_date.to_string(),
            ]
        }),
    )
}

/// Returns the billable users of a tenant as CSV.
pub fn billable_users(users: &[BillableUser]) -> Vec<u8> {
    let columns = ["id", "displayName", "userPrincipalName", "mail", "accountEnabled", "assignedLicenseSkuIds"];
    file(
        &columns,
        users.iter().map(|user| {
            vec![
                safe(&user.id),
                safe(&user.display_name),
                safe(&user.user_principal_name),
                safe(&user.mail),
                user.account_enabled.to_string(),
                safe(&user.assigned_license_sku_ids.join(" ")),
            ]
        }),
    )
}

/// Returns a part of the audit trail as CSV: one line for each value that changed.
pub fn audit(entries: &[Entry]) -> Vec<u8> {
    let lines = entries.iter().flat_map(|entry| {
        let head = || vec![entry.at.to_string(), safe(&entry.by), safe(&entry.action), safe(&entry.subject)];
        let changes = entry.changes.iter().map(move |(name, before, after)| {
            let texts = [Some(name), before.as_ref(), after.as_ref()];
            head().into_iter().chain(texts.map(|text| safe(text.map_or("", String::as_str)))).collect()
        });
        let bare = entry.changes.is_empty().then(head);
        bare.into_iter().chain(changes).collect::<Vec<Vec<String>>>()
    });
    file(&["at", "by", "action", "subject", "value", "before", "after"], lines)
}

fn file(columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = ::csv::WriterBuilder::new().terminator(::csv::Terminator::CRLF).from_writer(MARK.to_vec());
    // Writing to memory does not fail, and every record is filled up to the same number of fields.
    let _ = writer.write_record(columns);
    for mut row in rows {
        row.resize(columns.len(), String::new());
        let _ = writer.write_record(&row);
    }
    writer.into_inner().unwrap_or_default()
}

fn number(number: Option<u8>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
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
    fn separators_and_quotes_stay_in_their_cell() {
        let bytes = file(&["a", "b"], [vec!["x,\"y\"\nz".to_owned()], vec!["1".to_owned(), "2".to_owned()]]);
        assert_eq!(bytes, b"\xef\xbb\xbfa,b\r\n\"x,\"\"y\"\"\nz\",\r\n1,2\r\n");
    }
}
