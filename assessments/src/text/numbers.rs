//! How several tools put the same things in words.

use model::Severity;

use crate::markdown::{Document, leading_sentences};

/// Longest reason that is taken from a description, in bytes, unless its first sentence alone is longer.
const REASON_LENGTH: usize = 250;

/// A text, unless there is nothing in it.
pub(crate) fn stated(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The text of a result in Markdown, line by line, unless there is nothing in it.
pub(crate) fn plain_lines(markdown: &str) -> Option<String> {
    stated(Some(Document::parse(markdown).lines().join("\n")))
}

/// The first sentences of a description, as why a control matters.
pub(crate) fn reason(description: &str) -> String {
    leading_sentences(description.trim(), REASON_LENGTH).to_owned()
}

/// The severity that a word names in any case. Tools have words below the lowest severity, too, such as "Info".
pub(crate) fn severity(word: &str) -> Option<Severity> {
    match word.trim().to_ascii_lowercase().as_str() {
        "critical" => Some(Severity::Critical),
        "high" => Some(Severity::High),
        "medium" => Some(Severity::Medium),
        "low" => Some(Severity::Low),
        _ => None,
    }
}

/// Tests whose results tell how many top-privilege administrators there are, with the words before the number, each
/// behind the one before. The later in the list counts.
pub(crate) type CountingTests = &'static [(&'static str, &'static [&'static str])];

/// How many top-privilege administrators there are by the results that a file has of each test.
pub(crate) fn administrators(tests: CountingTests, results: impl Fn(&str) -> Vec<String>) -> Option<u32> {
    let count = |(test, words): &(&str, &[&str])| results(test).iter().filter_map(|it| number_after(words, it)).max();
    tests.iter().rev().find_map(count)
}

/// The number that follows these words in a text, each behind the one before.
pub(crate) fn number_after(words: &[&str], text: &str) -> Option<u32> {
    let rest = words.iter().try_fold(text, |rest, word| rest.split_once(word).map(|(_, rest)| rest))?.trim_start();
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_are_words_in_any_case() {
        assert_eq!(severity("High "), Some(Severity::High));
        assert_eq!(severity("critical"), Some(Severity::Critical));
        assert_eq!((severity("Info"), severity("informational"), severity("")), (None, None, None));
    }

    #[test]
    fn the_last_test_that_tells_a_number_counts() {
        let tests: CountingTests = &[("first", &["There are"]), ("second", &["Count:"])];
        let count = |results: &[(&str, &str)]| {
            administrators(tests, |test| {
                results.iter().filter(|(id, _)| *id == test).map(|(_, text)| (*text).to_owned()).collect()
            })
        };
        assert_eq!(count(&[("second", "Count: 2"), ("first", "There are 7")]), Some(2));
        assert_eq!(count(&[("second", "Count: many"), ("first", "There are 7"), ("first", "There are 8")]), Some(8));
        assert_eq!(count(&[("third", "Count: 2")]), None);
    }

    #[test]
    fn numbers_are_found_by_the_words_before_them() {
        assert_eq!(number_after(&["ratio:", "="], "The ratio: 3.6 = 18 / 5"), Some(18));
        assert_eq!(number_after(&["There are"], "There are 6 of them"), Some(6));
        for text in ["There are many", "None", "There are 99999999999"] {
            assert_eq!(number_after(&["There are"], text), None, "{text}");
        }
    }
}
