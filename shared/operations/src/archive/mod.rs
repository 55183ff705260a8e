//! An organization as a file: everything that it has, to keep it or to move it to another table.
//!
//! An archive is a `.tar.gz` that common tools open:
//!
//! | File in it | Holds |
//! |---|---|
//! | `organization.json` | The format, the release that wrote it, the organization, and its API keys without their texts |
//! | `reports/<tenant>/<report>.json` | A report as the API returns it |
//! | `billable-users/<tenant>/<recording>/<number>.json` | Some of the billable users of a tenant |
//! | `imports/<import>.json` | The outcome of an import |
//! | `items/<number>.jsonl` | Stored items, one a line, in DynamoDB's JSON; from them, an import restores the organization |
//! | `end.json` | The numbers of parts and items, so that nothing can be missing |
//!
//! Its parts are separate members of the gzip file, each with one file of items and the texts that these items contain
//! compressed. An export is interrupted between two parts: what follows the last complete one is cut off, and the export
//! continues after its last item. An import reads the whole archive before it writes anything.
//!
//! The archive is of one state of the organization: if something changed while it was read, it is read again.

mod export;
mod import;
mod member;

use std::io;
use std::path::PathBuf;

use model::{OrganizationId, Timestamp};
use serde::{Deserialize, Serialize};
use store::{ApiKeyListing, StoreError, TransferError};

use crate::organizations::ProvisioningError;

pub use export::{Export, Exported, export};
pub use import::{Imported, import};

/// The format of archives that this release writes, and the highest that it reads.
pub const FORMAT: u32 = 1;

/// What an archive says about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Format of the archive.
    pub format: u32,
    /// Highest format of the items in it.
    pub data_format: u32,
    /// Release that wrote it.
    pub release: String,
    /// Identifier of the archive.
    pub archive_id: String,
    /// The organization.
    pub organization_id: OrganizationId,
    /// Its name.
    pub name: String,
    /// When the export began.
    pub exported_at: Timestamp,
    /// State of the organization when the export began.
    state: String,
    /// The API keys, which do not move.
    pub api_keys: Vec<ApiKeyListing>,
}

/// The last file of an archive.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct End {
    /// Number of parts.
    parts: usize,
    /// Number of items in them.
    items: usize,
}

/// Why an organization is not exported or imported.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file exists.
    #[error("{0} exists already: choose another file, or delete it")]
    FileExists(PathBuf),
    /// The unfinished file belongs to another export.
    #[error("{0} is not the beginning of an export of this organization: choose another file, or delete it")]
    OtherExport(PathBuf),
    /// The file cannot be used.
    #[error("the archive cannot be read or written")]
    File(#[from] io::Error),
    /// The file is no archive.
    #[error("the file is not an archive of an organization, or its beginning is damaged")]
    NotAnArchive,
    /// A later release wrote it.
    #[error(
        "release {release} wrote the archive in a format that this release does not know: use that release or a later one"
    )]
    Newer {
        /// The release.
        release: String,
    },
    /// The archive is incomplete or changed.
    #[error("the archive is damaged or cut off after part {0}: copy it again, or export again")]
    Damaged(usize),
    /// The organization changed during every attempt.
    #[error("the organization changed while it was read, {0} times: export it at a quieter time")]
    Changing(usize),
    /// There is no such organization.
    #[error("organization {0} does not exist")]
    NoOrganization(OrganizationId),
    /// The organization cannot arrive.
    #[error("{0}")]
    Transfer(#[from] TransferError),
    /// The random source of the system failed.
    #[error("{0}")]
    Key(#[from] ProvisioningError),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}
