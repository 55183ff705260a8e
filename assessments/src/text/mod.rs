//! Converts texts of tools for a report: plain text, excerpts, severities and numbers.

mod excerpt;
mod html;
mod link;
mod markdown;
mod numbers;
mod severity;

pub(crate) use excerpt::{non_empty, reason, shorten};
pub(crate) use html::html_to_text;
pub(crate) use markdown::{Document, markdown_to_lines};
pub(crate) use numbers::{CountingTests, administrator_count, number_after};
pub(crate) use severity::severity;
