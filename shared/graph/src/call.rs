//! One request of the plan, which a run can be interrupted at.

use std::hash::{DefaultHasher, Hash, Hasher};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::exchange::Form;
use crate::pace::Service;

/// Characters of a query that an address cannot contain, or that have another meaning there.
const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'+').add(b'<').add(b'>');

/// A request of the plan: one endpoint with its query, or the next page of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Call {
    pub(crate) endpoint: String,
    pub(crate) query: String,
    pub(crate) service: Service,
    /// Resource units that the request costs.
    pub(crate) units: u32,
    /// Most pages that are read.
    pub(crate) most_pages: usize,
    /// Object ids that the body asks for, instead of no body.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ids: Vec<String>,
    /// The page to read next; `None` for the first.
    pub(crate) page: Option<Page>,
    /// Whether the collection was begun again because a link had expired.
    pub(crate) restarted: bool,
}

/// The position within a collection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page {
    /// Address of the page: opaque, and used as it is.
    pub(crate) link: String,
    /// Digests of this link and all before it.
    pub(crate) seen: Vec<u64>,
    /// Bytes of the collection so far.
    pub(crate) bytes: u64,
}

impl Call {
    pub(crate) fn new(endpoint: impl Into<String>, query: impl Into<String>, service: Service, units: u32) -> Self {
        Self {
            endpoint: endpoint.into(),
            query: query.into(),
            service,
            units,
            most_pages: MOST_PAGES,
            ids: Vec::new(),
            page: None,
            restarted: false,
        }
    }

    /// Returns the request's target below a host, such as `/v1.0/users?$top=999`.
    pub(crate) fn target(&self) -> String {
        let Self { endpoint, query, .. } = self;
        match query.as_str() {
            "" => endpoint.clone(),
            query => format!("{endpoint}?{}", utf8_percent_encode(query, QUERY)),
        }
    }

    pub(crate) fn form(&self) -> Form {
        if self.service == Service::UsageReports { Form::Lines } else { Form::Json }
    }

    /// Number of pages before this one.
    pub(crate) fn pages(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.seen.len())
    }

    /// Bytes of the pages before this one.
    pub(crate) fn bytes(&self) -> u64 {
        self.page.as_ref().map_or(0, |page| page.bytes)
    }

    /// Returns the call of the page after this one, or `None` if its link was followed before.
    pub(crate) fn next(&self, link: String, bytes: u64) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        link.hash(&mut hasher);
        let digest = hasher.finish();
        let mut seen = self.page.as_ref().map(|page| page.seen.clone()).unwrap_or_default();
        if seen.contains(&digest) {
            return None;
        }
        seen.push(digest);
        Some(Self { page: Some(Page { link, seen, bytes: self.bytes() + bytes }), ..self.clone() })
    }

    /// Returns the call that reads the collection again from its beginning.
    pub(crate) fn again(&self) -> Self {
        Self { page: None, restarted: true, ..self.clone() }
    }
}

/// Most pages of a collection: 2,000 pages of 999 users are two million.
pub(crate) const MOST_PAGES: usize = 2_000;
/// Most bytes of a collection.
pub(crate) const LARGEST_COLLECTION: u64 = 256 * 1024 * 1024;
