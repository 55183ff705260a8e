//! Reports: stored ready to send, found by pointers in the requested order, visible completely or not at all.
//!
//! A pointer contains a summary of its report and the tenant's name, so lists read neither bodies nor tenants. Names that
//! changed since are corrected while reading: a rename is one write, and no response mixes two names.

mod add;
mod edit;
mod found;
mod item;
mod marks;
mod names;
mod newest;
mod place;
mod read;
mod replace;
mod selected;
mod selection;
mod shared;
mod stored;
mod summary;
mod text;

pub use add::{NewReport, ReportError};
pub use edit::{Draft, EditError, EditedReport};
pub use found::FoundValues;
pub(crate) use item::ReportItem;
pub use marks::{AppliedText, EditMark, EditedField, EditedPart};
pub(crate) use names::Correction;
pub(crate) use place::Place;
pub use place::ReportPosition;
pub use selected::{NextPage, Selected};
pub use selection::Selection;
pub use shared::BodyDigest;
pub(crate) use shared::SharedBody;
pub use stored::{PastReport, RunContent, StoredReport};
pub use summary::{ListedReport, ReportSummary};
