//! The shape of a response, to be shown to others: names of properties and types of their values, and never a value.

use chrono::DateTime;
use model::snapshot::{RequestFailure, Response, endpoint};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

/// The shape of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shape {
    /// Its endpoint, with `{id}` in the place of an object's id.
    pub endpoint: String,
    /// The query of the request, with `{id}` in the place of ids. Empty for DNS, whose queries are names.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub query: String,
    /// Its status.
    pub status: Option<u16>,
    /// The reason why there is no body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<RequestFailure>,
    /// The code of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether there are more pages.
    pub more: bool,
    /// Names and types.
    pub shape: Value,
}

impl Shape {
    /// Returns the shape of a response.
    pub fn of(response: &Response<Value>) -> Self {
        let is_name = response.endpoint == endpoint::DNS;
        let succeeded = response.status == Some(200);
        Self {
            endpoint: match response.endpoint.starts_with(endpoint::GROUPS) {
                true => without_ids(&response.endpoint),
                false => response.endpoint.clone(),
            },
            query: if is_name { String::new() } else { without_ids(&response.query) },
            status: response.status,
            failure: response.failure,
            code: response.body["error"]["code"].as_str().filter(|code| is_plain(code)).map(str::to_owned),
            more: response.more,
            shape: if succeeded { shape(&response.body) } else { Value::Null },
        }
    }
}

/// Replaces everything that is an object's id.
fn without_ids(text: &str) -> String {
    let parts = text.split_inclusive(['/', '\'']).map(|part| {
        let end = part.trim_end_matches(['/', '\'']);
        if Uuid::try_parse(end).is_ok() { part.replace(end, "{id}") } else { part.to_owned() }
    });
    parts.collect()
}

fn is_plain(name: &str) -> bool {
    name.len() <= 80
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@' | b'$'))
}

fn shape(value: &Value) -> Value {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "boolean".into(),
        Value::Number(_) => "number".into(),
        Value::String(text) => kind(text).into(),
        Value::Array(rows) => match rows.first().and_then(Value::as_str).filter(|line| line.starts_with("Report ")) {
            // The first line of a usage report has the names of its columns.
            Some(columns) => columns.split(',').map(Value::from).collect(),
            None => {
                rows.iter().map(shape).reduce(merged).map_or_else(|| Value::Array(Vec::new()), |row| vec![row].into())
            }
        },
        Value::Object(object) => {
            let named = object.iter().map(|(name, value)| match is_plain(name) {
                true if name == "@odata.type" => (name.clone(), schema_type(value)),
                true => (name.clone(), shape(value)),
                false => ("{name}".to_owned(), shape(value)),
            });
            named.collect::<Map<_, _>>().into()
        }
    }
}

/// Returns the name of a type in Microsoft's schema, which is no value of a tenant.
fn schema_type(value: &Value) -> Value {
    let name = value.as_str().filter(|name| name.strip_prefix("#microsoft.graph.").is_some_and(is_plain));
    name.map_or_else(|| shape(value), Value::from)
}

fn kind(text: &str) -> &'static str {
    if Uuid::try_parse(text).is_ok() {
        "id"
    } else if DateTime::parse_from_rfc3339(text).is_ok() {
        "time"
    } else {
        "text"
    }
}

/// Returns a shape that has all of two shapes.
fn merged(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Object(mut a), Value::Object(b)) => {
            for (name, shape) in b {
                let known = a.remove(&name);
                a.insert(name, known.map_or(shape.clone(), |known| merged(known, shape)));
            }
            a.into()
        }
        (Value::Array(mut a), Value::Array(mut b)) => match (a.pop(), b.pop()) {
            (Some(a), Some(b)) => vec![merged(a, b)].into(),
            (a, b) => a.or(b).into_iter().collect(),
        },
        (a, b) if a == b => a,
        (Value::String(a), Value::String(b)) => {
            let mut kinds: Vec<_> = a.split(" or ").chain(b.split(" or ")).collect();
            kinds.sort_unstable();
            kinds.dedup();
            kinds.join(" or ").into()
        }
        (a, b) => {
            if b == "null" {
                a
            } else {
                b
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_shape_has_names_and_types_and_no_value() {
        let body = json!({ "value": [
            {
                "@odata.type": "#microsoft.graph.user",
                "id": "3f0b6c1e-52a4-4c0b-9d55-7a1c2e90b411",
                "mail": "ada@secret.example",
                "createdDateTime": "2026-01-01T00:00:00Z",
                "assignedLicenses": [{ "skuId": "secret" }],
                "accountEnabled": true,
            },
            { "mail": null, "assignedLicenses": [], "ada@secret.example (name)": 5 },
        ] });
        let response = Response {
            endpoint: "/v1.0/groups/3f0b6c1e-52a4-4c0b-9d55-7a1c2e90b411/transitiveMembers".to_owned(),
            query: "$filter=userId eq '3f0b6c1e-52a4-4c0b-9d55-7a1c2e90b411'".to_owned(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            status: Some(200),
            more: false,
            failure: None,
            body,
        };
        let shape = Shape::of(&response);
        assert_eq!(shape.endpoint, "/v1.0/groups/{id}/transitiveMembers");
        assert_eq!(shape.query, "$filter=userId eq '{id}'");
        let row = json!({
            "@odata.type": "#microsoft.graph.user",
            "id": "id",
            "mail": "null or text",
            "createdDateTime": "time",
            "assignedLicenses": [{ "skuId": "text" }],
            "accountEnabled": "boolean",
            "{name}": "number",
        });
        assert_eq!(shape.shape, json!({ "value": [row] }));
        assert!(!serde_json::to_string(&shape).unwrap().contains("secret"));
    }

    #[test]
    fn an_error_shows_its_code_alone() {
        let response = Response {
            endpoint: endpoint::DNS.to_owned(),
            query: "name=secret.example&type=TXT".to_owned(),
            at: "2026-01-01T00:00:00Z".parse().unwrap(),
            status: Some(403),
            more: false,
            failure: None,
            body: json!({ "error": { "code": "Forbidden", "message": "secret" } }),
        };
        let shape = Shape::of(&response);
        assert_eq!((shape.code.as_deref(), &shape.shape), (Some("Forbidden"), &Value::Null));
        assert!(!serde_json::to_string(&shape).unwrap().contains("secret"));
    }
}
