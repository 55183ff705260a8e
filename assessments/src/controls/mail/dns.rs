//! Answers of DNS over HTTPS.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::controls::received::Problem;
use crate::controls::source::Source;
use crate::controls::tenant::Tenant;
use crate::controls::verdict::{NotAssessed, not_assessed};

/// Number of the type of records with texts.
const TXT: i64 = 16;

/// Answers by name and type, both in lower case.
#[derive(Default)]
pub(in crate::controls) struct DnsAnswers(BTreeMap<(String, String), Option<DnsAnswer>>);

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DnsAnswer {
    /// Texts of the records; none if the name or the type does not exist.
    Texts(Vec<String>),
    /// The servers of the domain failed.
    Failed,
}

impl DnsAnswers {
    /// Adds the answer to a query such as `name=example.com&type=TXT`. Returns a problem if it is no answer.
    pub(in crate::controls) fn take(&mut self, query: &str, body: &Value) -> Result<(), Problem> {
        let parameter = |name: &str| query.split('&').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
        let (Some(name), Some(kind)) = (parameter("name"), parameter("type")) else { return Err(Problem::Unexpected) };
        let key = key_of(name, kind);
        let answer = read(body).ok_or(Problem::Unexpected)?;
        match self.0.get_mut(&key) {
            // Two answers that differ are none.
            Some(known) => drop(known.take_if(|known| *known != answer)),
            None => drop(self.0.insert(key, Some(answer))),
        }
        Ok(())
    }
}

fn key_of(name: &str, kind: &str) -> (String, String) {
    (name.trim_end_matches('.').to_ascii_lowercase(), kind.to_ascii_lowercase())
}

fn read(body: &Value) -> Option<DnsAnswer> {
    const NO_ERROR: i64 = 0;
    const NO_NAME: i64 = 3;
    if body.get("TC").and_then(Value::as_bool) == Some(true) {
        return Some(DnsAnswer::Failed);
    }
    match body.get("Status")?.as_i64()? {
        NO_ERROR => {
            let records = match body.get("Answer") {
                None | Some(Value::Null) => [].iter(),
                Some(records) => records.as_array()?.iter(),
            };
            let texts = records.filter(|record| record.get("type").and_then(Value::as_i64) == Some(TXT));
            let mut texts =
                texts.map(|record| Some(joined(record.get("data")?.as_str()?))).collect::<Option<Vec<_>>>()?;
            texts.sort();
            Some(DnsAnswer::Texts(texts))
        }
        NO_NAME => Some(DnsAnswer::Texts(Vec::new())),
        _ => Some(DnsAnswer::Failed),
    }
}

/// Joins the pieces of a text, each in quotation marks: `"v=spf1 " "-all"`.
fn joined(data: &str) -> String {
    let data = data.trim();
    if !data.starts_with('"') {
        return data.to_owned();
    }
    let mut text = String::new();
    let mut inside = false;
    let mut characters = data.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => inside = !inside,
            '\\' if inside => text.extend(characters.next()),
            _ if inside => text.push(character),
            _ => {}
        }
    }
    text
}

impl Tenant {
    /// Returns whether the snapshot contains the records of a name.
    pub(super) fn has_texts_of(&self, name: &str) -> bool {
        self.lists.dns.0.contains_key(&key_of(name, "txt"))
    }

    /// Returns the texts of the records of a name. Returns none if the name does not exist.
    pub(super) fn texts_of(&self, name: &str) -> Result<&[String], NotAssessed> {
        match self.lists.dns.0.get(&key_of(name, "txt")) {
            Some(Some(DnsAnswer::Texts(texts))) => Ok(texts),
            Some(_) => not_assessed(format!("The name servers did not answer for {name}.")),
            None => {
                self.asked(Source::Dns)?;
                not_assessed(format!("The snapshot does not contain the records of {name}."))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_text_are_joined() {
        for (data, text) in [
            ("\"v=spf1 -all\"", "v=spf1 -all"),
            ("\"v=DKIM1; p=MII\" \"BIj\"", "v=DKIM1; p=MIIBIj"),
            ("v=spf1 ~all", "v=spf1 ~all"),
            ("\"a\\\"b\"", "a\"b"),
            ("\"open", "open"),
        ] {
            assert_eq!(joined(data), text);
        }
    }
}
