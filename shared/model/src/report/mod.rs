//! A posture report and its parts.

mod accepted_risk;
mod administrators;
mod checks;
mod comparison;
mod coverage;
#[cfg(test)]
mod exact;
mod figures;

use serde::{Deserialize, Serialize};

use super::{ProviderTenantId, ReportId, ServiceTenantId, Timestamp};

pub use accepted_risk::{AcceptedRisk, ProposedRisk};
pub use administrators::{GlobalAdmin, GlobalAdmins, MfaEnforcement, MfaMethod};
pub use checks::{Category, Check, Reference, Severity, Status, TopRisk};
pub use comparison::Differences;
pub use coverage::{Coverage, CoverageLoss, NotAssessedReason};
pub use figures::{Baseline, ControlsRollup, Grade, ReportFigures, ReportType};

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
    /// Type, times, score and counts.
    #[serde(flatten)]
    pub figures: ReportFigures,
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
    /// Type, times, score and counts.
    #[serde(flatten)]
    pub figures: ReportFigures,
    /// Review of the top-privilege administrators.
    pub global_admins: GlobalAdmins,
    /// The findings of highest likelihood x impact, ranked.
    pub top_risks: Vec<TopRisk>,
    /// Every control, in report section order.
    pub checks: Vec<Check>,
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
            assert_eq!(status.is_failing(), !secure.contains(&status), "{status:?}");
        }
        for status in [Status::NotAssessed, Status::Unknown] {
            assert!(!status.is_assessed() && !status.is_secure() && !status.is_failing(), "{status:?}");
        }
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
