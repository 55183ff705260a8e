//! PDFs of reports. The typesetter is as large as the rest of the service, so it is passed in.

use std::error::Error;

use operations::documents::Document;

/// Returns a report as a PDF. The bytes are its JSON, as the API returns it.
pub type Render = fn(&[u8], &Document) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>;

/// Where the PDFs of reports are created.
#[derive(Debug, Clone, Copy, Default)]
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
    },
}

impl Documents {
    /// Returns whether reports have a link to their PDF.
    pub fn are_offered(self) -> bool {
        !matches!(self, Self::Nobody)
    }
}
