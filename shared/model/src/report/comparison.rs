//! The differences between two reports of one tool.

use std::collections::HashMap;

use super::{Check, Coverage, ReportBody};
use crate::ControlId;

/// The differences between two reports. Each list is in the order of the sections; pairs have the older check first.
#[derive(Debug, Default)]
pub struct Differences<'a> {
    /// Met best practice in the older report, but not in the newer one.
    pub regressed: Vec<(&'a Check, &'a Check)>,
    /// Did not meet best practice in the older report, but does in the newer one.
    pub fixed: Vec<(&'a Check, &'a Check)>,
    /// The status changed in another way.
    pub changed: Vec<(&'a Check, &'a Check)>,
    /// Only in the newer report.
    pub new: Vec<&'a Check>,
    /// Only in the older report.
    pub gone: Vec<&'a Check>,
    /// The same result in both reports.
    pub same: Vec<(&'a Check, &'a Check)>,
}

impl<'a> Differences<'a> {
    /// Returns the differences between two reports of one tool.
    pub fn between(older: &'a ReportBody, newer: &'a ReportBody) -> Self {
        let mut before: HashMap<&ControlId, &Check> =
            older.checks.iter().map(|check| (&check.control_id, check)).collect();
        let mut found = Self::default();
        for now in &newer.checks {
            match before.remove(&now.control_id) {
                Some(then) => found.add(then, now),
                None => found.new.push(now),
            }
        }
        found.gone = older.checks.iter().filter(|check| before.contains_key(&check.control_id)).collect();
        found
    }

    /// Whether every control has the same result in both reports.
    pub fn is_empty(&self) -> bool {
        self.regressed.is_empty()
            && self.fixed.is_empty()
            && self.changed.is_empty()
            && self.new.is_empty()
            && self.gone.is_empty()
    }

    /// Returns how many of the controls that the older report assessed the newer one assesses again. The reasons are
    /// not known.
    pub fn coverage(&self) -> Coverage {
        let pairs = || self.regressed.iter().chain(&self.fixed).chain(&self.changed).chain(&self.same);
        let gone = self.gone.iter().filter(|check| check.status.is_assessed()).count();
        let assessed = pairs().filter(|(then, _)| then.status.is_assessed());
        let lost = assessed.clone().filter(|(_, now)| !now.status.is_assessed()).count() + gone;
        let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
        Coverage { previously_assessed: number(assessed.count() + gone), lost: number(lost), reasons: Vec::new() }
    }

    fn add(&mut self, then: &'a Check, now: &'a Check) {
        let assessed = then.status.is_assessed() && now.status.is_assessed();
        match (then.status.is_secure(), now.status.is_secure()) {
            (true, false) if assessed => self.regressed.push((then, now)),
            (false, true) if assessed => self.fixed.push((then, now)),
            (was, is) if then.status == now.status || (was && is) => self.same.push((then, now)),
            _ => self.changed.push((then, now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Status;

    fn report(statuses: &[(&str, Status)]) -> ReportBody {
        let checks: Vec<_> = statuses.iter().map(|(id, status)| json!({
            "controlId": id, "category": "ACCOUNTS", "name": id, "status": status, "severity": null, "currentState": "",
            "previousState": null, "why": null, "suggestedFix": null, "observedUsage": null,
        })).collect();
        serde_json::from_value(json!({
            "reportType": "BASELINE", "baseline": null, "createdAt": "2026-01-01T00:00:00Z", "completedAt": "2026-01-01T00:00:00Z",
            "activityLookbackDays": 30, "score": 50, "grade": "F", "previousScore": null, "previousGrade": null,
            "controls": { "assessed": 0, "secure": 0, "fixed": 0, "inProgress": 0, "open": 0, "drifted": 0, "notAssessed": 0 },
            "globalAdmins": { "count": 0, "previousCount": null, "bestPracticeMax": 4, "strongMfaCount": 0, "dataComplete": false, "admins": [] },
            "topRisks": [], "checks": checks,
        })).unwrap()
    }

    #[test]
    fn each_control_is_in_one_list() {
        use Status::{Drifted, Fixed, InProgress, NotAssessed, Open, Secure};
        let older =
            report(&[("a", Secure), ("b", Open), ("c", Open), ("d", Secure), ("e", Open), ("f", Secure), ("g", Open)]);
        let newer = report(&[
            ("a", Drifted),
            ("b", Fixed),
            ("c", InProgress),
            ("d", Fixed),
            ("f", NotAssessed),
            ("g", Open),
            ("h", Open),
        ]);
        let found = Differences::between(&older, &newer);
        let names = |pairs: &[(&Check, &Check)]| pairs.iter().map(|(_, now)| now.name.as_str()).collect::<String>();
        assert_eq!(names(&found.regressed), "a");
        assert_eq!(names(&found.fixed), "b");
        assert_eq!(names(&found.changed), "cf");
        assert_eq!(found.new.iter().map(|check| check.name.as_str()).collect::<String>(), "h");
        assert_eq!(found.gone.iter().map(|check| check.name.as_str()).collect::<String>(), "e");
        assert_eq!(names(&found.same), "dg");
        // The newer report does not assess f, and lacks e.
        assert_eq!(found.coverage(), Coverage { previously_assessed: 7, lost: 2, reasons: Vec::new() });
        assert!(!found.is_empty() && Differences::between(&older, &older).is_empty());
    }
}
