//! Query parameters as values: an endpoint reads its request with them, and the OpenAPI document is derived from them.

use model::Label;
use serde::Serialize;
use serde_json::{Value, json};

/// Highest number of results that a request may ask for.
pub(super) const MAXIMUM: usize = 500;

/// A query parameter with values of kind `K`.
pub struct Parameter<K> {
    /// Name in the query.
    pub name: &'static str,
    /// Meaning, for the OpenAPI document.
    pub description: &'static str,
    /// Kind of its values.
    pub kind: K,
}

/// Any text that is not empty.
pub struct Text;

/// Any text that is not empty; the parameter is required.
pub struct RequiredText;

/// `true`, `false`, `1` or `0`, ignoring case.
pub struct Boolean {
    /// Value if the parameter is not given.
    pub default: bool,
}

/// An integer from 1 to 500.
pub struct Limit {
    /// Value if the parameter is not given.
    pub default: usize,
}

/// One of some values, by their names on the wire.
pub struct OneOf<T: 'static> {
    /// The values.
    pub values: &'static [T],
    /// The allowed values, as a clause: "must be ...".
    pub rule: &'static str,
}

/// An ISO 8601 date or date-time.
pub struct Moment;

/// A label of tenants.
pub struct OneLabel;

/// A position in a list, from an earlier response.
pub struct Cursor;

/// A calendar date that is not after today, which is also its default.
pub struct PastDate;

/// A parameter of any kind, as the OpenAPI document describes it.
pub trait Described: Sync {
    /// Returns its name in the query.
    fn name(&self) -> &'static str;

    /// Returns its parameter object.
    fn openapi(&self) -> Value;
}

/// What the OpenAPI document says about a kind of value.
pub trait Kind: Sync {
    /// Returns the fields of the parameter object that depend on the kind.
    fn fields(&self) -> Value;
}

impl<K: Kind> Described for Parameter<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn openapi(&self) -> Value {
        let mut object = json!({ "name": self.name, "in": "query", "description": self.description });
        if let (Value::Object(object), Value::Object(fields)) = (&mut object, self.kind.fields()) {
            object.extend(fields);
        }
        object
    }
}

impl Kind for Text {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "string", "minLength": 1 } })
    }
}

impl Kind for OneLabel {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "string", "minLength": 1, "maxLength": Label::LONGEST } })
    }
}

impl Kind for Cursor {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "string" } })
    }
}

impl Kind for RequiredText {
    fn fields(&self) -> Value {
        json!({ "required": true, "schema": { "type": "string", "minLength": 1 } })
    }
}

impl Kind for Boolean {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "boolean", "default": self.default } })
    }
}

impl<T: Serialize + Sync> Kind for OneOf<T> {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "string", "enum": self.values } })
    }
}

impl Kind for Limit {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "integer", "minimum": 1, "maximum": MAXIMUM, "default": self.default } })
    }
}

/// A plain text: generators of clients make a class that does not work of a choice between two formats.
impl Kind for Moment {
    fn fields(&self) -> Value {
        let (hour, sixtieth) = ("([01][0-9]|2[0-3])", "[0-5][0-9]");
        let date = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])";
        let offset = format!("[Zz]|[+-]{hour}(:?{sixtieth})?");
        let time = format!("[Tt]{hour}:{sixtieth}(:{sixtieth}(\\.[0-9]+)?)?({offset})?");
        json!({
            "schema": { "type": "string", "pattern": format!("^{date}({time})?$") },
            "examples": {
                "date": { "value": "2026-01-31" },
                "dateTime": { "value": "2026-01-31T09:30:00+02:00" },
            },
        })
    }
}

impl Kind for PastDate {
    fn fields(&self) -> Value {
        json!({ "schema": { "type": "string", "format": "date" }, "example": "2026-01-31" })
    }
}

#[cfg(test)]
mod tests {
    use model::Grade;

    use super::*;

    fn described<K: Kind>(kind: K) -> Value {
        let parameter = Parameter { name: "a", description: "What it means.", kind };
        assert_eq!(parameter.name(), "a");
        let mut object = parameter.openapi();
        for (field, value) in [("name", "a"), ("in", "query"), ("description", "What it means.")] {
            assert_eq!(object.as_object_mut().unwrap().remove(field), Some(json!(value)));
        }
        object
    }

    #[test]
    fn a_parameter_is_described_by_its_kind() {
        let text = json!({ "type": "string", "minLength": 1 });
        assert_eq!(described(Text), json!({ "schema": text }));
        let label = json!({ "type": "string", "minLength": 1, "maxLength": 40 });
        assert_eq!(described(OneLabel), json!({ "schema": label }));
        assert_eq!(described(Cursor), json!({ "schema": { "type": "string" } }));
        assert_eq!(described(RequiredText), json!({ "required": true, "schema": text }));
        assert_eq!(described(Boolean { default: true }), json!({ "schema": { "type": "boolean", "default": true } }));
        assert_eq!(
            described(Limit { default: 100 }),
            json!({ "schema": { "type": "integer", "minimum": 1, "maximum": 500, "default": 100 } })
        );
        assert_eq!(
            described(PastDate),
            json!({ "schema": { "type": "string", "format": "date" }, "example": "2026-01-31" })
        );
        let one_of = described(OneOf { values: &[Grade::A, Grade::F], rule: "must be a grade" });
        assert_eq!(one_of, json!({ "schema": { "type": "string", "enum": ["A", "F"] } }));
        let moment = described(Moment);
        assert_eq!(moment["schema"]["type"], "string");
        assert_eq!(moment["examples"]["dateTime"]["value"], "2026-01-31T09:30:00+02:00");
    }
}
