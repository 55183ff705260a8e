//! Makes the sets of documents that were requested, step by step.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent, SqsMessage};
use model::{Actor, RequestId, Timestamp};
use operations::Queue;
use operations::documents::{Message, Plan};
use store::{DocumentSet, Organization, RequestState, Store, StoreError};
use tokio::time::Instant;

use crate::set::{Set, SetError, Shelf};
use crate::shelves::Shelves;

/// Time between two notes of the progress.
const STEP: Duration = Duration::from_secs(5);

/// Works on sets of documents.
#[derive(Clone)]
pub struct Worker {
    /// The table.
    pub store: Store,
    /// Address of the dashboard that links of reports lead to.
    pub links: Arc<str>,
    /// Where the documents and archives are.
    pub shelves: Shelves,
    /// The queue in which a set goes on whose invocation ends.
    pub queue: Queue,
    /// Number of documents that are made at once.
    pub at_once: usize,
    /// The time.
    pub clock: fn() -> Timestamp,
}

impl Worker {
    /// Works on the sets of a batch of messages until a time has come, and returns the messages that are to be delivered
    /// again.
    pub async fn handle(&self, event: SqsEvent, until: Instant) -> SqsBatchResponse {
        let mut response = SqsBatchResponse::default();
        for record in event.records {
            if let Err(error) = self.deliver(&record, until).await {
                tracing::warn!(%error, "a set of documents is tried again");
                let mut failure = BatchItemFailure::default();
                failure.item_identifier = record.message_id.unwrap_or_default();
                response.batch_item_failures.push(failure);
            }
        }
        response
    }

    async fn deliver(&self, record: &SqsMessage, until: Instant) -> Result<(), SetError> {
        let message: Message = serde_json::from_str(record.body.as_deref().unwrap_or_default())?;
        let organization = self.store.organization(&message.organization_id);
        match organization.document_set(&message.set_id, (self.clock)()).await? {
            Some(set) if set.is_open() => self.work(&organization, set, Some(until)).await,
            // The message was delivered before.
            Some(_) => self.shelves.shelf(organization.id(), &message.set_id)?.clear().await,
            // The set was erased, and whoever worked on it may have ended before it noticed.
            None => self.forget(&organization, &message.set_id).await,
        }
    }

    /// Works on a set until its archive is complete. If somebody else works on it, or it was erased, stops. When a time has
    /// come, puts its message into the queue again.
    ///
    /// # Errors
    /// If the work cannot go on at present. What was made is kept.
    pub async fn work(
        &self,
        organization: &Organization,
        set: DocumentSet,
        until: Option<Instant>,
    ) -> Result<(), SetError> {
        let shelf = self.shelves.shelf(organization.id(), &set.set_id)?;
        let message = Message::of(organization, &set);
        match self.make(organization, set, &shelf, until).await? {
            Outcome::Completed => shelf.clear().await,
            Outcome::Interrupted => Ok(self.queue.send(&message).await?),
            Outcome::Overtaken => {
                if organization.document_set(&message.set_id, (self.clock)()).await?.is_none() {
                    self.forget(organization, &message.set_id).await?;
                }
                Ok(())
            }
        }
    }

    /// Deletes what was made of a set that was erased.
    async fn forget(&self, organization: &Organization, set: &RequestId) -> Result<(), SetError> {
        self.shelves.shelf(organization.id(), set)?.clear().await?;
        self.shelves.archive(organization.id(), set).clear().await
    }

    async fn make(
        &self,
        organization: &Organization,
        set: DocumentSet,
        shelf: &Shelf,
        until: Option<Instant>,
    ) -> Result<Outcome, SetError> {
        let plan = plan(organization, &set, shelf).await?;
        let next = DocumentSet { state: RequestState::Running, documents: plan.documents.len(), ..set };
        let Some(mut set) = self.note(organization, next).await? else { return Ok(Outcome::Overtaken) };
        let work = Set { organization, links: &self.links, plan: &plan, shelf, at_once: self.at_once };
        let is_over = || until.is_some_and(|until| Instant::now() >= until);
        while set.done < set.documents && !is_over() {
            let step = Instant::now() + STEP;
            let done = work.make(Some(until.map_or(step, |until| step.min(until))), |_| {}).await?;
            let next = self.note(organization, DocumentSet { done, ..set }).await?;
            let Some(noted) = next else { return Ok(Outcome::Overtaken) };
            set = noted;
        }
        // The archive is made in one go.
        if is_over() {
            return Ok(Outcome::Interrupted);
        }
        let missing = work.archive(&self.shelves.archive(organization.id(), &set.set_id)).await?.len();
        let completed = DocumentSet { state: RequestState::Completed, missing, ..set };
        Ok(self.note(organization, completed).await?.map_or(Outcome::Overtaken, |_| Outcome::Completed))
    }

    /// Writes the state of a set, unless somebody else did.
    async fn note(&self, organization: &Organization, set: DocumentSet) -> Result<Option<DocumentSet>, StoreError> {
        organization.by(&Actor::service(), (self.clock)()).continue_documents(set).await
    }
}

/// The reason why the work on a set ended.
enum Outcome {
    /// The archive is complete.
    Completed,
    /// The time had come.
    Interrupted,
    /// Somebody else works on it, or it was erased.
    Overtaken,
}

/// Returns the plan of a set: that of earlier work, or a new one.
async fn plan(organization: &Organization, set: &DocumentSet, shelf: &Shelf) -> Result<Plan, SetError> {
    if let Some(begun) = shelf.plan().await? {
        return Ok(begun);
    }
    let plan = Plan::of(organization, set.which.clone(), serde_json::from_str(&set.choice)?).await?;
    shelf.keep(&plan).await?;
    Ok(plan)
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("store", &self.store).finish_non_exhaustive()
    }
}
