//! Stored items as they are, with the texts that are stored deflated.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Compress, Compression, FlushCompress};
use serde_json::{Map, Value, json};

/// An item with its key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item(pub(crate) HashMap<String, AttributeValue>);

impl Item {
    pub(crate) fn key(&self) -> (String, String) {
        (self.0["pk"].as_s().unwrap().clone(), self.0["sk"].as_s().unwrap().clone())
    }

    /// Returns the kind of the item: the beginning of its sort key, or outside of organizations that of its partition.
    pub(crate) fn kind(&self) -> String {
        let (pk, sk) = self.key();
        let key = if pk.starts_with("ORG#") { sk } else { format!("outside {pk}") };
        key.split('#').next().unwrap().to_owned()
    }

    pub(super) fn to_json(&self) -> Value {
        map_to_json(&self.0)
    }

    pub(crate) fn from_json(json: &Value) -> Self {
        Self(map_from_json(json))
    }

    /// Returns all values in the item under their paths, also those in deflated texts. Elements of a list share a path.
    pub(crate) fn values(&self) -> BTreeMap<String, Vec<String>> {
        let mut values = BTreeMap::new();
        for (name, value) in &self.0 {
            if let ("beginning", AttributeValue::M(fields)) = (&**name, value) {
                of_json(name, &inflated(name, bytes_of(fields)), &mut values);
            }
            match (&**name, value) {
                ("tail" | "details" | "deflated" | "results", AttributeValue::B(bytes)) => {
                    of_json(name, &inflated(name, bytes.as_ref()), &mut values);
                }
                _ => of_attribute(name, value, &mut values),
            }
        }
        values
    }

    /// Changes the JSON of a deflated text, except for one that the item's key is a digest of.
    pub(super) fn change_text(&mut self, change: impl Fn(&mut Value)) {
        if self.kind() == "SHARED" {
            return;
        }
        for name in ["tail", "details", "deflated"] {
            change_in(&mut self.0, name, name, &change);
        }
        if let Some(AttributeValue::M(fields)) = self.0.get_mut("beginning") {
            change_in(fields, "tail", "beginning", &change);
        }
    }

    /// Makes a report that shares a part of its body whole, and a summary that of a whole report.
    pub(super) fn make_whole(&mut self, all: &[Self]) {
        // A pointer is flat.
        self.0.remove("sharedBody");
        let Some(AttributeValue::M(summary)) = self.0.get_mut("summary") else { return };
        let Some(AttributeValue::S(digest)) = summary.remove("sharedBody") else { return };
        let Some(AttributeValue::M(beginning)) = self.0.remove("beginning") else { return };
        let shared = all.iter().find(|item| item.kind() == "SHARED" && item.key().1.ends_with(&digest)).unwrap();
        let text = inflated_text(bytes_of(&beginning)) + &inflated_text(bytes_of(&shared.0));
        put_text(&mut self.0, "tail", &text);
    }
}

/// Returns the deflated text of a report, of the beginning of one, or of a part that reports share.
fn bytes_of(fields: &HashMap<String, AttributeValue>) -> &[u8] {
    fields["tail"].as_b().unwrap().as_ref()
}

/// Changes the JSON of a deflated text, in the form of the texts with a name.
fn change_in(fields: &mut HashMap<String, AttributeValue>, name: &str, form: &str, change: &impl Fn(&mut Value)) {
    let Some(AttributeValue::B(bytes)) = fields.get(name) else { return };
    let mut json = inflated(form, bytes.as_ref());
    change(&mut json);
    let text = match (form, json.to_string()) {
        ("tail", text) => text[1..].to_owned(),
        ("deflated", text) => text[1..text.len() - 1].to_owned(),
        ("beginning", text) => format!("{},", &text[1..text.len() - 1]),
        (_, text) => text,
    };
    put_text(fields, name, &text);
}

fn put_text(fields: &mut HashMap<String, AttributeValue>, name: &str, text: &str) {
    fields.insert(name.to_owned(), AttributeValue::B(Blob::new(deflated(text.as_bytes()))));
    fields.insert("crc32".to_owned(), AttributeValue::N(crc32fast::hash(text.as_bytes()).to_string()));
    fields.insert("length".to_owned(), AttributeValue::N(text.len().to_string()));
}

fn deflated(text: &[u8]) -> Vec<u8> {
    let mut deflated = Vec::with_capacity(text.len() + 1024);
    Compress::new(Compression::best(), false).compress_vec(text, &mut deflated, FlushCompress::Sync).unwrap();
    deflated
}

fn inflated_text(deflated: &[u8]) -> String {
    let ended = [deflated, &[1, 0, 0, 0xff, 0xff]].concat();
    let mut text = String::new();
    libflate::deflate::Decoder::new(&*ended).read_to_string(&mut text).unwrap();
    text
}

/// Returns the JSON of a deflated text: a report without its first brace, the beginning of one with a comma at the end,
/// users with commas between them, or details.
fn inflated(name: &str, deflated: &[u8]) -> Value {
    let text = inflated_text(deflated);
    let text = match name {
        "tail" => format!("{{{text}"),
        "beginning" => format!("{{{}}}", text.trim_end_matches(',')),
        "deflated" => format!("[{text}]"),
        _ => text,
    };
    serde_json::from_str(&text).unwrap()
}

fn of_attribute(path: &str, value: &AttributeValue, values: &mut BTreeMap<String, Vec<String>>) {
    let mut add = |kind: &str, value: String| values.entry(format!("{path}: {kind}")).or_default().push(value);
    match value {
        AttributeValue::S(text) => add("S", text.clone()),
        AttributeValue::N(number) => add("N", number.clone()),
        AttributeValue::Bool(bool) => add("BOOL", bool.to_string()),
        AttributeValue::Null(_) => add("NULL", String::new()),
        AttributeValue::B(bytes) => add("B", BASE64_STANDARD.encode(bytes)),
        AttributeValue::L(list) => list.iter().for_each(|value| of_attribute(&format!("{path}[]"), value, values)),
        AttributeValue::M(fields) => fields.iter().for_each(|(name, value)| {
            // The only map whose names are data.
            let name = if path == "revisions" { "*" } else { name };
            of_attribute(&format!("{path}.{name}"), value, values);
        }),
        other => panic!("{path} holds {other:?}"),
    }
}

fn of_json(path: &str, value: &Value, values: &mut BTreeMap<String, Vec<String>>) {
    let mut add = |kind: &str, value: String| values.entry(format!("{path}: {kind}")).or_default().push(value);
    match value {
        Value::String(text) => add("string", text.clone()),
        Value::Number(number) => add("number", number.to_string()),
        Value::Bool(bool) => add("boolean", bool.to_string()),
        Value::Null => add("null", String::new()),
        Value::Array(list) => list.iter().for_each(|value| of_json(&format!("{path}[]"), value, values)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| of_json(&format!("{path}.{name}"), value, values));
        }
    }
}

fn map_to_json(fields: &HashMap<String, AttributeValue>) -> Value {
    Value::Object(fields.iter().map(|(name, value)| (name.clone(), to_json(value))).collect::<Map<_, _>>())
}

fn map_from_json(json: &Value) -> HashMap<String, AttributeValue> {
    json.as_object().unwrap().iter().map(|(name, value)| (name.clone(), from_json(value))).collect()
}

fn to_json(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) => json!({ "S": text }),
        AttributeValue::N(number) => json!({ "N": number }),
        AttributeValue::Bool(bool) => json!({ "BOOL": bool }),
        AttributeValue::Null(_) => json!({ "NULL": true }),
        AttributeValue::B(bytes) => json!({ "B": BASE64_STANDARD.encode(bytes) }),
        AttributeValue::L(list) => json!({ "L": list.iter().map(to_json).collect::<Vec<_>>() }),
        AttributeValue::M(fields) => json!({ "M": map_to_json(fields) }),
        other => panic!("no item holds {other:?}"),
    }
}

fn from_json(json: &Value) -> AttributeValue {
    let (kind, value) = json.as_object().unwrap().iter().next().unwrap();
    let text = || value.as_str().unwrap().to_owned();
    match &**kind {
        "S" => AttributeValue::S(text()),
        "N" => AttributeValue::N(text()),
        "BOOL" => AttributeValue::Bool(value.as_bool().unwrap()),
        "NULL" => AttributeValue::Null(true),
        "B" => AttributeValue::B(Blob::new(BASE64_STANDARD.decode(text()).unwrap())),
        "L" => AttributeValue::L(value.as_array().unwrap().iter().map(from_json).collect()),
        "M" => AttributeValue::M(map_from_json(value)),
        other => panic!("no item holds {other}"),
    }
}
