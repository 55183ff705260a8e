//! Imports by the API: what a client requests, and what became of it.

use serde::{Deserialize, Serialize};

use super::{ImportId, Timestamp};

/// State of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ImportStatus {
    /// Files have not arrived, or their import has not begun.
    Waiting,
    /// The files are being imported.
    Running,
    /// Every run in the files has a report.
    Completed,
    /// A file or a run has no report, or no file contains results. The result has the reasons.
    Failed,
    /// A state that this release does not know, written by a later one.
    #[serde(other)]
    #[cfg_attr(test, schemars(skip))]
    Unknown,
}

/// An import without its result.
#[derive(Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImportHead {
    /// Identifier.
    pub import_id: ImportId,
    /// Its state.
    pub status: ImportStatus,
    /// When it was requested.
    pub created_at: Timestamp,
    /// The files.
    pub files: Vec<ImportFile>,
}

/// A file of an import.
#[derive(Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ImportFile {
    /// Name or path at the sender.
    pub name: String,
    /// Length in bytes.
    pub size: u64,
    /// Address to send the content to, by `PUT`, for an hour; only in the response to the request, and null if the content
    /// came with it.
    pub upload_url: Option<String>,
}

impl ImportStatus {
    /// Returns whether the import has ended.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}
