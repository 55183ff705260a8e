//! Files: where their bytes come from, encodings, limits, shape, rows, and pages of lists.

mod encoding;
mod error;
mod input;
mod limits;
mod pages;
mod rows;
mod shape;
mod source;

pub(crate) use encoding::decode;
pub use error::Unreadable;
pub(crate) use input::Input;
pub use limits::Excess;
pub(crate) use pages::{Extent, RowKey, read_page};
pub(crate) use rows::{each_row, rows};
pub(crate) use shape::Shape;
pub use source::Source;
