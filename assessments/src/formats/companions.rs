//! Files that are known and not read: those that the tools write along with the file to import, and those of other
//! tools.

use super::fingerprint::Fingerprint;
use crate::file::{Shape, Unreadable};

/// A known file that is not read.
pub(super) struct Companion {
    fingerprint: Fingerprint,
    /// Name of the file.
    found: &'static str,
    /// What to do instead.
    instead: &'static str,
}

impl Companion {
    /// Returns the companion that a file is, if it is one.
    pub(super) fn of(shape: &Shape) -> Option<&'static Self> {
        let is = |companion: &&Self| companion.fingerprint.matches(shape) || companion.fingerprint.matches_rows(shape);
        COMPANIONS.iter().find(is)
    }

    /// Returns the error that says which file to import instead.
    pub(super) fn error(&self) -> Unreadable {
        Unreadable::Companion { found: self.found, instead: self.instead }
    }
}

/// The advice to export another report instead of a message trace.
const FORWARDED: &str = "it does not say what forwarded a message, so export the report of auto-forwarded messages";

/// The advice to import results of a tool that is read.
const OTHER_TOOL: &str =
    "import results of ScubaGear, Maester, Prowler, Zero Trust Assessment or Microsoft Secure Score instead";

/// The advice to import Prowler's findings.
const FINDINGS: &str = "import the *.ocsf.json file in the parent folder";

static COMPANIONS: [Companion; 15] = [
    Companion {
        fingerprint: Fingerprint::Json { with: &["PolicyId", "RequirementMet"], without: &[] },
        found: "ScubaGear's TestResults.json",
        instead: "import ScubaResults*.json next to it",
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["module_version", "scuba_config"], without: &[] },
        found: "ScubaGear's ProviderSettingsExport.json",
        instead: "import ScubaResults*.json next to it",
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["REQUIREMENTS_ID", "CHECKID"], without: &[] },
        found: "Prowler's table for one compliance framework",
        instead: FINDINGS,
    },
    Companion {
        // The class of compliance findings.
        fingerprint: Fingerprint::JsonValue {
            with: &["metadata/event_code", "compliance"],
            value: ("class_uid", "2003"),
        },
        found: "Prowler's findings for one compliance framework",
        instead: FINDINGS,
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["Id", "Title", "Result"], without: &["Control ID", "CHECK_ID"] },
        found: "Maester's table of results",
        instead: "import TestResults-*.json next to it",
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["SenderAddress", "RecipientAddress", "Status"], without: &[] },
        found: "a message trace",
        instead: FORWARDED,
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["sender_address", "recipient_status"], without: &[] },
        found: "a message trace",
        instead: FORWARDED,
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["SenderAddress", "RecipientAddress", "Status"], without: &[] },
        found: "a message trace",
        instead: FORWARDED,
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["error/code", "error/message"], without: &[] },
        found: "an error of Microsoft Graph instead of a list",
        instead: "export the list again, with the permission and the licence that it needs",
    },
    Companion {
        fingerprint: Fingerprint::GraphList {
            name: "admin/configurationManagement/configurationDrifts",
            keys: &["monitorId", "baselineResourceDisplayName"],
        },
        found: "the drifts of Tenant Configuration Management",
        instead: OTHER_TOOL,
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["metadata/eventCode", "findingInfo", "statusCode"], without: &[] },
        found: "the findings of Monkey365",
        instead: OTHER_TOOL,
    },
    Companion {
        fingerprint: Fingerprint::Table {
            with: &["Category", "Setting", "CurrentValue", "RecommendedValue", "CheckId"],
            without: &[],
        },
        found: "a table of M365-Assess",
        instead: OTHER_TOOL,
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["Section", "Collector", "FileName", "Items"], without: &[] },
        found: "the summary of M365-Assess",
        instead: OTHER_TOOL,
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["tenantFilter"], without: &[] },
        found: "the standards of CIPP",
        instead: OTHER_TOOL,
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["Data", "Columns", "Style"], without: &[] },
        found: "a best practice report of CIPP",
        instead: OTHER_TOOL,
    },
];
