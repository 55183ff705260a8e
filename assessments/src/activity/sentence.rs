//! Sentences with numbers in them, as `catalogue/activity.toml` words them.
//!
//! | placeholder | is replaced by |
//! |---|---|
//! | `{events}`, `{subjects}` | the number of events, of different subjects |
//! | `{events of LABEL}`, `{subjects of LABEL}` | those under one label |
//! | `{events:sign-in}` | the same with its noun: "1 sign-in", "214 sign-ins" |
//! | `{subjects:country/countries}` | with a plural of its own |
//! | `{labels}` | the labels and their numbers: "IMAP4 180, SMTP AUTH 34" |
//! | `{last}` | the date of the newest event |
//! | `{period}` | the time that was looked at: "the last 30 days", "the 30 days to 2026-11-20" |

use std::fmt::Write;

use serde::Deserialize;

#[cfg(test)]
use super::measure::Measure;
use super::tally::Counts;

/// A sentence with placeholders.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Number { what: What, label: Option<String>, noun: Option<(String, String)> },
    Labels,
    Last,
    Period,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Events,
    Subjects,
}

impl Template {
    /// Returns the sentence with its numbers.
    pub(crate) fn fill(&self, counts: &Counts, period: &str) -> String {
        let mut sentence = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => sentence.push_str(text),
                Piece::Number { what, label, noun } => {
                    let number = match what {
                        What::Events => counts.events(label.as_deref()),
                        What::Subjects => counts.subjects(label.as_deref()),
                    };
                    // Writing to a string cannot fail.
                    let _ = write!(sentence, "{number}");
                    if let Some((one, many)) = noun {
                        let _ = write!(sentence, " {}", if number == 1 { one } else { many });
                    }
                }
                Piece::Labels => {
                    let labels = counts.labels().into_iter().map(|(label, events)| format!("{label} {events}"));
                    sentence.push_str(&labels.collect::<Vec<_>>().join(", "));
                }
                Piece::Last => {
                    let _ = counts.last.map(|last| write!(sentence, "{}", last.date()));
                }
                Piece::Period => sentence.push_str(period),
            }
        }
        sentence
    }

    /// Returns the text before the first placeholder.
    #[cfg(test)]
    pub(crate) fn beginning(&self) -> &str {
        match self.0.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns the first label in the template that the measure does not have.
    #[cfg(test)]
    pub(crate) fn unknown_label(&self, measure: Measure) -> Option<&str> {
        let labels = self.0.iter().filter_map(|piece| match piece {
            Piece::Number { label, .. } => label.as_deref(),
            _ => None,
        });
        labels.into_iter().find(|label| !measure.labels().contains(label))
    }
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, placeholder)) = rest.split_once('{') {
            let (name, after) = placeholder.split_once('}').ok_or("a placeholder without its end")?;
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(Piece::parse(name)?);
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }
}

impl Piece {
    fn parse(name: &str) -> Result<Self, String> {
        let (number, noun) = name.split_once(':').map_or((name, None), |(number, noun)| (number, Some(noun)));
        let (what, label) = number.split_once(" of ").map_or((number, None), |(what, label)| (what, Some(label)));
        let what = match what {
            "labels" => return Ok(Self::Labels),
            "last" => return Ok(Self::Last),
            "period" => return Ok(Self::Period),
            "events" => What::Events,
            "subjects" => What::Subjects,
            _ => return Err(format!("there is no placeholder {name:?}")),
        };
        let noun = noun.map(|noun| match noun.split_once('/') {
            Some((one, many)) => (one.to_owned(), many.to_owned()),
            None => (noun.to_owned(), format!("{noun}s")),
        });
        Ok(Self::Number { what, label: label.map(str::to_owned), noun })
    }
}

#[cfg(test)]
mod tests {
    use super::super::events::{Entry, EntryFindings, Events};
    use super::super::subject::Subject;
    use super::super::window::Window;
    use super::*;
    use crate::file::RowKey;

    fn filled(template: &str) -> String {
        let mut events = Events::default();
        let at = "2026-11-19T08:00:00Z".parse().unwrap();
        for (id, user, label, count) in [("1", "a", "IMAP4", 3), ("2", "A", "SMTP AUTH", 1), ("2", "A", "SMTP AUTH", 1)]
        {
            let mut shown = EntryFindings::default();
            shown.add_many(Measure::LegacyProtocol, label, count);
            events.add(Entry { key: RowKey::of(id), at, subject: Subject::of(user) }, shown);
        }
        events.deduplicate();
        let tally = events.tally(Window::before("2026-11-20T00:00:00Z".parse().unwrap(), 30), None);
        let counts = tally.counts(Measure::LegacyProtocol).unwrap();
        Template::try_from(template.to_owned()).unwrap().fill(counts, "the last 30 days")
    }

    #[test]
    fn placeholders_become_numbers_with_their_nouns() {
        assert_eq!(
            filled("{events:sign-in} by {subjects:user} ({labels}) in {period}; the last on {last}."),
            "4 sign-ins by 1 user (IMAP4 3, SMTP AUTH 1) in the last 30 days; the last on 2026-11-19."
        );
        assert_eq!(filled("{subjects:country/countries}, {events of SMTP AUTH:time}"), "1 country, 1 time");
        assert_eq!(filled("{events of POP3:country/countries}"), "0 countries");
    }

    #[test]
    fn a_template_with_an_unknown_placeholder_is_refused() {
        for text in ["{event}", "{events", "{last:day} {names}"] {
            assert!(Template::try_from(text.to_owned()).is_err(), "{text}");
        }
        let template = Template::try_from("{events of SMTP}".to_owned()).unwrap();
        assert_eq!(template.unknown_label(Measure::LegacyProtocol), Some("SMTP"));
    }
}
