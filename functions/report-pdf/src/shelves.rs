//! The place of all sets and archives: a folder of this machine, or a bucket.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use model::{OrganizationId, RequestId};
use operations::uploads::documents_of;
use store::DocumentSet;
use web::{Archive, ArchiveError, Archives};

use crate::bucket::Bucket;
use crate::set::{Place, Shelf};

/// Time for which a browser may begin to download an archive.
const VALID: Duration = Duration::from_secs(60);

/// The place of all sets and archives, with a folder for each organization.
#[derive(Debug, Clone)]
pub enum Shelves {
    /// A folder.
    Folder(Folder),
    /// A bucket.
    Bucket(Bucket),
}

/// A folder with a folder for each organization.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

impl Shelves {
    /// Returns the shelf of a set.
    pub(crate) fn shelf(&self, organization: &OrganizationId, set: &RequestId) -> io::Result<Shelf> {
        match self {
            Self::Folder(folder) => {
                let shelf = folder.of(organization, set);
                fs::create_dir_all(&shelf)?;
                Ok(Shelf::Folder(shelf))
            }
            Self::Bucket(bucket) => Ok(Shelf::Bucket(bucket.clone(), format!("{}{set}/", documents_of(organization)))),
        }
    }

    /// Returns the place of the archive of a set.
    pub(crate) fn archive(&self, organization: &OrganizationId, set: &RequestId) -> Place {
        match self {
            Self::Folder(folder) => Place::File(folder.zip(organization, set)),
            Self::Bucket(bucket) => Place::Object(bucket.clone(), format!("{}{set}.zip", documents_of(organization))),
        }
    }
}

impl Folder {
    /// Returns the place of a set: its documents until it is complete, then its archive.
    pub fn place(&self, organization: &OrganizationId, set: &DocumentSet) -> PathBuf {
        if set.is_open() { self.of(organization, &set.set_id) } else { self.zip(organization, &set.set_id) }
    }

    /// Deletes everything but these places.
    ///
    /// # Errors
    /// If something cannot be deleted.
    pub fn keep_only(&self, places: &BTreeSet<PathBuf>) -> io::Result<()> {
        let below = |folder: &Path| match fs::read_dir(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            entries => entries?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>(),
        };
        for organization in below(&self.0)? {
            for path in below(&organization)?.into_iter().filter(|path| !places.contains(path)) {
                if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
            }
        }
        Ok(())
    }

    fn of(&self, organization: &OrganizationId, set: &RequestId) -> PathBuf {
        self.0.join(organization.as_str()).join(set.as_str())
    }

    fn zip(&self, organization: &OrganizationId, set: &RequestId) -> PathBuf {
        self.of(organization, set).with_added_extension("zip")
    }
}

impl Archives for Shelves {
    fn archive<'a>(
        &'a self,
        organization: &'a OrganizationId,
        set: &'a RequestId,
        disposition: &'a str,
    ) -> BoxFuture<'a, Result<Option<Archive>, ArchiveError>> {
        async move {
            match self.archive(organization, set) {
                Place::File(path) => match File::open(path) {
                    Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                    file => Ok(Some(Archive::File(file?))),
                },
                Place::Object(bucket, key) => Ok(bucket.address(&key, VALID, disposition).await?.map(Archive::Address)),
            }
        }
        .boxed()
    }
}
