//! Files that the tools write along with the file to import.

use super::fingerprint::Fingerprint;
use crate::file::{Shape, Unreadable};

/// A file of a tool that is not the one to import.
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
        COMPANIONS.iter().find(|companion| companion.fingerprint.matches(shape))
    }

    /// Returns the error that says which file to import instead.
    pub(super) fn error(&self) -> Unreadable {
        Unreadable::Companion { found: self.found, instead: self.instead }
    }
}

/// The advice to export another report instead of a message trace.
const FORWARDED: &str = "it does not say what forwarded a message, so export the report of auto-forwarded messages";

static COMPANIONS: [Companion; 7] = [
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
        instead: "import the *.ocsf.json file in the parent folder",
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
];
