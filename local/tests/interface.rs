//! The parameters of the OpenAPI document, which `UPDATE_OPENAPI=1 cargo test -p local --test interface` writes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{env, fs};

use api::query::Described;
use serde_json::{Map, Value, json};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../infra/openapi.yaml");
const PARAMETERS: &str = "\n  parameters:\n";
const SCHEMAS: &str = "\n\n  schemas:\n";

/// Returns the query parameters of every endpoint, by its path.
fn parameters() -> [(&'static str, &'static [&'static dyn Described]); 8] {
    [
        ("/", &[]),
        ("/v1/posture-reports", &api::reports::PARAMETERS),
        ("/v1/posture-reports/{reportId}", &[]),
        ("/v1/report-summaries", &api::reports::PARAMETERS),
        ("/v1/events", &events::PARAMETERS),
        ("/v1/tenants", &[]),
        ("/v1/usage", &usage::PARAMETERS),
        ("/beta/billable-users", &billable_users::PARAMETERS),
    ]
}

/// Returns the name of a parameter in the document: `usage.asOf`.
fn component(path: &str, parameter: &dyn Described) -> String {
    format!("{}.{}", path.rsplit('/').next().unwrap(), parameter.name())
}

/// Returns a document with regenerated parameters.
fn written(text: &str) -> String {
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
    let found = fs::read_to_string(DOCUMENT).unwrap();
    let expected = written(&found);
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(DOCUMENT, &expected).unwrap();
    } else {
        assert!(found == expected, "run UPDATE_OPENAPI=1 cargo test -p local --test interface");
    }
    let document: Value = serde_saphyr::from_str(&expected).unwrap();
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
