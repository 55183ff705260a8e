//! A posture report and its parts.

use serde::{Deserialize, Serialize};

use super::{ControlId, ProviderTenantId, ReportId, ServiceTenantId, Timestamp};

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

/// The part of a report that is written anew for every answer.
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
    /// What a report begins with.
    #[serde(flatten)]
    pub head: ReportHead,
    /// First assessment, or compared with an earlier one.
    pub report_type: ReportType,
    /// What a follow-up compares with; null for a baseline report.
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
    /// What a follow-up compares with; null for a baseline report.
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

/// Review of the top-privilege (Global) administrators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GlobalAdmins {
    /// Current number of administrators.
    pub count: u32,
    /// Number at the baseline; null for a baseline report.
    pub previous_count: Option<u32>,
    /// Best-practice ceiling for the number.
    pub best_practice_max: u32,
    /// Administrators whose MFA method is strong.
    pub strong_mfa_count: u32,
    /// False when the administrator list is partial or missing.
    pub data_complete: bool,
    /// The administrators.
    pub admins: Vec<GlobalAdmin>,
}

/// One top-privilege administrator.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct GlobalAdmin {
    /// Sign-in name.
    pub user_principal_name: String,
    /// Result for this administrator.
    pub status: Status,
    /// How MFA is enforced.
    pub mfa_enforcement: MfaEnforcement,
    /// Strongest registered method.
    pub mfa_method: MfaMethod,
    /// True exactly for `PHISHING_RESISTANT` and `AUTHENTICATOR`.
    pub mfa_method_strong: bool,
    /// Days since the last password change; null when it could not be assessed.
    pub password_age_days: Option<u32>,
    /// True when the password is older than 100 days.
    pub password_age_warning: bool,
    /// Failed sign-in attempts within the lookback window.
    pub failed_sign_ins: u32,
}

impl std::fmt::Debug for GlobalAdmin {
    /// Leaves out the sign-in name, which must not reach a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GlobalAdmin")
            .field("status", &self.status)
            .field("mfa_method", &self.mfa_method)
            .finish_non_exhaustive()
    }
}

/// How MFA is enforced for an administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MfaEnforcement {
    /// By a conditional access policy.
    CaPolicy,
    /// By the per-user setting.
    PerUser,
    /// Not enforced.
    None,
    /// The registration report could not be read.
    Unknown,
}

/// Strongest MFA method that an administrator has registered, from strongest to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MfaMethod {
    /// Passkey, security key or certificate.
    PhishingResistant,
    /// Authenticator app.
    Authenticator,
    /// One-time codes by software.
    SoftwareOath,
    /// Text message.
    Sms,
    /// Phone call.
    Voice,
    /// E-mail.
    Email,
    /// No method registered.
    None,
    /// Could not be read.
    Unknown,
}

impl MfaMethod {
    /// Whether the method is strong or phishing-resistant.
    pub fn is_strong(self) -> bool {
        matches!(self, Self::PhishingResistant | Self::Authenticator)
    }
}

/// One of the findings of highest likelihood x impact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TopRisk {
    /// The control.
    pub control_id: ControlId,
    /// Its name.
    pub name: String,
    /// Its result.
    pub status: Status,
    /// Its severity.
    pub severity: Option<Severity>,
}

/// The result of one control.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Stable identifier of the control.
    pub control_id: ControlId,
    /// Report section.
    pub category: Category,
    /// What the control asks for.
    pub name: String,
    /// Its result.
    pub status: Status,
    /// How much the client should care if the control is misconfigured.
    pub severity: Option<Severity>,
    /// Plain-language description of the current configuration.
    pub current_state: String,
    /// Prior value, for fixed or drifted results.
    pub previous_state: Option<String>,
    /// One line on why the control matters.
    pub why: Option<String>,
    /// Recommended change to meet best practice.
    pub suggested_fix: Option<String>,
    /// What the tenant's own activity logs show about real use of the control over the lookback window.
    pub observed_usage: Option<String>,
    /// Recommendations of frameworks with the same requirement; absent if none is known, and in reports from before
    /// references were stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

/// A recommendation of a framework. `Display` writes it as `CIS 7.0: 5.2.2.3` or `SCuBA: MS.AAD.1.1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Name of the framework.
    pub framework: String,
    /// Version of the framework; null if its identifiers do not depend on one.
    pub version: Option<String>,
    /// Number or identifier of the recommendation.
    pub id: String,
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{} {version}: {}", self.framework, self.id),
            None => write!(f, "{}: {}", self.framework, self.id),
        }
    }
}

impl std::fmt::Debug for Check {
    /// Leaves out the texts: what a tool found can name people.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Check")
            .field("control_id", &self.control_id)
            .field("status", &self.status)
            .field("severity", &self.severity)
            .finish_non_exhaustive()
    }
}

/// Result of a check, a top risk or an administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// Meets best practice.
    Secure,
    /// Was a gap and is now secure.
    Fixed,
    /// Does not meet best practice.
    Open,
    /// Was secure and has regressed.
    Drifted,
    /// A fix is underway.
    InProgress,
    /// Could not be evaluated.
    NotAssessed,
}

impl Status {
    /// Whether best practice is met, now.
    pub fn is_secure(self) -> bool {
        matches!(self, Self::Secure | Self::Fixed)
    }

    /// Whether the control was evaluated at all.
    pub fn is_assessed(self) -> bool {
        self != Self::NotAssessed
    }
}

/// How much the client should care if a control is misconfigured, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Severity {
    Critical,
    High,
    Medium,
    Low,
}

/// Report section of a control, in section order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the words say it")]
pub enum Category {
    ConditionalAccess,
    Accounts,
    GlobalAdmins,
    AppsDirectory,
    ExternalSharing,
    Exchange,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_names_nobody() {
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
}
