//! Files: sources, archives, encodings, limits, shapes, rows, and pages of lists.

mod archive;
mod boolean;
mod encoding;
mod error;
mod field;
mod input;
mod limits;
mod pages;
mod rows;
mod shape;
mod source;
mod table;
mod time;
mod unique;

pub use archive::{Member, Packed, members};
pub(crate) use boolean::read_boolean;
pub(crate) use encoding::decode;
pub use encoding::text;
pub use error::Unreadable;
pub(crate) use field::{Field, damaged};
pub(crate) use input::Input;
pub use limits::{Excess, TableEnd};
pub(crate) use pages::{ADDITIONAL_PROPERTIES, Extent, RowKey, WRAPPERS, read_page};
pub(crate) use rows::{each_row, rows};
pub(crate) use shape::Shape;
pub use shape::table_layout;
pub use source::{ReadSeek, Source};
pub(crate) use time::{
    DateOrder, TimeProblem, WithoutOffset, is_date, read_day, read_duration, read_time, read_time_in, time,
};
pub use unique::Unique;
pub(crate) use unique::{UniqueMap, repeated, unique};
