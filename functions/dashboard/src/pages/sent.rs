//! A form whose fields may have several values, as it was sent.

use model::FormId;
use serde::Deserialize;
use web::failure::Failure;

/// The fields by name. One of which several values are chosen is sent once for each.
#[derive(Deserialize)]
#[serde(transparent)]
pub(crate) struct Sent(Vec<(String, String)>);

impl Sent {
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(field, text)| field == name && !text.is_empty()).map(|(_, text)| text.as_str())
    }

    pub(super) fn one(&self, name: &str) -> &str {
        self.all(name).next().unwrap_or_default()
    }

    pub(super) fn asks_for_preview(&self) -> bool {
        !self.one("preview").is_empty()
    }

    /// Returns the field by which the form is used once.
    pub(super) fn once(&self) -> Result<FormId, Failure> {
        self.one("form").parse().map_err(|_| Failure::incomplete())
    }
}
