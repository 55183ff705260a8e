//! The order of properties in a document.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// JSON in which a schema's properties are in the order of its `required`, which is the models'.
pub(super) struct Ordered<'a> {
    pub(super) value: &'a Value,
    /// Names that come first where the value is an object.
    pub(super) order: &'a [Value],
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Object(map) => serializer.collect_map(self.entries(map)),
            Value::Array(items) => serializer.collect_seq(items.iter().map(|value| Ordered { value, order: &[] })),
            plain => plain.serialize(serializer),
        }
    }
}

impl<'a> Ordered<'a> {
    fn entries(&self, map: &'a Map<String, Value>) -> impl Iterator<Item = (&'a String, Ordered<'a>)> {
        let place = |name: &String| self.order.iter().position(|first| first == name).unwrap_or(usize::MAX);
        let mut entries: Vec<_> = map.iter().collect();
        entries.sort_by_key(|(name, _)| place(name));
        let required = map.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        entries.into_iter().map(move |(name, value)| {
            (name, Ordered { value, order: if name == "properties" { required } else { &[] } })
        })
    }
}
