//! The parameters of the OpenAPI document, which `UPDATE_OPENAPI=1 cargo test -p local --test interface` writes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{env, fs};

use api::query::Described;
use serde_json::{Map, Value, json};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../infra/openapi.yaml");
const PARAMETERS: &str = "\n  parameters:\n";
const SCHEMAS: &str = "\n\n  schemas:\n";

/// Returns the query parameters of every operation, by its path and method.
fn parameters() -> [(&'static str, &'static str, &'static [&'static dyn Described]); 15] {
    [
        ("/", "get", &[]),
        ("/v1/posture-reports", "get", &api::reports::PARAMETERS),
        ("/v1/posture-reports/{reportId}", "get", &[]),
        ("/v1/report-summaries", "get", &api::reports::PARAMETERS),
        ("/v1/controls", "get", &controls::LIST_PARAMETERS),
        ("/v1/controls/{controlId}", "get", &controls::ONE_PARAMETERS),
        ("/v1/events", "get", &events::PARAMETERS),
        ("/v1/imports", "get", &imports::LIST_PARAMETERS),
        ("/v1/imports", "post", &imports::PARAMETERS),
        ("/v1/imports/{importId}", "get", &[]),
        ("/mcp", "post", &[]),
        ("/v1/tenants", "get", &[]),
        ("/v1/trends", "get", &trends::PARAMETERS),
        ("/v1/usage", "get", &usage::PARAMETERS),
        ("/beta/billable-users", "get", &billable_users::PARAMETERS),
    ]
}

/// Returns the name of a parameter in the document: `usage.asOf`.
fn component(path: &str, parameter: &dyn Described) -> String {
    let last = path.rsplit('/').next().unwrap();
    format!("{}.{}", last.trim_matches(['{', '}']), parameter.name())
}

/// Returns a document with regenerated parameters.
fn written(text: &str) -> String {
    let (before, rest) = text.split_once(PARAMETERS).expect("the document has parameters");
    let (_, after) = rest.split_once(SCHEMAS).expect("schemas follow the parameters");
    let all = parameters();
    let all = all
        .iter()
        .flat_map(|(path, _, parameters)| parameters.iter().map(move |it| (component(path, *it), it.openapi())));
    let yaml = serde_saphyr::to_string(&all.collect::<Map<_, _>>()).unwrap();
    let yaml: String = yaml.trim_end().lines().map(|line| format!("    {line}\n")).collect();
    format!("{before}{PARAMETERS}{}{SCHEMAS}{after}", yaml.trim_end())
}

#[test]
fn parameters_are_those_that_the_functions_read() {
    let found = fs::read_to_string(DOCUMENT).unwrap();
    let expected = written(&found);
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(DOCUMENT, &expected).unwrap();
    } else {
        assert!(found == expected, "run UPDATE_OPENAPI=1 cargo test -p local --test interface");
    }
    let document: Value = serde_saphyr::from_str(&expected).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.values().flat_map(|path| path.as_object().unwrap().keys());
    assert_eq!(operations.count(), parameters().len());
    for (path, method, parameters) in parameters() {
        let expected: Vec<_> = parameters
            .iter()
            .map(|parameter| json!({ "$ref": format!("#/components/parameters/{}", component(path, *parameter)) }))
            .collect();
        let found = paths[path][method].get("parameters").and_then(Value::as_array);
        // Those of the path and of headers are described with it.
        let found: Vec<_> =
            found.into_iter().flatten().filter(|parameter| parameter.get("in").is_none()).cloned().collect();
        assert_eq!(found, expected, "{method} {path}");
    }
}
