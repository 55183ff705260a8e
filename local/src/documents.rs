//! The worker of sets of documents on this machine. The queue is the open sets in the data, so one that was made while
//! nothing ran, or whose worker was killed, goes on at the next start.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;

use api::App;
use operations::Queue;
use report_pdf::set::SetError;
use report_pdf::shelves::{Folder, Shelves};
use report_pdf::worker::Worker;
use tempfile::TempDir;
use tokio::time::sleep;

use crate::folders::beside;
use crate::requests::present;

/// Time between two looks for sets.
const INTERVAL: Duration = Duration::from_secs(1);

/// The worker, and the folder of its files if they are kept only as long as it exists.
pub(crate) struct Sets {
    worker: Worker,
    folder: Folder,
    _temporary: Option<TempDir>,
}

impl Sets {
    /// Returns the worker on the data in a file, beside which it keeps documents, or in memory.
    pub(crate) fn of(app: &App, data: Option<&Path>) -> io::Result<Self> {
        let (folder, temporary) = beside(data, "documents")?;
        let at_once = available_parallelism().map_or(1, NonZeroUsize::get);
        let (store, links) = (app.store.clone(), app.dashboard_url.clone());
        let folder = Folder(folder);
        let shelves = Shelves::Folder(folder.clone());
        let worker = Worker { store, links, shelves, queue: Queue::Table, at_once, clock: present };
        Ok(Self { worker, folder, _temporary: temporary })
    }

    /// Returns the place of archives.
    pub(crate) fn shelves(&self) -> Shelves {
        self.worker.shelves.clone()
    }

    /// Works on sets for ever.
    pub(crate) async fn run(self) {
        loop {
            if let Err(error) = self.round().await {
                tracing::warn!(%error, "documents could not be made and are tried again");
            }
            sleep(INTERVAL).await;
        }
    }

    /// Works on all sets that are open now, one after the other.
    async fn round(&self) -> Result<(), SetError> {
        let (store, folder) = (&self.worker.store, &self.folder);
        let (mut open, mut places) = (Vec::new(), BTreeSet::new());
        for record in store.as_operator().organizations().await? {
            let organization = store.organization(&record.organization_id);
            for set in organization.document_sets(present()).await? {
                places.insert(folder.place(organization.id(), &set));
                open.extend(set.is_open().then(|| (organization.clone(), set)));
            }
        }
        // Those of sets that have expired or were erased.
        folder.keep_only(&places)?;
        for (organization, set) in open {
            self.worker.work(&organization, set, None).await?;
        }
        Ok(())
    }
}
