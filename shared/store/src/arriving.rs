//! The note of an organization that is arriving from an archive.

use serde::{Deserialize, Serialize};

/// The part of an organization that has arrived.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Arriving {
    /// Identifier of the archive that it comes from.
    pub archive: String,
    /// Number of the archive's parts that have arrived.
    pub parts: usize,
}
