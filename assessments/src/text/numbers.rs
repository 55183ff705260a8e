//! Numbers within sentences.

/// Tests whose results contain the number of top-privilege administrators. Each comes with the phrases that precede the
/// number, in the order in which they occur in the text. Later tests take precedence over earlier ones.
pub(crate) type CountingTests = &'static [(&'static str, &'static [&'static str])];

/// Returns the number of top-privilege administrators. `results` returns the results that a file has of a test.
pub(crate) fn administrator_count(tests: CountingTests, results: impl Fn(&str) -> Vec<String>) -> Option<u32> {
    let count = |(test, phrases): &(&str, &[&str])| {
        results(test).iter().filter_map(|result| number_after(phrases, result)).max()
    };
    tests.iter().rev().find_map(count)
}

/// Returns the number that follows the phrases in a text. Each phrase has to occur after the one before it.
pub(crate) fn number_after(phrases: &[&str], text: &str) -> Option<u32> {
    let rest = phrases.iter().try_fold(text, |rest, phrase| rest.split_once(phrase).map(|(_, rest)| rest))?;
    let rest = rest.trim_start();
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_test_with_a_number_counts() {
        let tests: CountingTests = &[("first", &["There are"]), ("second", &["Count:"])];
        let count = |results: &[(&str, &str)]| {
            administrator_count(tests, |test| {
                results.iter().filter(|(id, _)| *id == test).map(|(_, text)| (*text).to_owned()).collect()
            })
        };
        assert_eq!(count(&[("second", "Count: 2"), ("first", "There are 7")]), Some(2));
        assert_eq!(count(&[("second", "Count: many"), ("first", "There are 7"), ("first", "There are 8")]), Some(8));
        assert_eq!(count(&[("third", "Count: 2")]), None);
    }

    #[test]
    fn numbers_are_found_by_the_phrases_before_them() {
        assert_eq!(number_after(&["ratio:", "="], "The ratio: 3.6 = 18 / 5"), Some(18));
        assert_eq!(number_after(&["There are"], "There are 6 of them"), Some(6));
        for text in ["There are many", "None", "There are 99999999999"] {
            assert_eq!(number_after(&["There are"], text), None, "{text}");
        }
    }
}
