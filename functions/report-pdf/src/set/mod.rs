//! The documents of many reports, made into one archive.
//!
//! The state of the work is what lies on a shelf: the plan, and a file for each document that was made. So whoever is
//! killed loses the documents that it was making, and the next one goes on with the others. At the end, the documents of
//! reports that changed meanwhile are made again, and those of reports that are gone are left out and listed.

mod archive;
mod shelf;

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use model::ReportId;
use operations::QueueError;
use operations::documents::{self, Plan, Planned, Since};
use serde::Serialize;
use store::{CorruptFragment, Organization, StoreError};
use tokio::time::Instant;

use crate::RenderError;
use crate::bucket::BucketError;

pub use archive::Place;
pub use shelf::Shelf;

/// Why a report has no document.
const NOT_TYPESET: &str = "The document could not be made. The log says why.";

/// The work on the documents of a plan.
pub struct Set<'a> {
    /// The organization.
    pub organization: &'a Organization,
    /// Address of the dashboard that links of reports lead to.
    pub links: &'a str,
    /// The documents.
    pub plan: &'a Plan,
    /// Where they are kept until all are made.
    pub shelf: &'a Shelf,
    /// Number of documents that are made at once.
    pub at_once: usize,
}

/// A report without a document.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Missing {
    /// The report.
    pub report_id: ReportId,
    /// Name of its tenant.
    pub tenant_name: String,
    /// Name that the file would have.
    pub file: String,
    /// The reason.
    pub reason: &'static str,
}

/// Why documents cannot be made at present. Those that are made are kept.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// The table failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A report is damaged.
    #[error(transparent)]
    Corrupt(#[from] CorruptFragment),
    /// The report cannot be typeset.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The typesetter panicked.
    #[error("the typesetter panicked")]
    Panicked,
    /// The plan of a set is damaged.
    #[error("the plan of a set of documents cannot be read")]
    Plan(#[from] serde_json::Error),
    /// The disk failed.
    #[error("the files of documents cannot be used: {0}")]
    Disk(#[from] io::Error),
    /// The bucket failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// The queue failed.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The archive cannot be written.
    #[error("the archive cannot be written: {0}")]
    Archive(#[from] zip::result::ZipError),
}

impl Set<'_> {
    /// Makes the documents that are not on the shelf yet, until a time has come. Returns the number of those that are, and
    /// calls `progress` with it.
    ///
    /// # Errors
    /// If the store or the disk fails.
    pub async fn make(
        &self,
        until: Option<Instant>,
        progress: impl Fn(usize) + Sync + Send,
    ) -> Result<usize, SetError> {
        let made = self.shelf.names().await?;
        let (is_made, is_left): (Vec<_>, Vec<_>) =
            self.plan.documents.iter().partition(|planned| made.contains_key(&planned.file));
        let done = AtomicUsize::new(is_made.len());
        progress(is_made.len());
        let in_time = is_left.into_iter().take_while(|_| until.is_none_or(|until| Instant::now() < until));
        stream::iter(in_time)
            .map(|planned| self.put(planned))
            .buffer_unordered(self.at_once)
            .inspect_ok(|()| progress(done.fetch_add(1, Ordering::Relaxed) + 1))
            .try_collect::<()>()
            .boxed()
            .await?;
        Ok(done.into_inner())
    }

    /// Writes the archive of all documents, and returns the reports that have none.
    ///
    /// # Errors
    /// If the store, the disk or the bucket fails.
    pub async fn archive(&self, place: &Place) -> Result<Vec<Missing>, SetError> {
        let missing = self.settle().await?;
        archive::write(self, &missing, place).await?;
        Ok(missing)
    }

    /// Makes the documents again whose reports changed, and returns those that are missing.
    ///
    /// # Errors
    /// If the store or the disk fails.
    pub async fn settle(&self) -> Result<Vec<Missing>, SetError> {
        let mut missing = Vec::new();
        let mut changed = Vec::new();
        for (planned, since) in self.plan.documents.iter().zip(self.plan.since(self.organization).await?) {
            match since {
                Since::Same => {}
                Since::Changed => changed.push(planned),
                Since::Gone(reason) => missing.push(Missing::of(planned, reason)),
            }
        }
        stream::iter(changed)
            .map(|planned| self.put(planned))
            .buffer_unordered(self.at_once)
            .try_collect::<()>()
            .boxed()
            .await?;
        let gone: BTreeSet<_> = missing.iter().map(|it| it.file.clone()).collect();
        let made = self.shelf.names().await?;
        let is_empty = |planned: &&Planned| !gone.contains(&planned.file) && made.get(&planned.file) == Some(&0);
        let empty = self.plan.documents.iter().filter(is_empty);
        missing.extend(empty.map(|planned| Missing::of(planned, NOT_TYPESET)));
        Ok(missing)
    }

    /// Makes a document and puts it on the shelf: empty, if there is none, now or ever.
    async fn put(&self, planned: &Planned) -> Result<(), SetError> {
        let pdf = match self.document(planned).await {
            Ok(pdf) => pdf.unwrap_or_default(),
            Err(SetError::Store(error)) if error.is_transient() => return Err(error.into()),
            Err(error) => {
                tracing::error!(report = planned.report_id.as_str(), %error, "a document could not be made");
                Vec::new()
            }
        };
        self.shelf.put(&planned.file, pdf).await
    }

    async fn document(&self, planned: &Planned) -> Result<Option<Vec<u8>>, SetError> {
        let Some(stored) = self.organization.report(&planned.report_id).await? else { return Ok(None) };
        let document = documents::of(self.organization, &stored.summary, self.plan.choice.clone()).await?;
        let json = api::reports::json(self.links, stored)?;
        let made = tokio::task::spawn_blocking(move || crate::render(&json, &document)).await;
        Ok(Some(made.map_err(|_| SetError::Panicked)??))
    }
}

impl Missing {
    fn of(planned: &Planned, reason: &'static str) -> Self {
        let Planned { report_id, tenant_name, file, .. } = planned.clone();
        Self { report_id, tenant_name, file, reason }
    }
}
