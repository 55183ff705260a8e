//! Sets of documents: each is requested once and ends once, whatever call fails.

use futures_util::FutureExt;
use store::{DocumentSet, RequestState, StoreError, Which};

use super::office::{Outcome, now};
use super::target::Target;
use super::writes::{Write, all_wait_for_capacity};
use crate::support::by_operator;

/// Requests a set by a form that may be sent again, and completes it.
async fn complete(target: Target) -> Outcome {
    let writer = by_operator(&target, now());
    match writer.clone().once("form_1".parse().unwrap()).request_documents(Which::default(), "{}".to_owned()).await {
        Ok(_) | Err(StoreError::Repeated) => {}
        Err(error) => return Err(error),
    }
    let Some(set) = target.document_sets(now()).await?.into_iter().find(DocumentSet::is_open) else { return Ok(()) };
    writer.continue_documents(DocumentSet { state: RequestState::Completed, ..set }).await.map(drop)
}

async fn is_complete(target: Target) -> bool {
    let sets = target.document_sets(now()).await.unwrap();
    matches!(&sets[..], [set] if set.state == RequestState::Completed && set.version == 2)
}

const COMPLETE: Write =
    Write { run: |target| complete(target).boxed(), done: |target| is_complete(target).boxed(), in_steps: true };

#[tokio::test]
async fn throttled_writes_of_documents_wait_and_complete() {
    all_wait_for_capacity([COMPLETE]).await;
}

#[tokio::test]
async fn documents_are_requested_and_completed_once() {
    COMPLETE.is_whole_or_not_at_all_and_completed_by_another_run().await;
}
