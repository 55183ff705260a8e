//! The archive of the PDFs of many reports.

use std::fs::File;
use std::io::{self, Read};

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing;
use futures_util::stream;
use model::RequestId;
use store::RequestState;

use crate::documents::Documents;
use crate::failure::Failure;
use crate::input::Named;
use crate::route::{self, Access, Route};
use crate::session::Viewer;
use crate::state::Dashboard;

/// The archive of a set of documents, on the machine that made it.
pub const ARCHIVE: Route =
    route::get("/documents/{set}/documents.zip", Access::Member, "The archive of the PDFs of many reports.", || {
        routing::get(show)
    });

/// Name of the file.
const NAME: &str = "documents.zip";
/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;

async fn show(dashboard: Dashboard, viewer: Viewer, Named(set): Named<RequestId>) -> Result<Response, Failure> {
    let found = viewer.organization.document_set(&set, viewer.now).await?.ok_or(Failure::NotFound)?;
    let Documents::Here { archives: Some(archives), .. } = dashboard.documents else {
        return Err(Failure::NoDocuments);
    };
    let is_complete = found.state == RequestState::Completed;
    let archive = if is_complete { archives.archive(viewer.organization.id(), &set) } else { Ok(None) };
    let archive = archive.map_err(|error| Failure::Internal(error.into()))?.ok_or(Failure::NotFound)?;
    sent(archive).map_err(|error| Failure::Internal(error.into()))
}

/// Returns a response with the content of a file, which is read as it is sent.
fn sent(mut file: File) -> io::Result<Response> {
    let length = file.metadata()?.len().to_string();
    let disposition = format!("attachment; filename=\"{NAME}\"");
    let chunks = std::iter::from_fn(move || {
        let mut chunk = Vec::with_capacity(CHUNK);
        match file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk) {
            Ok(0) => None,
            read => Some(read.map(|_| Bytes::from(chunk))),
        }
    });
    let head =
        [(CONTENT_TYPE, "application/zip".to_owned()), (CONTENT_LENGTH, length), (CONTENT_DISPOSITION, disposition)];
    Ok((head, Body::from_stream(stream::iter(chunks))).into_response())
}
