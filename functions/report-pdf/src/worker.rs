//! Makes the sets of documents that were requested, step by step.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use model::{Actor, OrganizationId, RequestId, Timestamp};
use operations::documents::Plan;
use store::{DocumentSet, Organization, RequestState, Store, StoreError};
use tokio::time::Instant;
use web::Archives;

use crate::set::{Set, SetError, Shelf};

/// Time between two notes of the progress.
const STEP: Duration = Duration::from_secs(5);

/// The folder of all sets and archives, with a folder for each organization.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

/// Works on sets of documents.
#[derive(Clone)]
pub struct Worker {
    /// The table.
    pub store: Store,
    /// Address of the dashboard that links of reports lead to.
    pub links: Arc<str>,
    /// Where the documents and archives are.
    pub folder: Folder,
    /// Number of documents that are made at once.
    pub at_once: usize,
    /// The time.
    pub clock: fn() -> Timestamp,
}

impl Worker {
    /// Works on a set until its archive is complete. If somebody else works on it, or it was erased, stops.
    ///
    /// # Errors
    /// If the work cannot go on at present. What was made is kept.
    pub async fn work(&self, organization: &Organization, set: DocumentSet) -> Result<(), SetError> {
        let (archive, folder) =
            (self.folder.zip(organization.id(), &set.set_id), self.folder.of(organization.id(), &set.set_id));
        fs::create_dir_all(&folder)?;
        let shelf = Shelf(folder);
        let plan = plan(organization, &set, &shelf).await?;
        let next = DocumentSet { state: RequestState::Running, documents: plan.documents.len(), ..set };
        let Some(mut set) = self.note(organization, next).await? else { return Ok(()) };
        let work = Set { organization, links: &self.links, plan: &plan, shelf: &shelf, at_once: self.at_once };
        while set.done < set.documents {
            let done = work.make(Some(Instant::now() + STEP), |_| {}).await?;
            let Some(noted) = self.note(organization, DocumentSet { done, ..set }).await? else { return Ok(()) };
            set = noted;
        }
        let missing = work.archive(&archive).await?.len();
        self.note(organization, DocumentSet { state: RequestState::Completed, missing, ..set }).await?;
        Ok(())
    }

    /// Writes the state of a set, unless somebody else did.
    async fn note(&self, organization: &Organization, set: DocumentSet) -> Result<Option<DocumentSet>, StoreError> {
        organization.by(&Actor::service(), (self.clock)()).continue_documents(set).await
    }
}

/// Returns the plan of a set: that of earlier work, or a new one.
async fn plan(organization: &Organization, set: &DocumentSet, shelf: &Shelf) -> Result<Plan, SetError> {
    if let Some(begun) = shelf.plan()? {
        return Ok(begun);
    }
    let plan = Plan::of(organization, set.which.clone(), serde_json::from_str(&set.choice)?).await?;
    shelf.keep(&plan)?;
    Ok(plan)
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

impl Archives for Folder {
    fn archive(&self, organization: &OrganizationId, set: &RequestId) -> io::Result<Option<File>> {
        match File::open(self.zip(organization, set)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            file => file.map(Some),
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("store", &self.store).finish_non_exhaustive()
    }
}
