//! The condition that an item is still as it was read.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use super::Item;
use super::format::VERSION;

/// The condition that a stored item has the same value in every attribute that was read, and the same format.
pub(super) struct Unchanged {
    pub(super) condition: String,
    pub(super) names: HashMap<String, String>,
    pub(super) values: HashMap<String, AttributeValue>,
}

impl Unchanged {
    pub(super) fn since(read: &Item) -> Self {
        let mut conditions = Vec::with_capacity(read.len() + 1);
        let mut names = HashMap::from([("#v".to_owned(), VERSION.to_owned())]);
        let mut values = HashMap::with_capacity(read.len());
        if !read.contains_key(VERSION) {
            conditions.push("attribute_not_exists(#v)".to_owned());
        }
        for (place, (name, value)) in read.iter().enumerate() {
            let short = if name == VERSION { "#v".to_owned() } else { format!("#n{place}") };
            conditions.push(format!("{short} = :o{place}"));
            names.insert(short, name.clone());
            values.insert(format!(":o{place}"), value.clone());
        }
        Self { condition: conditions.join(" AND "), names, values }
    }
}
