//! Texts for people: invisible characters that change how the surrounding text reads, and nouns with their numbers.
//!
//! Control characters can control a terminal; bidirectional overrides make `gpj.exe` read as `exe.jpg`. They are
//! refused in names that people enter, removed from the texts of tools, and escaped wherever a text is shown.

use std::borrow::Cow;

/// Returns whether a character is invisible and changes how others are read. Joiners are not hidden: emoji and Persian
/// need them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns a text without hidden characters, except for line breaks and tabs.
pub fn without_hidden(text: String) -> String {
    if text.contains(is_hidden_in_lines) { text.replace(is_hidden_in_lines, "") } else { text }
}

/// Returns a text with hidden characters escaped, such as `[U+202E]`.
pub fn visible(text: &str) -> Cow<'_, str> {
    spelled(text, is_hidden)
}

/// Returns a text with hidden characters escaped, except for line breaks and tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    spelled(text, is_hidden_in_lines)
}

/// Returns whether a character is hidden in a text of several lines, which may contain line breaks and tabs.
pub fn is_hidden_in_lines(c: char) -> bool {
    is_hidden(c) && c != '\n' && c != '\t'
}

fn spelled(text: &str, hidden: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(hidden) {
        return text.into();
    }
    let spell = |c: char| if hidden(c) { format!("[U+{:04X}]", u32::from(c)) } else { c.to_string() };
    text.chars().map(spell).collect::<String>().into()
}

/// Returns an English noun in the form that a number needs: `report` or `reports`, `discrepancy` or `discrepancies`.
pub fn noun(number: usize, singular: &str) -> String {
    match (number, singular.strip_suffix('y')) {
        (1, _) => singular.to_owned(),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{singular}s"),
    }
}

/// Returns a number with its noun, such as `1 report` or `3 reports`.
pub fn counted(number: usize, singular: &str) -> String {
    format!("{number} {}", noun(number, singular))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidirectional_marks_are_spelled_out() {
        assert_eq!(visible("invoice\u{202e}fdp.exe"), "invoice[U+202E]fdp.exe");
        assert_eq!(visible("a\u{1b}[2Jb\r\n"), "a[U+001B][2Jb[U+000D][U+000A]");
        assert_eq!(visible("\u{2066}x\u{2069}\u{feff}"), "[U+2066]x[U+2069][U+FEFF]");
        assert_eq!(visible_lines("a\n\tb\r"), "a\n\tb[U+000D]");
    }

    #[test]
    fn lines_and_tabs_stay_when_hidden_characters_go() {
        assert_eq!(without_hidden("a\u{202e}\n\tb\u{1b}[2J\u{200b}".to_owned()), "a\n\tb[2J");
    }

    #[test]
    fn names_of_all_scripts_are_left_alone() {
        for text in ["Fabrikam 日本株式会社", "مجموعة فابريكام", "Zoë’s café – 👩‍💻", "می‌خواهم"]
        {
            assert!(matches!(visible(text), Cow::Borrowed(shown) if shown == text), "{text}");
            assert_eq!(without_hidden(text.to_owned()), text);
        }
    }

    #[test]
    fn nouns_agree_with_their_numbers() {
        assert_eq!(counted(0, "report"), "0 reports");
        assert_eq!(counted(1, "report"), "1 report");
        assert_eq!(counted(2, "key"), "2 keys");
        assert_eq!(counted(1, "discrepancy"), "1 discrepancy");
        assert_eq!(counted(3, "discrepancy"), "3 discrepancies");
    }
}
