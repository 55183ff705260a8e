//! The text of a report's body, of which this release may know only a part.

use indexmap::IndexMap;
use model::ReportBody;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::StoreError;
use crate::table::{Nested, Parts, merge};

/// JSON whose fields stay in their order.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Json {
    Map(IndexMap<String, Json>),
    List(Vec<Json>),
    Single(Value),
}

/// Returns the text of an edited body. Keeps those parts of the stored text that this release does not know.
pub(super) fn edited(stored: &[u8], body: &ReportBody) -> Result<Vec<u8>, StoreError> {
    let understood: ReportBody = serde_json::from_slice(stored).map_err(unreadable)?;
    let stored = serde_json::from_slice(stored).map_err(unreadable)?;
    let merged = merge(stored, Some(json(&understood)?), json(body)?);
    serde_json::to_vec(&merged).map_err(unwritable)
}

fn json(body: &ReportBody) -> Result<Json, StoreError> {
    let text = written(body)?;
    serde_json::from_slice(&text).map_err(unwritable)
}

/// Returns the text of a body.
pub(super) fn written(body: &ReportBody) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(body).map_err(unwritable)
}

fn unreadable(_: serde_json::Error) -> StoreError {
    StoreError::Corrupt("a report has an unexpected shape")
}

fn unwritable(_: serde_json::Error) -> StoreError {
    StoreError::Corrupt("a report cannot be written")
}

impl Nested for Json {
    fn split(self) -> Parts<Self> {
        match self {
            Self::Map(fields) => Parts::Map(fields.into_iter().collect()),
            Self::List(elements) => Parts::List(elements),
            single @ Self::Single(_) => Parts::Single(single),
        }
    }

    fn join(parts: Parts<Self>) -> Self {
        match parts {
            Parts::Map(fields) => Self::Map(fields.into_iter().collect()),
            Parts::List(elements) => Self::List(elements),
            Parts::Single(single) => single,
        }
    }

    fn field(&self, name: &str) -> Option<&Self> {
        if let Self::Map(fields) = self { fields.get(name) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use model::Severity;
    use serde_json::json;

    use super::*;
    use crate::results;

    #[test]
    fn what_a_later_release_wrote_stays_with_its_risk_when_another_ends() {
        let risk = |control: &str| json!({ "controlId": control, "name": "A name", "status": "OPEN", "severity": null, "later": control });
        let mut stored = json!(results::tests::body(1, &[]));
        stored["topRisks"] = json!([risk("X.1"), risk("X.2")]);
        let stored = serde_json::to_vec(&stored).unwrap();
        let mut body: ReportBody = serde_json::from_slice(&stored).unwrap();
        body.top_risks.remove(0);
        body.top_risks[0].severity = Some(Severity::High);
        let edited: Value = serde_json::from_slice(&edited(&stored, &body).unwrap()).unwrap();
        let mut left = risk("X.2");
        left["severity"] = json!("HIGH");
        assert_eq!(edited["topRisks"], json!([left]));
    }
}
