//! Messages to targets that are webhooks: an event, or a test.

use serde::Serialize;

use super::{Event, EventKind, Timestamp};

/// An event, as a webhook receives it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventMessage {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// Time of the change.
    pub timestamp: Timestamp,
    /// The event.
    pub data: EventData,
}

/// An event with the address of its report.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventData {
    /// The event, as the API returns it.
    #[serde(flatten)]
    pub event: Event,
    /// Address of the report in the API; null without one.
    pub api_url: Option<String>,
}

/// A test, which a person asked for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestMessage {
    /// That it is a test.
    #[serde(rename = "type")]
    pub kind: TestKind,
    /// Time of the attempt.
    pub timestamp: Timestamp,
    /// Words for people.
    pub data: TestData,
}

/// The type of a test.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum TestKind {
    /// A test.
    #[serde(rename = "test")]
    Test,
}

/// The words of a test.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestData {
    /// That nothing has happened.
    pub message: &'static str,
}
