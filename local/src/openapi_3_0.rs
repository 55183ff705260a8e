//! The OpenAPI document for tools that support only OpenAPI 3.0, derived from the document in 3.1.

use serde_json::{Map, Value, json};

const SCHEMAS: &str = "#/components/schemas/";

/// Returns a document of version 3.1 as one of version 3.0.
pub(crate) fn converted(mut document: Value) -> Value {
    let schemas = document["components"]["schemas"].clone();
    document["openapi"] = json!("3.0.3");
    if let Some(info) = document["info"].as_object_mut() {
        info.remove("summary");
    }
    document["info"]["license"] = json!({ "name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" });
    convert(&mut document, &schemas);
    document
}

/// Converts everything below a node. Examples are data and do not change.
fn convert(node: &mut Value, schemas: &Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| convert(item, schemas)),
        Value::Object(fields) => {
            convert_schema(fields, schemas);
            let fields = fields.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "example" | "examples"));
            fields.for_each(|(_, value)| convert(value, schemas));
        }
        _ => {}
    }
}

fn convert_schema(schema: &mut Map<String, Value>, schemas: &Value) {
    if let Some(choice) = nullable_reference(schema) {
        // In 3.0, null needs a type beside it, and a referenced schema would refuse it: the schema is repeated here.
        schema.remove("anyOf");
        for (name, value) in schemas[choice].as_object().into_iter().flatten() {
            schema.entry(name).or_insert_with(|| value.clone());
        }
        allow_null(schema);
    }
    if let Some(Value::Array(types)) = schema.get("type").cloned() {
        let mut types = types.into_iter().filter(|kind| kind != "null");
        schema.insert("type".to_owned(), types.next().unwrap_or_default());
        assert_eq!(types.next(), None, "3.0 has no choice between types");
        allow_null(schema);
    }
    if let Some(value) = schema.get("const").filter(|value| value.is_string()).cloned() {
        schema.remove("const");
        schema.insert("enum".to_owned(), json!([value]));
    }
    // In 3.0, nothing beside a reference counts.
    if schema.len() > 1
        && schema.get("$ref").and_then(Value::as_str).is_some_and(|reference| reference.starts_with(SCHEMAS))
        && let Some(reference) = schema.remove("$ref")
    {
        schema.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    }
}

fn allow_null(schema: &mut Map<String, Value>) {
    schema.insert("nullable".to_owned(), json!(true));
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
}

/// Returns the name of the schema in a choice between a reference and null.
fn nullable_reference(schema: &Map<String, Value>) -> Option<String> {
    let choices = schema.get("anyOf")?.as_array()?;
    let mut references = choices.iter().filter(|choice| choice["type"] != "null");
    let name = references.next()?["$ref"].as_str()?.strip_prefix(SCHEMAS)?;
    assert!(references.next().is_none() && choices.len() == 2, "3.0 has no other choice than null");
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_a_3_0_form_of_every_schema() {
        let text = converted(crate::site::parsed()).to_string();
        for only_in_3_1 in ["\"anyOf\"", "\"const\"", "\"null\"", "\"type\":["] {
            assert!(!text.contains(only_in_3_1), "{only_in_3_1}");
        }
    }

    #[test]
    fn null_and_references_are_written_as_3_0_reads_them() {
        let document = json!({
            "openapi": "3.1.0",
            "info": { "title": "T", "summary": "S" },
            "components": { "schemas": {
                "Grade": { "type": "string", "enum": ["A", "B"], "description": "A grade." },
                "Row": { "type": "object", "example": { "type": ["kept"] }, "properties": {
                    "name": { "type": ["string", "null"] },
                    "kind": { "const": "baseline" },
                    "now": { "$ref": "#/components/schemas/Grade", "description": "Now." },
                    "then": { "anyOf": [{ "$ref": "#/components/schemas/Grade" }, { "type": "null" }], "description": "Then." },
                    "list": { "type": "array", "items": { "$ref": "#/components/schemas/Grade" } },
                } },
            } },
        });
        let converted = converted(document);
        assert_eq!((&converted["openapi"], &converted["info"]["summary"]), (&json!("3.0.3"), &Value::Null));
        let row = &converted["components"]["schemas"]["Row"];
        assert_eq!(row["example"], json!({ "type": ["kept"] }));
        assert_eq!(
            row["properties"],
            json!({
                "name": { "type": "string", "nullable": true },
                "kind": { "enum": ["baseline"] },
                "now": { "allOf": [{ "$ref": "#/components/schemas/Grade" }], "description": "Now." },
                "then": { "type": "string", "enum": ["A", "B", null], "nullable": true, "description": "Then." },
                "list": { "type": "array", "items": { "$ref": "#/components/schemas/Grade" } },
            })
        );
    }
}
