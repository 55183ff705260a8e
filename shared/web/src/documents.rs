//! PDFs of reports. The typesetter is as large as the rest of the service, so it is passed in.

use std::error::Error;
use std::fmt::Debug;
use std::fs::File;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use model::{OrganizationId, RequestId};
use operations::documents::Document;

/// Returns a report as a PDF. The bytes are its JSON, as the API returns it.
pub type Render = fn(&[u8], &Document) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>;

/// Where the PDFs of reports are created.
#[derive(Debug, Clone, Default)]
pub enum Documents {
    /// Nowhere: this build has no typesetter. Reports then have no link to a PDF.
    #[default]
    Nobody,
    /// Another function behind the same address, to which the gateway leads such requests.
    Elsewhere,
    /// This process.
    Here {
        /// The typesetter.
        render: Render,
        /// Largest document that can be sent, in bytes.
        largest: usize,
        /// Where the archives of many documents are, if there are any.
        archives: Option<Arc<dyn Archives>>,
    },
}

/// An archive with the documents of many reports.
#[derive(Debug)]
pub enum Archive {
    /// A file.
    File(File),
    /// An address from which a browser may download it for a short time.
    Address(String),
}

/// The reason why an archive cannot be read.
pub type ArchiveError = Box<dyn Error + Send + Sync>;

/// The place of archives.
pub trait Archives: Debug + Send + Sync {
    /// Returns the archive of a set of documents, or `None` if there is none. An address responds with a disposition.
    fn archive<'a>(
        &'a self,
        organization: &'a OrganizationId,
        set: &'a RequestId,
        disposition: &'a str,
    ) -> BoxFuture<'a, Result<Option<Archive>, ArchiveError>>;
}

impl Documents {
    /// Returns whether reports have a link to their PDF.
    pub fn are_offered(&self) -> bool {
        !matches!(self, Self::Nobody)
    }

    /// Returns whether archives of many documents can be requested.
    pub fn make_archives(&self) -> bool {
        matches!(self, Self::Elsewhere | Self::Here { archives: Some(_), .. })
    }
}
