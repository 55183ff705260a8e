//! Words for severities.

use model::Severity;

/// Returns the severity that a word names, in any case. Returns `None` for all other words, among them those for
/// severities below the lowest of a report, such as "Info".
pub(crate) fn severity(word: &str) -> Option<Severity> {
    match word.trim().to_ascii_lowercase().as_str() {
        "critical" => Some(Severity::Critical),
        "high" => Some(Severity::High),
        "medium" => Some(Severity::Medium),
        "low" => Some(Severity::Low),
        _ => None,
    }
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
}
