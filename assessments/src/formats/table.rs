//! The table of all formats. Each entry has a name, a fingerprint and a reader.

use super::contents::Contents;
use super::fingerprint::Fingerprint;
use crate::activity;
use crate::controls;
use crate::directory;
use crate::file::{Input, Shape, Unreadable};
use crate::tools::{maester, prowler, scubagear, securescore, zerotrust};

/// A file format of a tool.
pub(super) struct Format {
    /// Name of the file, as an operator would look for it.
    pub(super) name: &'static str,
    fingerprint: Fingerprint,
    /// Reads a file of the format.
    pub(super) read: fn(Input<'_>) -> Result<Contents, Unreadable>,
}

impl Format {
    /// Returns the format of a file and its position in the table, if it is known: at most one fingerprint matches a file,
    /// else the first with its rows.
    pub(super) fn of(shape: &Shape) -> Option<(usize, &'static Self)> {
        let formats = || FORMATS.iter().enumerate();
        let named = formats().find(|(_, format)| format.fingerprint.matches(shape));
        named.or_else(|| formats().find(|(_, format)| format.fingerprint.matches_rows(shape)))
    }
}

/// Every format that is read. Of the formats of one tool, the first has the most data.
pub(super) static FORMATS: [Format; 38] = [
    Format {
        name: "The service's own snapshot (JSON Lines)",
        fingerprint: Fingerprint::Json { with: &["snapshot", "providerTenantId", "startedAt"], without: &[] },
        read: |input| controls::read_snapshot(input).map(Contents::from),
    },
    Format {
        name: "ScubaGear's ScubaResults (JSON)",
        fingerprint: Fingerprint::Json { with: &["MetaData", "Results"], without: &["ReportSummary"] },
        read: |input| scubagear::read_results(input).map(Contents::from),
    },
    Format {
        name: "ScubaGear's IndividualReports (JSON)",
        fingerprint: Fingerprint::Json { with: &["MetaData", "ReportSummary", "Results"], without: &[] },
        read: |input| scubagear::read_product_reports(input).map(Contents::from),
    },
    Format {
        name: "ScubaGear's ScubaResults (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["Control ID", "Requirement", "Result", "Criticality", "Details"],
            without: &[],
        },
        read: |input| scubagear::read_table(input).map(Contents::from),
    },
    Format {
        name: "Maester's TestResults (JSON)",
        fingerprint: Fingerprint::Json { with: &["PassedCount", "FailedCount", "TenantId", "Tests"], without: &[] },
        read: |input| maester::read_results(input).map(Contents::from),
    },
    Format {
        name: "Maester's merged results of several tenants (JSON)",
        fingerprint: Fingerprint::Json { with: &["Tenants/TenantId", "Tenants/Tests"], without: &[] },
        read: |input| maester::read_merged_results(input).map(Contents::from),
    },
    Format {
        name: "Prowler's findings (OCSF, JSON)",
        fingerprint: Fingerprint::Json { with: &["metadata/event_code", "finding_info", "status_code"], without: &[] },
        read: |input| prowler::read_ocsf(input).map(Contents::from),
    },
    Format {
        name: "Prowler's findings (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["PROVIDER", "CHECK_ID", "STATUS", "STATUS_EXTENDED", "ACCOUNT_UID"],
            without: &[],
        },
        read: |input| prowler::read_table(input).map(Contents::from),
    },
    Format {
        name: "Zero Trust Assessment's report (JSON)",
        fingerprint: Fingerprint::Json { with: &["TenantId", "TestResultSummary", "Tests"], without: &[] },
        read: |input| zerotrust::read_report(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Secure Score's secureScores (JSON)",
        fingerprint: Fingerprint::GraphList { name: "security/secureScores", keys: &["controlScores"] },
        read: |input| securescore::read_scores(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Secure Score's secureScoreControlProfiles (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "security/secureScoreControlProfiles",
            keys: &["controlStateUpdates", "maxScore"],
        },
        read: |input| securescore::read_profiles(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's users (JSON)",
        fingerprint: Fingerprint::GraphList { name: "users", keys: &["userPrincipalName", "assignedLicenses"] },
        read: |input| directory::read_users(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's subscribedSkus (JSON)",
        fingerprint: Fingerprint::GraphList { name: "subscribedSkus", keys: &["skuPartNumber", "consumedUnits"] },
        read: |input| directory::read_subscriptions(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's directoryRoles with members (JSON)",
        fingerprint: Fingerprint::GraphList { name: "directoryRoles", keys: &["roleTemplateId", "members"] },
        read: |input| directory::read_roles(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's members of the Global Administrator role (JSON)",
        // A page does not name the role, so only pages of the Global Administrator role may be saved.
        fingerprint: Fingerprint::GraphList { name: "directoryObjects", keys: &["@odata.type", "businessPhones"] },
        read: |input| directory::read_members(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph PowerShell's Get-MgDirectoryRoleMember (JSON)",
        fingerprint: Fingerprint::GraphList { name: "", keys: &["DeletedDateTime", "@odata.type"] },
        read: |input| directory::read_members(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's userRegistrationDetails (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "reports/authenticationMethods/userRegistrationDetails",
            keys: &["userPrincipalName", "methodsRegistered"],
        },
        read: |input| directory::read_registrations(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's signIns (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "auditLogs/signIns",
            keys: &["userId", "createdDateTime", "appDisplayName"],
        },
        read: |input| directory::read_sign_ins(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Entra's sign-ins (CSV)",
        fingerprint: Fingerprint::Table { with: &["Request ID", "User ID", "Client app", "Status"], without: &[] },
        read: |input| directory::read_sign_in_table(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's directoryAudits (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "auditLogs/directoryAudits",
            keys: &["activityDisplayName", "activityDateTime"],
        },
        read: |input| activity::read_audit_log(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Entra's audit log (CSV)",
        fingerprint: Fingerprint::Table { with: &["Date (UTC)", "Activity", "Category", "Result"], without: &[] },
        read: |input| activity::read_audit_table(input).map(Contents::from),
    },
    Format {
        name: "Microsoft 365's getEmailAppUsageUserDetail (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["Report Refresh Date", "Report Period", "IMAP4 App", "POP3 App", "SMTP App"],
            without: &[],
        },
        read: |input| activity::read_mail_apps(input).map(Contents::from),
    },
    Format {
        name: "Microsoft 365's getMailboxUsageDetail (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["Report Refresh Date", "Report Period", "Last Activity Date", "Item Count", "Storage Used (Byte)"],
            without: &[],
        },
        read: |input| activity::read_mailboxes(input).map(Contents::from),
    },
    Format {
        name: "Microsoft 365's getSharePointActivityUserDetail (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["Report Refresh Date", "Report Period", "Shared Externally File Count", "Visited Page Count"],
            without: &[],
        },
        read: |input| activity::read_share_point(input).map(Contents::from),
    },
    Format {
        name: "Microsoft 365's getOneDriveActivityUserDetail (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["Report Refresh Date", "Report Period", "Shared Externally File Count"],
            without: &["Visited Page Count"],
        },
        read: |input| activity::read_one_drive(input).map(Contents::from),
    },
    Format {
        name: "Microsoft 365's getTeamsUserActivityUserDetail (CSV)",
        fingerprint: Fingerprint::Table {
            with: &["Report Refresh Date", "Report Period", "Meetings Organized Count"],
            without: &[],
        },
        read: |input| activity::read_teams(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Entra's sign-ins of applications (CSV)",
        fingerprint: Fingerprint::Table { with: &["Request ID", "Service principal ID"], without: &["User ID"] },
        read: |input| directory::read_application_sign_ins(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Purview's audit search (CSV)",
        fingerprint: Fingerprint::Table { with: &["CreationDate", "AuditData"], without: &[] },
        read: |input| activity::read_unified_audit(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Purview's Search-UnifiedAuditLog (JSON)",
        fingerprint: Fingerprint::GraphList { name: "", keys: &["CreationDate", "AuditData"] },
        read: |input| activity::read_unified_audit_list(input).map(Contents::from),
    },
    Format {
        name: "Logs of Microsoft Entra's diagnostic settings (JSON)",
        fingerprint: Fingerprint::GraphList { name: "", keys: &["time", "category", "tenantId", "properties"] },
        read: |input| directory::read_diagnostics(input).map(Contents::from),
    },
    Format {
        name: "Exchange's report of auto-forwarded messages (CSV)",
        fingerprint: Fingerprint::Table { with: &["Forwarding type", "Forward count"], without: &[] },
        read: |input| activity::read_forwarding(input).map(Contents::from),
    },
    Format {
        name: "Exchange's forwarding report (CSV)",
        fingerprint: Fingerprint::Table { with: &["Forwarders", "Forwarding type", "Count"], without: &[] },
        read: |input| activity::read_forwarding(input).map(Contents::from),
    },
    Format {
        name: "MSOnline's Get-MsolUser (JSON)",
        fingerprint: Fingerprint::GraphList { name: "", keys: &["StrongAuthenticationRequirements"] },
        read: |input| directory::read_account_settings(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's roleAssignmentScheduleInstances (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "roleManagement/directory/roleAssignmentScheduleInstances",
            keys: &["principalId", "roleDefinitionId", "assignmentType"],
        },
        read: |input| directory::read_assignments(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's roleEligibilityScheduleInstances (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "roleManagement/directory/roleEligibilityScheduleInstances",
            keys: &["principalId", "roleDefinitionId", "roleEligibilityScheduleId"],
        },
        read: |input| directory::read_eligibilities(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's groups with transitiveMembers (JSON)",
        fingerprint: Fingerprint::GraphList { name: "groups", keys: &["transitiveMembers"] },
        read: |input| directory::read_groups(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's conditional access policies (JSON)",
        fingerprint: Fingerprint::GraphList {
            name: "identity/conditionalAccess/policies",
            keys: &["conditions", "grantControls"],
        },
        read: |input| directory::read_policies(input).map(Contents::from),
    },
    Format {
        name: "Microsoft Graph's authentication requirements of an account (JSON)",
        fingerprint: Fingerprint::GraphList { name: "users/authentication/requirements", keys: &["perUserMfaState"] },
        read: |input| directory::read_account_requirements(input).map(Contents::from),
    },
];
