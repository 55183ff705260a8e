//! A posture report as a PDF with exactly the API's data.
//!
//! An embedded typesetter makes the document from the report's JSON, which is attached. Texts reach the template as
//! values, never as markup. Nothing reads a clock, the disk or the network, so the same report, brand, history and choice
//! result in the same bytes.

#![cfg(feature = "pdf")]

pub mod bucket;
mod fonts;
mod glossary;
mod prose;
pub mod set;
pub mod shelves;
mod text;
mod view;
pub mod worker;
mod world;

use std::sync::Arc;

use model::{Coverage, PostureReport};
use operations::documents::Document;
use serde_json::Value;
use typst::comemo;
use typst::diag::SourceDiagnostic;
use typst::foundations::Smart;
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards};
use web::{Archives, Documents};

use view::View;
use world::Inputs;

/// The standards that the document conforms to: PDF/UA-1, for assistive technology, and PDF/A-3a, for archiving.
const STANDARDS: [PdfStandard; 2] = [PdfStandard::Ua_1, PdfStandard::A_3a];
/// The creating program in the document's metadata.
const CREATOR: &str = "posture";

/// Why there is no document.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The bytes are not a report as the API returns it.
    #[error("the report cannot be read as the API returns it")]
    NotAReport(#[source] serde_json::Error),
    /// The typesetter refused, at these positions of the template. Its messages are left out: they can repeat texts.
    #[error("the report cannot be typeset: {0}")]
    Typesetting(String),
}

/// Returns the report as a PDF. `report` is its JSON, byte for byte as the API returns it: the attachment.
///
/// # Errors
/// If the bytes are not a report, or it cannot be typeset under the standards.
pub fn render(report: &[u8], document: &Document) -> Result<Vec<u8>, RenderError> {
    let parsed: PostureReport = serde_json::from_slice(report).map_err(RenderError::NotAReport)?;
    let mut shown: Value = serde_json::from_slice(report).map_err(RenderError::NotAReport)?;
    text::clean_all(&mut shown);
    let coverage = parsed.body.figures.coverage.as_ref();
    shown["coverageInWords"] = coverage.and_then(Coverage::in_words).into();
    shown["isComparable"] = coverage.is_none_or(Coverage::is_comparable).into();
    let mut files = vec![
        ("report.json", shown.to_string().into_bytes()),
        ("report.bytes", report.to_vec()),
        ("view.json", serde_json::to_vec(&View::of(&parsed, document)).expect("a view is written as JSON")),
    ];
    files.extend(document.brand.logo.as_ref().map(|logo| (LOGO, logo.bytes.clone())));
    let pdf = typeset(&Inputs::new(files), parsed.head.id.as_str());
    // The typesetter caches results for another run, which here is another report: memory would only grow.
    comemo::evict(0);
    pdf
}

/// Returns this crate as the dashboard's typesetter of documents up to a size in bytes, with the place of archives.
pub fn documents(largest: usize, archives: Option<Arc<dyn Archives>>) -> Documents {
    Documents::Here { render: |report, document| Ok(render(report, document)?), largest, archives }
}

/// The logo's name among the template's files.
const LOGO: &str = "logo";

fn typeset(inputs: &Inputs, id: &str) -> Result<Vec<u8>, RenderError> {
    let pages = typst::compile::<PagedDocument>(inputs).output.map_err(|errors| refused(inputs, &errors))?;
    let options = PdfOptions {
        ident: Smart::Custom(id.to_owned()),
        creator: Smart::Custom(Some(CREATOR.to_owned())),
        standards: PdfStandards::new(&STANDARDS).expect("the standards agree"),
        ..PdfOptions::default()
    };
    typst_pdf::pdf(&pages, &options).map_err(|errors| refused(inputs, &errors))
}

fn refused(inputs: &Inputs, errors: &[SourceDiagnostic]) -> RenderError {
    let places: Vec<_> = errors.iter().map(|error| inputs.place(error.span)).collect();
    RenderError::Typesetting(places.join(", "))
}
