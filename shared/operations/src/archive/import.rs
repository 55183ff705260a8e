//! Restores an organization from its archive.

use std::path::Path;

use serde::Serialize;
use store::{OrganizationRecord, Store, StoredItem, TransferError};

use super::member::Members;
use super::{ArchiveError, Manifest};
use crate::organizations::usage_plan_key;

/// An organization that was imported.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Imported {
    /// The archive.
    #[serde(flatten)]
    pub manifest: Manifest,
    /// Number of items.
    pub items: usize,
    /// The organization, with its new key for the usage plan.
    #[serde(skip)]
    pub record: OrganizationRecord,
}

/// Restores an organization from its archive: with its identifiers, but without its API keys. Reads the whole archive
/// before it writes. Calls `progress` with the number of items that have arrived.
///
/// Until it is complete, nothing of the organization is visible. After an interruption, another call with the same
/// archive continues.
///
/// # Errors
/// If the file is not a whole archive that this release knows, the organization exists, or the store fails.
pub async fn import(store: &Store, path: &Path, progress: impl Fn(usize)) -> Result<Imported, ArchiveError> {
    let manifest = verified(path)?;
    let id = &manifest.organization_id;
    let mut arrival = store.as_operator().receive(id, &manifest.archive_id).await?;
    let (mut members, _) = Members::open(path)?;
    while let Some(member) = members.next()? {
        if member.is_last {
            let record = arrival.complete(member.items, usage_plan_key()?).await?;
            return Ok(Imported { manifest, items: members.items, record });
        }
        if members.parts > arrival.parts() {
            arrival.add(member.items).await?;
        }
        progress(members.items);
    }
    Err(ArchiveError::Damaged(members.parts))
}

/// Reads a whole archive.
fn verified(path: &Path) -> Result<Manifest, ArchiveError> {
    let (mut members, manifest) = Members::open(path)?;
    let id = &manifest.organization_id;
    let mut is_whole = false;
    while let Some(member) = members.next()? {
        let belongs = if member.is_last { StoredItem::is_last_of } else { StoredItem::is_part_of };
        if is_whole {
            return Err(ArchiveError::Damaged(members.parts - 1));
        }
        if !member.items.iter().all(|item| belongs(item, id)) {
            return Err(TransferError::Foreign(id.clone()).into());
        }
        is_whole = member.is_last;
    }
    if is_whole { Ok(manifest) } else { Err(ArchiveError::Damaged(members.parts)) }
}
