//! A report as stored in the table.

use std::collections::BTreeMap;

use model::{ControlId, ReportBody};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::marks::{EditMark, EditedPart};
use super::place::Place;
use super::stored::{RunContent, StoredReport};
use super::summary::ReportSummary;
use super::text;
use crate::keys::Key;
use crate::table::Item;
use crate::{Fragment, ITEM_LIMIT, StoreError};

/// Reserve for a report's other attributes, in bytes.
const ATTRIBUTES_SIZE: usize = 2 * 1024;
/// Reserve for the number of a control's revision, in bytes.
const REVISION_SIZE: usize = 8;
/// Reserve for the mark of an edit in addition to its names, in bytes.
const MARK_SIZE: usize = 160;

/// The item of a report.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReportItem {
    pub(crate) summary: ReportSummary,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    revisions: BTreeMap<ControlId, u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edits: Vec<EditMark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<RunContent>,
    /// CRC-32 of the body's text.
    crc32: u32,
    /// Length of the body's text, in bytes.
    length: u64,
    /// The body's text without its opening brace, deflated.
    #[serde(with = "serde_bytes")]
    tail: Vec<u8>,
}

impl ReportItem {
    /// Returns the item of a new report.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] if it would exceed the size limit of an item.
    pub(super) fn new(
        summary: ReportSummary,
        body: &ReportBody,
        revisions: &BTreeMap<ControlId, u32>,
        edits: Vec<EditMark>,
        content: Option<RunContent>,
    ) -> Result<Self, StoreError> {
        Self::of_text(summary, &text::written(body)?, revisions, edits, content)
    }

    /// Returns the item of a report after an edit of its body.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`StoreError::Corrupt`] if the stored body cannot be read.
    pub(super) fn edited(
        report: &StoredReport,
        summary: ReportSummary,
        body: &ReportBody,
        edits: Vec<EditMark>,
    ) -> Result<Self, StoreError> {
        let text = text::edited(&report.text()?, body)?;
        Self::of_text(summary, &text, &report.revisions, edits, report.content.clone())
    }

    fn of_text(
        summary: ReportSummary,
        text: &[u8],
        revisions: &BTreeMap<ControlId, u32>,
        edits: Vec<EditMark>,
        content: Option<RunContent>,
    ) -> Result<Self, StoreError> {
        // The head precedes the tail in the same JSON object and brings the opening brace.
        let Fragment { deflated, crc32, length, .. } = Fragment::stored(&text[1..]);
        let of_revisions: usize = revisions.keys().map(|id| id.as_str().len() + REVISION_SIZE).sum();
        let of_edits: usize = edits.iter().map(size_of_mark).sum();
        let size = deflated.len() + of_revisions + of_edits + ATTRIBUTES_SIZE;
        if size > ITEM_LIMIT {
            return Err(StoreError::TooLarge { what: "the report", size });
        }
        Ok(Self { summary, revisions: revisions.clone(), edits, content, crc32, length, tail: deflated.into() })
    }

    /// Returns the report of a damaged item with an intact body. The summary is made from the body, and from the item's
    /// own summary or that of a pointer. Returns `None` if the body is damaged, too, or there is no summary.
    pub(crate) fn rebuilt(item: &Item, place: &Place, pointer: Option<ReportSummary>) -> Option<Self> {
        let own = part::<ReportSummary>(item, "summary").filter(|summary| summary.place() == *place);
        let summary = own.or(pointer)?;
        let tail: ByteBuf = part(item, "tail")?;
        let item = Self {
            summary,
            revisions: part(item, "revisions").unwrap_or_default(),
            edits: part(item, "edits").unwrap_or_default(),
            content: part(item, "content"),
            crc32: part(item, "crc32")?,
            length: part(item, "length")?,
            tail: tail.into_vec(),
        };
        let fragment =
            Fragment { deflated: item.tail.clone().into(), crc32: item.crc32, length: item.length, item: None };
        let text = [b"{".as_slice(), &fragment.inflate().ok()?].concat();
        let ReportBody { figures, .. } = serde_json::from_slice(&text).ok()?;
        let is_same = figures.completed_at == place.completed_at;
        is_same.then_some(Self { summary: ReportSummary { figures, ..item.summary }, ..item })
    }

    /// Reads the body of the report of an item with a key, and compares the summary with it.
    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        let report = self.named(key, String::new());
        let (summary, tail) = (report.summary.clone(), report.tail.clone());
        match summary.figures == report.open()?.body.figures {
            true => Ok(()),
            false => Err(tail.unexpected("the summary of the report does not agree with it")),
        }
    }

    /// Returns the report of the item with a key.
    pub(crate) fn named(self, key: Key, tenant_name: String) -> StoredReport {
        let tail = Fragment::of_item(key, self.tail, self.crc32, self.length);
        StoredReport {
            summary: self.summary,
            tenant_name,
            revisions: self.revisions,
            edits: self.edits,
            content: self.content,
            tail,
        }
    }
}

/// Returns one attribute, if it can be read.
fn part<T: DeserializeOwned>(item: &Item, name: &str) -> Option<T> {
    serde_dynamo::from_attribute_value(item.get(name)?.clone()).ok()
}

fn size_of_mark(mark: &EditMark) -> usize {
    let part = match &mark.part {
        EditedPart::Check(control) => control.as_str(),
        EditedPart::Administrator(name) => name,
        EditedPart::Unknown(part) => return part.to_string().len() + mark.by.len() + MARK_SIZE,
    };
    part.len() + mark.by.len() + MARK_SIZE
}
