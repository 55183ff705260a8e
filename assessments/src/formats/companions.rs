//! Files that the tools write beside the file to import.

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

static COMPANIONS: [Companion; 4] = [
    Companion {
        fingerprint: Fingerprint::Json { with: &["PolicyId", "RequirementMet"], without: &[] },
        found: "ScubaGear's TestResults.json",
        instead: "import ScubaResults*.json, which is beside it",
    },
    Companion {
        fingerprint: Fingerprint::Json { with: &["module_version", "scuba_config"], without: &[] },
        found: "ScubaGear's ProviderSettingsExport.json",
        instead: "import ScubaResults*.json, which is beside it",
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["REQUIREMENTS_ID", "CHECKID"], without: &[] },
        found: "Prowler's table for one compliance framework",
        instead: "import the *.ocsf.json file in the folder above",
    },
    Companion {
        fingerprint: Fingerprint::Table { with: &["Id", "Title", "Result"], without: &["Control ID", "CHECK_ID"] },
        found: "Maester's table of results",
        instead: "import TestResults-*.json, which is beside it",
    },
];
