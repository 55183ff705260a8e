//! The query of a request: its options, and the filters that the collector uses.

use std::collections::BTreeMap;

use serde_json::Value;

/// Options such as `$top`, decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Query(BTreeMap<String, String>);

/// A condition on a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Compare { property: String, operator: Operator, value: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    AtLeast,
    AtMost,
}

impl Query {
    pub(super) fn parse(text: &str) -> Self {
        Self(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    pub(super) fn get(&self, option: &str) -> Option<&str> {
        self.0.get(option).map(String::as_str)
    }

    pub(super) fn without(mut self, option: &str) -> Self {
        self.0.remove(option);
        self
    }

    /// Returns the query as text, encoded.
    pub(super) fn text(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish()
    }

    /// Returns the filter, or `None` if there is one that is not supported.
    pub(super) fn filter(&self) -> Option<Option<Filter>> {
        match self.get("$filter") {
            None => Some(None),
            Some(text) => Filter::parse(text).map(Some),
        }
    }
}

impl Filter {
    fn parse(text: &str) -> Option<Self> {
        let tokens = tokens(text);
        let mut rest = tokens.as_slice();
        let filter = any(&mut rest)?;
        rest.is_empty().then_some(filter)
    }

    pub(super) fn accepts(&self, row: &Value) -> bool {
        match self {
            Self::And(parts) => parts.iter().all(|part| part.accepts(row)),
            Self::Or(parts) => parts.iter().any(|part| part.accepts(row)),
            Self::Compare { property, operator, value } => {
                // Times are all written alike, so they are compared as texts.
                let found = row.pointer(&format!("/{property}")).and_then(Value::as_str);
                found.is_some_and(|found| match operator {
                    Operator::Equal => found == value,
                    Operator::AtLeast => found >= value.as_str(),
                    Operator::AtMost => found <= value.as_str(),
                })
            }
        }
    }

    /// Returns the values that a property is compared with.
    pub(super) fn values(&self, of: &str) -> Vec<&str> {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(|part| part.values(of)).collect(),
            Self::Compare { property, operator: Operator::Equal, value } if property == of => vec![value],
            Self::Compare { .. } => Vec::new(),
        }
    }
}

/// Splits a filter into words, texts in quotation marks, and parentheses.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for character in text.chars() {
        match character {
            '\'' => {
                quoted = !quoted;
                word.push(character);
            }
            '(' | ')' | ' ' if !quoted => {
                if !word.is_empty() {
                    tokens.push(std::mem::take(&mut word));
                }
                if character != ' ' {
                    tokens.push(character.to_string());
                }
            }
            _ => word.push(character),
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens
}

fn any(rest: &mut &[String]) -> Option<Filter> {
    joined(rest, "or", all).map(|mut parts| if parts.len() == 1 { parts.remove(0) } else { Filter::Or(parts) })
}

fn all(rest: &mut &[String]) -> Option<Filter> {
    joined(rest, "and", one).map(|mut parts| if parts.len() == 1 { parts.remove(0) } else { Filter::And(parts) })
}

fn joined(rest: &mut &[String], word: &str, part: fn(&mut &[String]) -> Option<Filter>) -> Option<Vec<Filter>> {
    let mut parts = vec![part(rest)?];
    while let [next, after @ ..] = *rest
        && next == word
    {
        *rest = after;
        parts.push(part(rest)?);
    }
    Some(parts)
}

fn one(rest: &mut &[String]) -> Option<Filter> {
    if let [open, after @ ..] = *rest
        && open == "("
    {
        *rest = after;
        let inner = any(rest)?;
        let [close, after @ ..] = *rest else { return None };
        *rest = after;
        return (close == ")").then_some(inner);
    }
    let [property, operator, value, after @ ..] = *rest else { return None };
    *rest = after;
    let operator = match operator.as_str() {
        "eq" => Operator::Equal,
        "ge" => Operator::AtLeast,
        "le" => Operator::AtMost,
        _ => return None,
    };
    Some(Filter::Compare { property: property.clone(), operator, value: value.trim_matches('\'').to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_filter_is_applied_with_its_parentheses() {
        let query = Query::parse("$filter=at+ge+2026-01-02+and+(id+eq+'a'+or+id+eq+'b%20(c)')&$top=5");
        let filter = query.filter().unwrap().unwrap();
        let accepts = |at: &str, id: &str| filter.accepts(&json!({ "at": at, "id": id }));
        assert!(accepts("2026-01-02", "a") && accepts("2026-01-03", "b (c)"));
        assert!(!accepts("2026-01-01", "a") && !accepts("2026-01-03", "c"));
        assert_eq!(filter.values("id"), ["a", "b (c)"]);
        assert_eq!(query.get("$top"), Some("5"));
        assert_eq!(Query::parse("$filter=id+ne+'a'").filter(), None);
        assert_eq!(Query::parse("$filter=(id+eq+'a'").filter(), None);
    }
}
