//! Characters that nobody sees and that change how the text around them reads.
//!
//! Control characters steer a terminal; overrides of the writing direction make `gpj.exe` read `exe.jpg`. They are
//! refused in names that people give, taken out of what tools write, and spelled out wherever a text is shown.

use std::borrow::Cow;

/// Returns whether a character is invisible and changes how others are read. Joiners are not: emoji and Persian need
/// them.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns a text without hidden characters, but with the ends of its lines and its tabs.
pub fn without_hidden(text: String) -> String {
    if text.contains(is_hidden_in_lines) { text.replace(is_hidden_in_lines, "") } else { text }
}

/// Returns a text with hidden characters spelled out, such as `[U+202E]`.
pub fn visible(text: &str) -> Cow<'_, str> {
    spelled(text, is_hidden)
}

/// Returns a text with hidden characters spelled out, except for the ends of its lines and its tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    spelled(text, is_hidden_in_lines)
}

/// Returns whether a character is hidden in a text of lines, which needs their ends and tabs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_turn_the_text_around_is_spelled_out() {
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
}
