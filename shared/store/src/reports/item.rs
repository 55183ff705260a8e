//! A report as stored in the table.

use std::collections::BTreeMap;
use std::mem;

use model::{ControlId, ReportBody};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::found::FoundValues;
use super::marks::{EditMark, EditedPart};
use super::place::Place;
use super::shared::SharedBody;
use super::stored::{RunContent, StoredReport};
use super::summary::ReportSummary;
use super::text;
use crate::fragment::StoredText;
use crate::keys::{Key, Partition};
use crate::table::Item;
use crate::{Damage, Fragment, ITEM_LIMIT, StoreError};

/// Reserve for a report's other attributes, in bytes.
const ATTRIBUTES_SIZE: usize = 2 * 1024;
/// Reserve for the number of a control's revision, in bytes.
const REVISION_SIZE: usize = 8;
/// Reserve for the mark of an edit in addition to its names, in bytes.
const MARK_SIZE: usize = 160;

/// The last fields of a body, without content, after the beginning of one.
const NO_LAST_FIELDS: &[u8] = b"\"topRisks\":[],\"checks\":[]}";
const BODY_MISSING: &str = "the part of the body that the report shares with others is missing";

/// The item of a report.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(crate) struct ReportItem {
    pub(crate) summary: ReportSummary,
    revisions: BTreeMap<ControlId, u32>,
    pub(super) edits: Vec<EditMark>,
    content: Option<RunContent>,
    /// The body without its opening brace, or the beginning of it if the summary names a shared part.
    text: StoredText,
}

/// The item as stored. A whole body and a beginning have different attributes, so that a release that does not know
/// shared parts never takes the one for the other.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    summary: ReportSummary,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    revisions: BTreeMap<ControlId, u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edits: Vec<EditMark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content: Option<RunContent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc32: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tail: Option<ByteBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beginning: Option<StoredText>,
}

impl TryFrom<Stored> for ReportItem {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let Stored { summary, revisions, edits, content, crc32, length, tail, beginning } = stored;
        let text = match (&summary.shared_body, crc32, length, tail, beginning) {
            (None, Some(crc32), Some(length), Some(tail), _) => StoredText { crc32, length, tail: tail.into_vec() },
            (Some(_), .., Some(beginning)) => beginning,
            _ => return Err("the body is missing"),
        };
        Ok(Self { summary, revisions, edits, content, text })
    }
}

impl From<ReportItem> for Stored {
    fn from(item: ReportItem) -> Self {
        let ReportItem { summary, revisions, edits, content, text } = item;
        let stored =
            Self { summary, revisions, edits, content, crc32: None, length: None, tail: None, beginning: None };
        match &stored.summary.shared_body {
            Some(_) => Self { beginning: Some(text), ..stored },
            None => {
                let StoredText { crc32, length, tail } = text;
                Self { crc32: Some(crc32), length: Some(length), tail: Some(ByteBuf::from(tail)), ..stored }
            }
        }
    }
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

    /// Returns the item with a text, of which only the beginning is passed if the summary names a shared part.
    pub(super) fn of_text(
        summary: ReportSummary,
        text: &[u8],
        revisions: &BTreeMap<ControlId, u32>,
        edits: Vec<EditMark>,
        content: Option<RunContent>,
    ) -> Result<Self, StoreError> {
        // The head precedes the tail in the same JSON object and brings the opening brace.
        let fragment = Fragment::stored(&text[1..]);
        let item = Self { summary, revisions: revisions.clone(), edits, content, text: fragment.into() };
        match item.size() {
            size if size > ITEM_LIMIT => Err(StoreError::TooLarge { what: "the report", size }),
            _ => Ok(item.fitting()),
        }
    }

    /// Returns the size of the item without the tool's values of edited fields, in bytes.
    fn size(&self) -> usize {
        let of_revisions: usize = self.revisions.keys().map(|id| id.as_str().len() + REVISION_SIZE).sum();
        let of_edits: usize = self.edits.iter().map(size_of_mark).sum();
        self.text.tail.len() + of_revisions + of_edits + ATTRIBUTES_SIZE
    }

    /// Returns the item without tool's values for which it has no room, texts before others: a report that cannot be
    /// set back is better than none.
    fn fitting(mut self) -> Self {
        let drops: [fn(FoundValues) -> FoundValues; 2] = [FoundValues::without_texts, |_| FoundValues::default()];
        for drop in drops {
            let of_found: usize = self.edits.iter().map(|mark| mark.found.size()).sum();
            if self.size() + of_found > ITEM_LIMIT {
                self.edits.iter_mut().for_each(|mark| mark.found = drop(mem::take(&mut mark.found)));
            }
        }
        self
    }

    /// Returns the report of a damaged item with an intact body. The summary is made from the body, and from the item's
    /// own summary or that of a pointer. Returns `None` if the body is damaged, too, or there is no summary.
    pub(crate) fn rebuilt(item: &Item, place: &Place, pointer: Option<ReportSummary>) -> Option<Self> {
        let own = part::<ReportSummary>(item, "summary").filter(|summary| summary.place() == *place);
        let summary = ReportSummary { shared_body: None, ..own.or(pointer)? };
        let tail: ByteBuf = part(item, "tail")?;
        let item = Self {
            summary,
            revisions: part(item, "revisions").unwrap_or_default(),
            edits: part(item, "edits").unwrap_or_default(),
            content: part(item, "content"),
            text: StoredText { crc32: part(item, "crc32")?, length: part(item, "length")?, tail: tail.into_vec() },
        };
        let fragment = Fragment::from(item.text.clone());
        let text = [b"{".as_slice(), &fragment.inflate().ok()?].concat();
        let ReportBody { figures, .. } = serde_json::from_slice(&text).ok()?;
        let is_same = figures.completed_at == place.completed_at;
        is_same.then_some(Self { summary: ReportSummary { figures, ..item.summary }, ..item })
    }

    /// Reads the item's text, and compares the summary with it.
    pub(crate) fn examined(self, key: Key) -> Result<(), StoreError> {
        let (fragment, figures) = (self.fragment(key), self.summary.figures);
        let end: &[u8] = if self.summary.shared_body.is_some() { NO_LAST_FIELDS } else { b"" };
        let text = [b"{", fragment.inflate()?.as_slice(), end].concat();
        match serde_json::from_slice::<ReportBody>(&text) {
            Ok(body) if body.figures == figures => Ok(()),
            Ok(_) => Err(fragment.unexpected("the summary of the report does not agree with it")),
            Err(_) => Err(fragment.unexpected("a report has an unexpected shape")),
        }
    }

    /// Returns the key of the shared part, if the item has only the beginning of the body.
    pub(crate) fn shared_key(&self, partition: &Partition) -> Option<Key> {
        let digest = self.summary.shared_body.as_ref()?;
        Some(partition.shared_body(&self.summary.service_tenant_id, digest))
    }

    /// Returns whether the item has a whole body with this end.
    pub(super) fn ends_with(&self, end: &[u8]) -> bool {
        self.summary.shared_body.is_none()
            && Fragment::from(self.text.clone()).inflate().is_ok_and(|text| text.ends_with(end))
    }

    fn fragment(&self, key: Key) -> Fragment {
        self.text.clone().of_item(key)
    }

    /// Returns the item with a whole body, as a release that does not know shared parts writes it.
    pub(crate) fn whole(self, key: &Key, shared: Option<&SharedBody>) -> Result<Self, StoreError> {
        if self.summary.shared_body.is_none() {
            return Ok(self);
        }
        let shared = shared.ok_or_else(|| Damage::of(key.clone(), BODY_MISSING))?;
        let text = self.fragment(key.clone()).followed_by(&shared.fragment(key.clone())).into();
        let summary = ReportSummary { shared_body: None, ..self.summary };
        Ok(Self { summary, text, ..self }.fitting())
    }

    /// Returns the report of the item with a key, whose body may need a shared part.
    ///
    /// # Errors
    /// If the shared part is missing.
    pub(crate) fn named(
        self,
        key: Key,
        tenant_name: String,
        shared: Option<&SharedBody>,
    ) -> Result<StoredReport, StoreError> {
        let Self { summary, revisions, edits, content, text } = self;
        let tail = text.of_item(key.clone());
        let tail = match (&summary.shared_body, shared) {
            (None, _) => tail,
            (Some(_), Some(shared)) => tail.followed_by(&shared.fragment(key)),
            (Some(_), None) => return Err(Damage::of(key, BODY_MISSING).into()),
        };
        Ok(StoredReport { summary, tenant_name, revisions, edits, content, tail })
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
    let of_text = mark.text.as_ref().map_or(0, |text| text.by.len() + MARK_SIZE);
    part.len() + mark.by.len() + of_text + MARK_SIZE
}

#[cfg(test)]
mod tests {
    use model::Check;
    use serde_json::json;

    use super::super::{AppliedText, EditedField};
    use super::*;

    /// Returns an item with a check whose reason has so many characters and whose status, severity and reason were
    /// edited, by a person whose name has so many. The organization has a text of it, too.
    fn item_of(why: usize, name: usize) -> Result<ReportItem, StoreError> {
        let check: Check = serde_json::from_value(json!({
            "controlId": "X.1", "category": "ACCOUNTS", "name": "A name", "status": "OPEN", "severity": null,
            "currentState": "", "previousState": null, "why": "x".repeat(why), "suggestedFix": null,
            "observedUsage": null,
        }))
        .unwrap();
        let fields = vec![EditedField::Status, EditedField::Severity, EditedField::Why];
        let (at, found) = ("2026-07-01T00:00:00Z".parse().unwrap(), FoundValues::of(&check, &fields));
        let text = Some(AppliedText { fields: fields.clone(), by: "Dana".to_owned(), at });
        let (part, by) = (EditedPart::Check(check.control_id.clone()), "x".repeat(name));
        let mark = EditMark { part, fields, by, at, kept: true, text, found };
        let summary = serde_json::from_value(json!({
            "reportId": "rpt_1", "serviceTenantId": "ten_1", "providerTenantId": "01234567-89ab-cdef-0123-456789abcdef",
            "tool": "ScubaGear", "reportType": "BASELINE", "createdAt": "2026-07-01T07:00:00Z",
            "completedAt": "2026-07-01T00:00:00Z", "activityLookbackDays": 30, "score": 87, "grade": "B",
            "controls": {
                "assessed": 1, "secure": 0, "fixed": 0, "inProgress": 0, "open": 1, "drifted": 0, "notAssessed": 0,
            },
            "updatedAt": "2026-07-01T08:00:00Z", "revision": 0,
        }));
        let revisions = BTreeMap::from(["X.1", "X.10"].map(|control| (control.parse().unwrap(), 2)));
        ReportItem::of_text(summary.unwrap(), b"{}", &revisions, vec![mark], None)
    }

    fn found_in(item: &ReportItem) -> serde_json::Value {
        json!(item.edits[0].found)
    }

    #[test]
    fn a_report_without_room_for_the_tools_values_is_stored_without_them() {
        let texts = found_in(&item_of(ITEM_LIMIT / 2, 4).unwrap());
        assert_eq!(texts["why"].as_str().map(str::len), Some(ITEM_LIMIT / 2));
        let without = item_of(ITEM_LIMIT, 4).unwrap();
        assert_eq!(found_in(&without), json!({ "status": "OPEN", "severity": null }), "they have room");
        let [mark] = without.edits.try_into().unwrap();
        assert_eq!((mark.fields.len(), mark.text.is_some()), (3, true));
    }

    #[test]
    fn a_mark_that_a_later_release_wrote_has_a_size_too() {
        let mut mark = item_of(0, 4).unwrap().edits.remove(0);
        mark.part = EditedPart::Unknown(json!({ "part": "of a body" }));
        assert_eq!(size_of_mark(&mark), r#"{"part":"of a body"}"#.len() + "xxxx".len() + MARK_SIZE);
    }

    #[test]
    fn a_report_has_at_most_the_bytes_of_an_item() {
        let tail = item_of(0, 0).unwrap().text.tail.len();
        let revisions = "X.1".len() + "X.10".len() + 2 * REVISION_SIZE;
        let rest = tail + revisions + "X.1".len() + "Dana".len() + 2 * MARK_SIZE + ATTRIBUTES_SIZE;
        let largest = ITEM_LIMIT - rest;
        assert_eq!(found_in(&item_of(0, largest).unwrap()), json!({}));
        for size in [ITEM_LIMIT + 1, ITEM_LIMIT + 2] {
            let Err(StoreError::TooLarge { size: found, .. }) = item_of(0, size - rest) else { panic!("it is stored") };
            assert_eq!(found, size);
        }
        let values = json!({ "status": "OPEN", "severity": null, "why": "" });
        let room = values.to_string().len();
        assert_eq!(found_in(&item_of(0, largest - room).unwrap()), values);
        assert_eq!(found_in(&item_of(0, largest - room + 1).unwrap()), json!({ "status": "OPEN", "severity": null }));
    }
}
