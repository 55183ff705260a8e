//! Changes of stored values of which this release may know only a part.
//!
//! A later release may have written attributes and values that this one does not know. A change must not lose them, so
//! three values are merged: the value as stored, what this release understood of it, and what it makes of that. Where
//! the last two agree, the value stays as stored.

use std::cmp::PartialEq;

use aws_sdk_dynamodb::types::AttributeValue;

/// Fields that identify an element of a list, wherever it moves.
const IDENTIFIERS: [&str; 4] = ["controlId", "userPrincipalName", "part", "label"];

/// A value that can contain others.
pub(crate) trait Nested: PartialEq + Sized {
    fn split(self) -> Parts<Self>;
    fn join(parts: Parts<Self>) -> Self;
    fn field(&self, name: &str) -> Option<&Self>;
}

/// A value, taken apart.
pub(crate) enum Parts<V> {
    /// Fields, in the order in which they are written.
    Map(Vec<(String, V)>),
    List(Vec<V>),
    Single(V),
}

/// Returns a value with the changes that this release made to the part that it understood. Without such a part, all of
/// `changed` is a change. Fields that only `stored` has stay.
pub(crate) fn merge<V: Nested>(stored: V, understood: Option<V>, changed: V) -> V {
    let is_unchanged = understood.as_ref() == Some(&changed);
    V::join(match (stored.split(), understood.map(V::split), changed.split()) {
        (Parts::Map(stored), Some(Parts::Map(understood)), Parts::Map(changed)) => {
            Parts::Map(fields(stored, understood, changed))
        }
        (Parts::Map(stored), None, Parts::Map(changed)) => Parts::Map(fields(stored, Vec::new(), changed)),
        (Parts::List(stored), Some(Parts::List(understood)), Parts::List(changed))
            if stored.len() == understood.len() =>
        {
            Parts::List(elements(stored, understood, changed))
        }
        (stored, ..) if is_unchanged => stored,
        (.., changed) => changed,
    })
}

fn fields<V: Nested>(
    stored: Vec<(String, V)>,
    mut understood: Vec<(String, V)>,
    mut changed: Vec<(String, V)>,
) -> Vec<(String, V)> {
    let mut merged = Vec::with_capacity(changed.len());
    for (name, stored) in stored {
        match (take(&mut understood, &name), take(&mut changed, &name)) {
            (understood, Some(changed)) => merged.push((name, merge(stored, understood, changed))),
            (None, None) => merged.push((name, stored)),
            // The change removes the field.
            (Some(_), None) => {}
        }
    }
    merged.extend(changed);
    merged
}

fn take<V>(fields: &mut Vec<(String, V)>, name: &str) -> Option<V> {
    fields.iter().position(|(other, _)| other == name).map(|place| fields.remove(place).1)
}

/// Merges each element with the one that has the same identifier, else with an equal one, else with the one in its
/// place if the lists have the same length.
fn elements<V: Nested>(stored: Vec<V>, understood: Vec<V>, changed: Vec<V>) -> Vec<V> {
    let same_length = understood.len() == changed.len();
    let mut known: Vec<_> = stored.into_iter().zip(understood).map(Some).collect();
    let merged = changed.into_iter().enumerate().map(|(place, changed)| {
        let identifier = identifier(&changed);
        let is_same = |understood: &V| match identifier {
            Some(_) => self::identifier(understood) == identifier,
            None => *understood == changed,
        };
        let same = known.iter().position(|known| known.as_ref().is_some_and(|(_, understood)| is_same(understood)));
        let place = same.or_else(|| (identifier.is_none() && same_length).then_some(place));
        match place.and_then(|place| known[place].take()) {
            Some((stored, understood)) => merge(stored, Some(understood), changed),
            None => changed,
        }
    });
    merged.collect()
}

fn identifier<V: Nested>(element: &V) -> Option<&V> {
    IDENTIFIERS.iter().find_map(|name| element.field(name))
}

impl Nested for AttributeValue {
    fn split(self) -> Parts<Self> {
        match self {
            Self::M(fields) => Parts::Map(fields.into_iter().collect()),
            Self::L(elements) => Parts::List(elements),
            single => Parts::Single(single),
        }
    }

    fn join(parts: Parts<Self>) -> Self {
        match parts {
            Parts::Map(fields) => Self::M(fields.into_iter().collect()),
            Parts::List(elements) => Self::L(elements),
            Parts::Single(single) => single,
        }
    }

    fn field(&self, name: &str) -> Option<&Self> {
        self.as_m().ok()?.get(name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merged(stored: Value, understood: Value, changed: Value) -> Value {
        let value = |json: Value| serde_dynamo::to_attribute_value::<_, AttributeValue>(json).unwrap();
        serde_dynamo::from_attribute_value(merge(value(stored), Some(value(understood)), value(changed))).unwrap()
    }

    #[test]
    fn what_a_release_does_not_know_survives_its_changes() {
        let cases = [
            ("an unknown field", json!({"a": 1, "x": 2}), json!({"a": 1}), json!({"a": 3}), json!({"a": 3, "x": 2})),
            ("an unknown value", json!({"a": "NEW"}), json!({"a": "?"}), json!({"a": "?"}), json!({"a": "NEW"})),
            ("a changed value", json!({"a": "NEW"}), json!({"a": "?"}), json!({"a": "OLD"}), json!({"a": "OLD"})),
            ("a removed field", json!({"a": 1, "x": 2}), json!({"a": 1}), json!({}), json!({"x": 2})),
            ("an added field", json!({"x": 2}), json!({}), json!({"a": 1}), json!({"a": 1, "x": 2})),
            ("a default", json!({"x": 2}), json!({"a": 0}), json!({"a": 0}), json!({"a": 0, "x": 2})),
            (
                "a nested field",
                json!({"m": {"x": 1}}),
                json!({"m": {}}),
                json!({"m": {"a": 2}}),
                json!({"m": {"x": 1, "a": 2}}),
            ),
            ("another shape", json!({"a": {"x": 1}}), json!({"a": "?"}), json!({"a": "?"}), json!({"a": {"x": 1}})),
            (
                "a value in a longer list",
                json!(["a", "NEW"]),
                json!(["a", "?"]),
                json!(["a", "b", "?"]),
                json!(["a", "b", "NEW"]),
            ),
            (
                "a list of which a part is understood",
                json!(["a", "NEW"]),
                json!(["a"]),
                json!(["a"]),
                json!(["a", "NEW"]),
            ),
            (
                "an element in its place",
                json!([{"a": 1, "x": 2}]),
                json!([{"a": 1}]),
                json!([{"a": 3}]),
                json!([{"a": 3, "x": 2}]),
            ),
            (
                "elements that moved",
                json!([{"controlId": "A", "x": 1}, {"controlId": "B", "x": 2}]),
                json!([{"controlId": "A"}, {"controlId": "B"}]),
                json!([{"controlId": "B", "a": 3}, {"controlId": "C"}, {"controlId": "A"}]),
                json!([{"controlId": "B", "a": 3, "x": 2}, {"controlId": "C"}, {"controlId": "A", "x": 1}]),
            ),
            (
                "a removed element",
                json!([{"part": 1, "x": 1}, {"part": 2}]),
                json!([{"part": 1}, {"part": 2}]),
                json!([{"part": 2}]),
                json!([{"part": 2}]),
            ),
            (
                "equal identifiers",
                json!([{"part": "NEW", "x": 1}, {"part": "NEWER", "x": 2}]),
                json!([{"part": "?"}, {"part": "?"}]),
                json!([{"part": "?"}, {"part": "?"}]),
                json!([{"part": "NEW", "x": 1}, {"part": "NEWER", "x": 2}]),
            ),
        ];
        for (case, stored, understood, changed, expected) in cases {
            assert_eq!(merged(stored, understood, changed), expected, "{case}");
        }
    }
}
