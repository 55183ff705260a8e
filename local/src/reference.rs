//! The interface as a page to read, made from the OpenAPI document. It needs nothing but itself: no script, no host.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Map, Value};

const DOCUMENT: &str = include_str!("../../infra/openapi.yaml");

const STYLE: &str = "
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8884 }
pre { padding: 1rem; overflow: auto; max-height: 24rem; background: #8881 }
h2 { margin-top: 3rem } h3 { margin-top: 2rem }
nav ul { columns: 3; list-style: none; padding: 0 }
";

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let document = serde_saphyr::from_str(DOCUMENT).expect("the document is part of the program and tested");
    Reference { document }.page().into_string()
});

/// The page.
pub(crate) fn page() -> &'static str {
    &PAGE
}

struct Reference {
    document: Value,
}

impl Reference {
    fn page(&self) -> Markup {
        let info = &self.document["info"];
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { (text(info, "title")) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (text(info, "title")) " " (text(info, "version")) }
                    (prose(info))
                    (self.contents())
                    h2 { "Endpoints" }
                    @for (path, operation) in self.operations() { (self.operation(path, operation)) }
                    h2 { "Objects" }
                    @for (name, schema) in fields(&self.document["components"]["schemas"]) { (object(name, schema)) }
                }
            }
        }
    }

    fn contents(&self) -> Markup {
        html! {
            nav {
                ul { @for (path, _) in self.operations() { li { a href={ "#" (path) } { "GET " (path) } } } }
                ul { @for (name, _) in fields(&self.document["components"]["schemas"]) { li { (link(name)) } } }
            }
        }
    }

    /// The operations, in the order of the document's tags.
    fn operations(&self) -> Vec<(&String, &Value)> {
        let paths = || fields(&self.document["paths"]).map(|(path, methods)| (path, &methods["get"]));
        let tags = items(&self.document["tags"]);
        tags.flat_map(|tag| paths().filter(move |(_, operation)| operation["tags"][0] == tag["name"])).collect()
    }

    fn operation(&self, path: &str, operation: &Value) -> Markup {
        html! {
            h3 id=(path) { "GET " (path) }
            (prose(operation))
            @if items(&operation["parameters"]).next().is_some() {
                table {
                    tr { th { "Parameter" } th { "Type" } th { "Default" } th {} }
                    @for parameter in items(&operation["parameters"]) { (parameter_row(parameter)) }
                }
            }
            table {
                tr { th { "Status" } th { "Body" } th {} }
                @for (status, response) in fields(&operation["responses"]) {
                    @let response = self.resolved(response);
                    tr { td { (status) } td { (kind(&media(response)["schema"])) } td { (prose(response)) } }
                }
            }
            pre { (pretty(&media(self.resolved(&operation["responses"]["200"]))["example"])) }
        }
    }

    /// What a reference leads to, or the value itself.
    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        let target =
            value["$ref"].as_str().and_then(|reference| self.document.pointer(reference.trim_start_matches('#')));
        target.unwrap_or(value)
    }
}

fn parameter_row(parameter: &Value) -> Markup {
    let schema = &parameter["schema"];
    html! {
        tr {
            td { code { (text(parameter, "name")) } }
            td { (kind(schema)) }
            td { @if parameter["required"] == true { "required" } @else if !schema["default"].is_null() { (schema["default"]) } }
            td { (prose(parameter)) }
        }
    }
}

fn object(name: &str, schema: &Value) -> Markup {
    html! {
        h3 id=(name) { (name) }
        (prose(schema))
        @if schema["properties"].is_object() {
            table {
                tr { th { "Field" } th { "Type" } th {} }
                @for (field, property) in in_order(schema) {
                    tr { td { code { (field) } } td { (kind(property)) } td { (prose(property)) } }
                }
            }
        } @else if !text(schema, "description").contains("\n- ") {
            // Values that the description does not list.
            p { @for value in items(&schema["enum"]) { code { (value.as_str().unwrap_or_default()) } " " } }
        }
    }
}

/// The properties of an object in the order of its `required`, which is the models'; then the others.
fn in_order(schema: &Value) -> Vec<(&String, &Value)> {
    let place = |field: &String| items(&schema["required"]).position(|name| name == field).unwrap_or(usize::MAX);
    let mut properties: Vec<_> = fields(&schema["properties"]).collect();
    properties.sort_by_key(|(field, _)| place(field));
    properties
}

/// A schema in a few words.
fn kind(schema: &Value) -> Markup {
    if let Some(name) = schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()) {
        return link(name);
    }
    if let Value::Array(choices) = &schema["anyOf"] {
        return html! { @for (index, choice) in choices.iter().enumerate() { @if index > 0 { " or " } (kind(choice)) } };
    }
    let types = match &schema["type"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        name => name.as_str().unwrap_or_default().to_owned(),
    };
    html! {
        (types)
        @if schema["type"] == "array" { " of " (kind(&schema["items"])) }
        @if let Some(format) = schema["format"].as_str() { " (" (format) ")" }
        @if !schema["maximum"].is_null() { ", " (schema["minimum"]) " to " (schema["maximum"]) }
    }
}

fn link(name: &str) -> Markup {
    html! { a href={ "#" (name) } { (name) } }
}

/// A description, which is in Markdown.
fn prose(value: &Value) -> Markup {
    let mut text_as_html = String::new();
    pulldown_cmark::html::push_html(&mut text_as_html, pulldown_cmark::Parser::new(text(value, "description")));
    PreEscaped(text_as_html)
}

fn media(response: &Value) -> &Value {
    &response["content"]["application/json"]
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> + Clone {
    value.as_array().into_iter().flatten()
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use regex_lite::Regex;

    use super::*;

    fn all<'a>(pattern: &str, page: &'a str) -> HashSet<&'a str> {
        let pattern = Regex::new(pattern).unwrap();
        pattern.captures_iter(page).map(|found| found.get(1).unwrap().as_str()).collect()
    }

    #[test]
    fn every_endpoint_and_object_has_its_place_and_every_link_leads_there() {
        let document: Value = serde_saphyr::from_str(DOCUMENT).unwrap();
        let names = fields(&document["paths"]).chain(fields(&document["components"]["schemas"]));
        let names: HashSet<_> = names.map(|(name, _)| name.as_str()).collect();
        assert_eq!(all("id=\"([^\"]+)\"", page()), names);
        assert_eq!(all("href=\"#([^\"]+)\"", page()), names);
    }

    #[test]
    fn the_page_needs_no_other_host() {
        assert_eq!(all("(?:src|href)=\"([^#\"][^\"]*)\"", page()), HashSet::new());
        assert!(!page().contains("<script") && !page().contains("@import") && !page().contains("url("));
    }

    #[test]
    fn fields_stand_in_the_order_of_the_contract() {
        let (_, report) = page().split_once("id=\"PostureReport\"").unwrap();
        let place = |field: &str| report.find(&format!("<code>{field}</code>")).unwrap();
        let places = ["id", "reportType", "completedAt", "topRisks", "checks"].map(place);
        assert!(places.is_sorted(), "{places:?}");
    }
}
