//! How several tools put the same things in words.

use shared::model::Severity;

/// A text, unless there is nothing in it.
pub(crate) fn stated(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
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
    fn numbers_are_found_by_the_words_before_them() {
        assert_eq!(number_after(&["ratio:", "="], "The ratio: 3.6 = 18 / 5"), Some(18));
        assert_eq!(number_after(&["There are"], "There are 6 of them"), Some(6));
        for text in ["There are many", "None", "There are 99999999999"] {
            assert_eq!(number_after(&["There are"], text), None, "{text}");
        }
    }
}
