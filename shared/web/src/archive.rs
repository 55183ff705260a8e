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

use crate::documents::{Archive, Documents};
use crate::failure::Failure;
use crate::input::Named;
use crate::respond;
use crate::route::{self, Access, Route};
use crate::session::Viewer;
use crate::state::Dashboard;

/// The archive of a set of documents, from where it was made.
pub const ARCHIVE: Route =
    route::get("/documents/{set}/documents.zip", Access::Member, "The archive of the PDFs of many reports.", || {
        routing::get(show)
    });

/// Makes a browser save the file, under this name.
const DISPOSITION: &str = "attachment; filename=\"documents.zip\"";
/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;

async fn show(dashboard: Dashboard, viewer: Viewer, Named(set): Named<RequestId>) -> Result<Response, Failure> {
    let found = viewer.organization.document_set(&set, viewer.now).await?.ok_or(Failure::NotFound)?;
    let Documents::Here { archives: Some(archives), .. } = dashboard.documents else {
        return Err(Failure::NoDocuments);
    };
    if found.state != RequestState::Completed {
        return Err(Failure::NotFound);
    }
    let archive = archives.archive(viewer.organization.id(), &set, DISPOSITION).await;
    match archive.map_err(Failure::Internal)?.ok_or(Failure::NotFound)? {
        Archive::File(file) => sent(file).map_err(|error| Failure::Internal(error.into())),
        Archive::Address(address) => Ok(([(CONTENT_DISPOSITION, DISPOSITION)], respond::see(&address)).into_response()),
    }
}

/// Returns a response with the content of a file, which is read as it is sent.
fn sent(mut file: File) -> io::Result<Response> {
    let length = file.metadata()?.len().to_string();
    let chunks = std::iter::from_fn(move || {
        let mut chunk = Vec::with_capacity(CHUNK);
        match file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk) {
            Ok(0) => None,
            read => Some(read.map(|_| Bytes::from(chunk))),
        }
    });
    let head = [
        (CONTENT_TYPE, "application/zip".to_owned()),
        (CONTENT_LENGTH, length),
        (CONTENT_DISPOSITION, DISPOSITION.to_owned()),
    ];
    Ok((head, Body::from_stream(stream::iter(chunks))).into_response())
}
