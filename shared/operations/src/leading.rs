//! The tool that leads among those of a tenant. Scores of different tools do not compare, so one of them stands for the
//! tenant where there is room for one.

use chrono::TimeDelta;
use store::ReportSummary;

/// How far a tool's newest report may be behind the tenant's newest one, in days, for the tool to lead unasked.
pub const CURRENT_DAYS: i64 = 90;

/// Orders the newest report of each tool of a tenant: first that of the leading tool, then the others, newest first.
///
/// The leading tool is the one that people chose. Without a choice, it is the one that assessed most controls, among
/// those that are still in use.
pub fn leading_first(mut reports: Vec<ReportSummary>, chosen: Option<&str>) -> Vec<ReportSummary> {
    reports.sort_by(|a, b| (b.figures.completed_at, &a.tool).cmp(&(a.figures.completed_at, &b.tool)));
    let is_current = |report: &&ReportSummary| {
        let behind = reports[0].figures.completed_at.to_datetime() - report.figures.completed_at.to_datetime();
        behind <= TimeDelta::days(CURRENT_DAYS)
    };
    let by_choice = reports.iter().position(|report| chosen == Some(&*report.tool));
    let most = || reports.iter().filter(is_current).map(|report| report.figures.controls.assessed).max();
    let by_rule =
        || reports.iter().position(|report| is_current(&report) && Some(report.figures.controls.assessed) == most());
    if let Some(place) = by_choice.or_else(by_rule) {
        reports[..=place].rotate_right(1);
    }
    reports
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report((tool, completed_at, assessed): (&str, &str, u32)) -> ReportSummary {
        serde_json::from_value(json!({
            "reportId": "rpt_1", "serviceTenantId": "ten_1", "providerTenantId": "01234567-89ab-cdef-0123-456789abcdef",
            "tool": tool, "reportType": "BASELINE", "createdAt": "2026-07-01T07:00:00Z",
            "completedAt": format!("{completed_at}T00:00:00Z"), "activityLookbackDays": 30, "score": 87, "grade": "B",
            "controls": {
                "assessed": assessed, "secure": assessed, "fixed": 0, "inProgress": 0, "open": 0, "drifted": 0,
                "notAssessed": 0,
            },
            "updatedAt": "2026-07-01T08:00:00Z", "revision": 0,
        }))
        .unwrap()
    }

    fn order(reports: &[(&str, &str, u32)], chosen: Option<&str>) -> Vec<String> {
        let reports = reports.iter().copied().map(report).collect();
        leading_first(reports, chosen).into_iter().map(|report| report.tool).collect()
    }

    #[test]
    fn the_tool_with_most_assessed_controls_leads_while_it_is_in_use() {
        let later = [("A", "2026-06-01", 104), ("B", "2026-06-02", 3), ("C", "2026-06-03", 50)];
        assert_eq!(order(&later, None), ["A", "C", "B"]);
        assert_eq!(order(&[("A", "2026-01-01", 104), ("B", "2026-04-01", 3)], None), ["A", "B"], "90 days");
        assert_eq!(order(&[("A", "2026-01-01", 104), ("B", "2026-04-02", 3)], None), ["B", "A"], "91 days");
        assert_eq!(order(&[("A", "2026-06-01", 9), ("B", "2026-06-02", 9)], None), ["B", "A"], "the newer of two");
        assert_eq!(order(&[], None), Vec::<String>::new());
    }

    #[test]
    fn a_choice_decides_as_long_as_the_tool_has_a_report() {
        let reports = [("A", "2026-06-01", 104), ("B", "2025-01-01", 3)];
        assert_eq!(order(&reports, Some("B")), ["B", "A"]);
        assert_eq!(order(&reports, Some("C")), ["A", "B"]);
    }
}
