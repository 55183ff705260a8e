//! The derived parts of the OpenAPI document, and its rendition for tools that support only OpenAPI 3.0.
//!
//! `UPDATE_OPENAPI=1 cargo test -p local --test interface` writes both.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs};

use api::query::Described;
use serde_json::{Map, Value, json};

/// Held while the document is read or written, because the tests run concurrently.
static DOCUMENT: Mutex<()> = Mutex::new(());

const PARAMETERS: &str = "\n  parameters:\n";
const SCHEMAS: &str = "\n\n  schemas:\n";

/// Returns the query parameters of every endpoint, by its path.
fn parameters() -> [(&'static str, &'static [&'static dyn Described]); 6] {
    [
        ("/v1/posture-reports", &api::reports::PARAMETERS),
        ("/v1/posture-reports/{reportId}", &[]),
        ("/v1/report-summaries", &api::reports::PARAMETERS),
        ("/v1/tenants", &[]),
        ("/v1/usage", &usage::PARAMETERS),
        ("/beta/billable-users", &billable_users::PARAMETERS),
    ]
}

/// Returns the name of a parameter in the document: `usage.asOf`.
fn component(path: &str, parameter: &dyn Described) -> String {
    format!("{}.{}", path.rsplit('/').next().unwrap(), parameter.name())
}

fn document(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra").join(name)
}

/// Compares a file with the expected content, or writes it.
fn assert_written(path: &Path, expected: &str) {
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(path, expected).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == expected, "run UPDATE_OPENAPI=1 cargo test -p local --test interface");
}

/// Returns the document with regenerated parameters.
fn written() -> String {
    let text = fs::read_to_string(document("openapi.yaml")).unwrap();
    let (before, rest) = text.split_once(PARAMETERS).expect("the document has parameters");
    let (_, after) = rest.split_once(SCHEMAS).expect("schemas follow the parameters");
    let all = parameters();
    let all =
        all.iter().flat_map(|(path, parameters)| parameters.iter().map(move |it| (component(path, *it), it.openapi())));
    let yaml = serde_saphyr::to_string(&all.collect::<Map<_, _>>()).unwrap();
    let yaml: String = yaml.trim_end().lines().map(|line| format!("    {line}\n")).collect();
    format!("{before}{PARAMETERS}{}{SCHEMAS}{after}", yaml.trim_end())
}

#[test]
fn parameters_are_those_that_the_functions_read() {
    let _document = DOCUMENT.lock();
    assert_written(&document("openapi.yaml"), &written());
    let document: Value = serde_saphyr::from_str(&written()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), parameters().len());
    for (path, parameters) in parameters() {
        let expected: Vec<_> = parameters
            .iter()
            .map(|parameter| json!({ "$ref": format!("#/components/parameters/{}", component(path, *parameter)) }))
            .collect();
        let found = paths[path]["get"].get("parameters").and_then(Value::as_array);
        // Path parameters are described with the path.
        let found: Vec<_> =
            found.into_iter().flatten().filter(|parameter| parameter["in"] != "path").cloned().collect();
        assert_eq!(found, expected, "{path}");
    }
}

#[test]
fn the_rendition_in_openapi_3_0_is_made_of_the_document() {
    let _document = DOCUMENT.lock();
    let mut document: Value = serde_saphyr::from_str(&written()).unwrap();
    document["openapi"] = json!("3.0.3");
    document["info"].as_object_mut().unwrap().remove("summary");
    document["info"]["license"] = json!({ "name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" });
    to_3_0(&mut document);
    assert_written(&self::document("openapi-3.0.json"), &format!("{document:#}\n"));
}

/// Converts 3.1's JSON Schema features to OpenAPI 3.0. Examples are data and do not change.
fn to_3_0(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(to_3_0),
        Value::Object(fields) => {
            schema_to_3_0(fields);
            let fields = fields.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "example" | "examples"));
            fields.for_each(|(_, value)| to_3_0(value));
        }
        _ => {}
    }
}

fn schema_to_3_0(schema: &mut Map<String, Value>) {
    let null = json!("null");
    if let Some(Value::Array(types)) = schema.get("type") {
        let (nulls, [of]) = (types.contains(&null), &*types.iter().filter(|it| **it != null).collect::<Vec<_>>())
        else {
            panic!("a choice between types: {types:?}");
        };
        let of = (*of).clone();
        schema.insert("type".to_owned(), of);
        if nulls {
            schema.insert("nullable".to_owned(), json!(true));
        }
    }
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        let [of] = &*choices.iter().filter(|it| it["type"] != null).collect::<Vec<_>>() else {
            panic!("a choice between schemas: {choices:?}");
        };
        let of = json!([of]);
        schema.remove("anyOf");
        schema.insert("allOf".to_owned(), of);
        schema.insert("nullable".to_owned(), json!(true));
    }
    if let Some(value) = schema.get("const").filter(|value| value.is_string()).cloned() {
        schema.remove("const");
        schema.insert("enum".to_owned(), json!([value]));
    }
}
