//! What all pages are made of, and the pages of failures.
//!
//! - [`layout`]: the frame of every page; [`form`]: fields with what is wrong with them beside them.
//! - [`text`]: texts as people read them.

pub(crate) mod error;
pub mod form;
pub mod layout;
pub mod text;
pub(crate) mod unsaved;
