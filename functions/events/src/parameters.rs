//! The query parameters, and the places in the list that clients send back.

use std::fmt;

use api::cursor;
use api::query::{Cursor, Described, Limit, Moment, OneOf, Parameter, Text};
use api::{ApiError, Query, Request};
use model::{Choice, EventKind, OrganizationId, Timestamp};
use store::EventPosition;

const TENANT_ID: Parameter<Text> = Parameter {
    name: "tenantId",
    description: "One tenant, by its service or its provider identifier. 404 if the organization has no such tenant.",
    kind: Text,
};
const KIND: Parameter<OneOf<EventKind>> = Parameter {
    name: "kind",
    description: "Only events of this kind.",
    kind: OneOf { values: EventKind::KNOWN, rule: "must be a kind of event, such as report.completed" },
};
const START_DATE: Parameter<Moment> = Parameter {
    name: "startDate",
    description: "Only events written at or after this ISO 8601 date or date-time. A date means its beginning in UTC; a \
                  date-time without an offset is in UTC.",
    kind: Moment,
};
const LIMIT: Parameter<Limit> =
    Parameter { name: "limit", description: "Maximum number of events returned.", kind: Limit { default: 100 } };
const CURSOR: Parameter<Cursor> = Parameter {
    name: "cursor",
    description: "The `nextCursor` of an earlier response, to get the events that follow. The other parameters must be \
                  the same as then; only `limit` may differ. Empty for the oldest event, and 400 for any other text.",
    kind: Cursor,
};

/// Every parameter, in the order of the documentation.
pub const PARAMETERS: [&dyn Described; 5] = [&TENANT_ID, &KIND, &START_DATE, &LIMIT, &CURSOR];

/// The requested events.
pub(crate) struct Asked {
    organization: OrganizationId,
    /// As requested.
    pub(crate) tenant: Option<String>,
    pub(crate) kind: Option<EventKind>,
    since: Option<Timestamp>,
    /// The place that the cursor names.
    cursor: Option<Place>,
    pub(crate) limit: usize,
}

/// A place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) position: EventPosition,
    /// When the first page of a walk was read; `None` between walks.
    pub(crate) walk_began: Option<Timestamp>,
}

impl Asked {
    pub(crate) fn of(request: &Request, organization: &OrganizationId) -> Result<Self, ApiError> {
        let query = Query::of(request, &PARAMETERS)?;
        let asked = Self {
            organization: organization.clone(),
            tenant: query.text(&TENANT_ID)?.map(str::to_owned),
            kind: query.one_of(&KIND)?,
            since: query.moment(&START_DATE)?,
            cursor: None,
            limit: query.limit(&LIMIT)?,
        };
        let cursor = query.cursor(&CURSOR, |text| Place::of(&cursor::read(&asked.list(), text)?))?;
        Ok(Self { cursor, ..asked })
    }

    /// Returns the position after which the page begins.
    pub(crate) fn after(&self) -> Option<EventPosition> {
        self.cursor.as_ref().map(|place| place.position.clone()).or(self.since.map(EventPosition::at))
    }

    /// Returns the position before all events that can be asked for.
    pub(crate) fn earliest(&self) -> EventPosition {
        self.since.map_or(EventPosition { place: String::new(), events: 0 }, EventPosition::at)
    }

    /// Returns when the first page of the walk was read, if this is another one.
    pub(crate) fn walk_began(&self) -> Option<Timestamp> {
        self.cursor.as_ref()?.walk_began
    }

    /// Returns the text for a place.
    pub(crate) fn write(&self, place: &Place) -> String {
        cursor::write(&self.list(), &place.to_string())
    }

    /// Returns a text that no other list has: Debug quotes the texts in it.
    fn list(&self) -> String {
        format!("{:?}", ("events", self.organization.as_str(), &self.tenant, self.kind, self.since))
    }
}

impl fmt::Display for Asked {
    /// Writes all parameters, so that the responses to two different requests do not share a tag.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.list(), (&self.cursor, self.limit))
    }
}

impl Place {
    fn of(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let (events, began, place) = (parts.next()?, parts.next()?, parts.next()?);
        let walk_began = if began.is_empty() { None } else { Some(began.parse().ok()?) };
        let position = EventPosition { place: place.to_owned(), events: events.parse().ok()? };
        parts.next().is_none().then_some(Self { position, walk_began })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let began = self.walk_began.map(String::from).unwrap_or_default();
        write!(f, "{} {began} {}", self.position.events, self.position.place)
    }
}
