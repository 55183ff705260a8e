//! A posture report and its parts.

mod administrators;
mod checks;
mod comparison;
mod coverage;
#[cfg(test)]
mod exact;

use serde::{Deserialize, Serialize};

use super::{ProviderTenantId, ReportId, ServiceTenantId, Timestamp};

pub use administrators::{GlobalAdmin, GlobalAdmins, MfaEnforcement, MfaMethod};
pub use checks::{Category, Check, Reference, Severity, Status, TopRisk};
pub use comparison::Differences;
pub use coverage::{Coverage, CoverageLoss, NotAssessedReason};

/// A completed posture report of one tenant.
///
/// In two halves, because they are kept apart: the head is written at request time, the body once, when the report is
/// completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PostureReport {
    /// The fields that can change after completion.
    #[serde(flatten)]
    pub head: ReportHead,
    /// What was assessed.
    #[serde(flatten)]
    pub body: ReportBody,
}

/// The part of a report that is written anew for every response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHead {
    /// Report identifier.
    pub id: ReportId,
    /// Link that opens the report in the dashboard.
    pub url: String,
    /// The tenant, under its current name.
    pub tenant: ReportTenant,
}

/// A report without its checks, risks and administrators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PostureReportSummary {
    /// Identifier, link and tenant.
    #[serde(flatten)]
    pub head: ReportHead,
    /// First assessment, or compared with an earlier one.
    pub report_type: ReportType,
    /// The report that a follow-up is compared with; null for a baseline report.
    pub baseline: Option<Baseline>,
    /// When the report was requested.
    pub created_at: Timestamp,
    /// When generation finished. The contract allows null; a report without it is never returned.
    #[cfg_attr(test, schemars(with = "Option<Timestamp>"))]
    pub completed_at: Timestamp,
    /// Window of sign-in and mail activity, in days.
    pub activity_lookback_days: u32,
    /// 0 to 100: severity-weighted share of the assessed controls that meet best practice.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Score at the baseline; null for a baseline report.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub previous_score: Option<u8>,
    /// Grade at the baseline; null for a baseline report.
    pub previous_grade: Option<Grade>,
    /// Counts of controls by result.
    pub controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again; absent from a baseline report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// When the report was imported or last edited.
    pub updated_at: Timestamp,
}

/// The tenant a report is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportTenant {
    /// Identifier issued by this service.
    pub service_tenant_id: ServiceTenantId,
    /// Display name.
    pub name: String,
    /// Identifier issued by the suite's provider.
    pub provider_tenant_id: ProviderTenantId,
}

/// The part of a report that is fixed at its completion and changes only by an edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportBody {
    /// First assessment, or compared with an earlier one.
    pub report_type: ReportType,
    /// The report that a follow-up is compared with; null for a baseline report.
    pub baseline: Option<Baseline>,
    /// When the report was requested.
    pub created_at: Timestamp,
    /// When generation finished. The contract allows null; a report without it is never returned.
    #[cfg_attr(test, schemars(with = "Option<Timestamp>"))]
    pub completed_at: Timestamp,
    /// Window of sign-in and mail activity behind `observedUsage` and `failedSignIns`, in days.
    pub activity_lookback_days: u32,
    /// 0 to 100: severity-weighted share of the assessed controls that meet best practice.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score: u8,
    /// Letter grade for the score.
    pub grade: Grade,
    /// Score at the baseline; null for a baseline report.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub previous_score: Option<u8>,
    /// Grade at the baseline; null for a baseline report.
    pub previous_grade: Option<Grade>,
    /// Counts of controls by result.
    pub controls: ControlsRollup,
    /// How many of the baseline's controls were assessed again; absent from a baseline report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// Review of the top-privilege administrators.
    pub global_admins: GlobalAdmins,
    /// The findings of highest likelihood x impact, ranked.
    pub top_risks: Vec<TopRisk>,
    /// Every control, in report section order.
    pub checks: Vec<Check>,
}

/// Kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReportType {
    /// First assessment.
    Baseline,
    /// Compared with an earlier assessment; carries fixed and drifted results.
    FollowUp,
    /// A value that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// The report that a follow-up compares with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Baseline {
    /// Report identifier.
    pub id: ReportId,
    /// Its score.
    #[cfg_attr(test, schemars(range(max = 100)))]
    pub score: Option<u8>,
    /// Its completion.
    pub completed_at: Option<Timestamp>,
}

/// Letter grade of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs, reason = "the letters say it")]
pub enum Grade {
    A,
    B,
    C,
    D,
    F,
    // A value that this release does not know, written by a later one.
    #[serde(other, rename = "UNKNOWN")]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// Counts of controls by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ControlsRollup {
    /// All but those that could not be evaluated.
    pub assessed: u32,
    /// Controls that are `SECURE`.
    pub secure: u32,
    /// Controls that are `FIXED`.
    pub fixed: u32,
    /// Controls that are `IN_PROGRESS`.
    pub in_progress: u32,
    /// Controls that are `OPEN`.
    pub open: u32,
    /// Controls that are `DRIFTED`.
    pub drifted: u32,
    /// Controls that are `NOT_ASSESSED`.
    pub not_assessed: u32,
}

impl ControlsRollup {
    /// Counts controls by result.
    pub fn of<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let mut counts = Self::default();
        for Check { status, .. } in checks {
            counts.assessed += u32::from(status.is_assessed());
            *counts.field(*status) += 1;
        }
        counts
    }

    /// Returns the number of controls with a result.
    pub fn count(mut self, status: Status) -> u32 {
        *self.field(status)
    }

    fn field(&mut self, status: Status) -> &mut u32 {
        match status {
            Status::Secure => &mut self.secure,
            Status::Fixed => &mut self.fixed,
            Status::InProgress => &mut self.in_progress,
            Status::Open => &mut self.open,
            Status::Drifted => &mut self.drifted,
            Status::NotAssessed | Status::Unknown => &mut self.not_assessed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_contains_no_names() {
        let check: Check = serde_json::from_value(serde_json::json!({
            "controlId": "MS.AAD.7.1", "category": "GLOBAL_ADMINS", "name": "canary", "status": "OPEN", "severity": "HIGH",
            "currentState": "canary", "previousState": "canary", "why": "canary", "suggestedFix": "canary",
            "observedUsage": "canary",
        }))
        .unwrap();
        let admin: GlobalAdmin = serde_json::from_value(serde_json::json!({
            "userPrincipalName": "canary@example.com", "status": "OPEN", "mfaEnforcement": "NONE", "mfaMethod": "SMS",
            "mfaMethodStrong": false, "passwordAgeDays": 1, "passwordAgeWarning": false, "failedSignIns": 0,
        }))
        .unwrap();
        let shown = format!("{check:?} {admin:?}");
        assert!(shown.contains("MS.AAD.7.1") && !shown.contains("canary"), "{shown}");
    }

    #[test]
    fn a_result_is_secure_if_it_is_secure_or_fixed_and_assessed_unless_it_says_otherwise() {
        let secure = [Status::Secure, Status::Fixed];
        for status in [Status::Secure, Status::Fixed, Status::Open, Status::Drifted, Status::InProgress] {
            assert!(status.is_assessed(), "{status:?}");
            assert_eq!(status.is_secure(), secure.contains(&status), "{status:?}");
        }
        assert!(!Status::NotAssessed.is_assessed() && !Status::NotAssessed.is_secure());
    }

    #[test]
    fn only_phishing_resistant_methods_and_authenticator_apps_are_strong() {
        assert!(MfaMethod::PhishingResistant.is_strong() && MfaMethod::Authenticator.is_strong());
        for method in [
            MfaMethod::SoftwareOath,
            MfaMethod::Sms,
            MfaMethod::Voice,
            MfaMethod::Email,
            MfaMethod::None,
            MfaMethod::Unknown,
        ] {
            assert!(!method.is_strong(), "{method:?}");
        }
    }

    #[test]
    fn a_reference_names_the_version_of_its_framework_if_it_has_one() {
        let reference = |version: Option<&str>| Reference {
            framework: "CIS".to_owned(),
            version: version.map(str::to_owned),
            id: "5.2".to_owned(),
        };
        assert_eq!([reference(Some("7.0")), reference(None)].map(|it| it.to_string()), ["CIS 7.0: 5.2", "CIS: 5.2"]);
    }
}
