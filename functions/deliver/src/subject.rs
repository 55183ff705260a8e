//! The subject of a message, before it is in words or JSON.

use model::{Event, EventId, EventKind, Period, Timestamp};

/// The words of a test.
pub(crate) const ABOUT_TEST: &str = "A person asked for this test. Nothing has happened.";

/// The subject of a message.
pub(crate) enum Subject {
    Event(Box<Event>),
    /// The events of a day or a week, for one mail.
    Period(Period, Vec<Event>),
    /// A test, with its identifier.
    Test(EventId),
}

impl Subject {
    pub(crate) fn id(&self) -> EventId {
        match self {
            Self::Event(event) => event.id.clone(),
            Self::Period(period, _) => id_of(*period),
            Self::Test(id) => id.clone(),
        }
    }

    /// Returns the number of events of a day or a week.
    pub(crate) fn events(&self) -> Option<usize> {
        match self {
            Self::Period(_, events) => Some(events.len()),
            Self::Event(_) | Self::Test(_) => None,
        }
    }

    pub(crate) fn kind(&self) -> Option<EventKind> {
        match self {
            Self::Event(event) => Some(event.kind),
            Self::Period(..) | Self::Test(_) => None,
        }
    }
}

/// Returns the identifier of the mail about a period.
pub(crate) fn id_of(period: Period) -> EventId {
    let day = |at: Timestamp| at.to_datetime().date_naive();
    format!("mail_{}_{}", day(period.start), day(period.end)).parse().expect("letters, digits and hyphens")
}
