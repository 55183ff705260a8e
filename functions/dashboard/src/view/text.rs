//! Text from files and people, made harmless to show.
//!
//! `maud` escapes markup. What is left are characters that change how the text around them reads: overrides of the
//! writing direction, control characters, and names so long that they bury the page.

use std::borrow::Cow;

use maud::{Markup, html};

/// Longest name that is shown whole, in characters.
const LONGEST_NAME: usize = 160;

/// Returns the text with control characters and invisible formatting spelled out, such as `[U+202E]`.
pub fn visible(text: &str) -> Cow<'_, str> {
    spelled(text, is_hidden)
}

/// Shows a name on one line. A long one is cut.
pub fn name(text: &str) -> Markup {
    html! { bdi class="name" { (shortened(text)) } }
}

/// Shows a name inside an attribute or a title. A long one is cut.
pub fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => format!("{}…", visible(&text[..end])).into(),
        None => visible(text),
    }
}

/// Shows a text of one or more lines.
pub fn prose(text: &str) -> Markup {
    html! { span class="prose" dir="auto" { (visible_lines(text)) } }
}

/// Returns the text with hidden characters spelled out, except for the ends of its lines and its tabs.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    spelled(text, |c| is_hidden(c) && c != '\n' && c != '\t')
}

fn spelled(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&hidden) {
        return text.into();
    }
    let spell = |c: char| match hidden(c) {
        true => format!("[U+{:04X}]", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(spell).collect::<String>().into()
}

/// Whether a character is invisible and changes how others are read. Joiners are left: emoji and Persian need them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_turn_the_text_around_is_spelled_out() {
        assert_eq!(visible("invoice\u{202e}fdp.exe"), "invoice[U+202E]fdp.exe");
        assert_eq!(visible("a\u{1b}[2Jb\r\n"), "a[U+001B][2Jb[U+000D][U+000A]");
        assert_eq!(visible("\u{2066}x\u{2069}\u{feff}"), "[U+2066]x[U+2069][U+FEFF]");
    }

    #[test]
    fn names_of_all_scripts_are_left_alone() {
        for text in ["Fabrikam 日本株式会社", "مجموعة فابريكام", "Zoë’s café – 👩‍💻", "می‌خواهم"]
        {
            assert!(matches!(visible(text), Cow::Borrowed(shown) if shown == text), "{text}");
        }
    }

    #[test]
    fn markup_is_text() {
        let shown = name("<script>alert(1)</script><svg onload=x>").into_string();
        assert!(shown.contains("&lt;script&gt;") && !shown.contains("<script") && !shown.contains("<svg"), "{shown}");
        let shown = prose("a\nb\u{202e}").into_string();
        assert!(shown.contains("a\nb[U+202E]"), "{shown}");
    }

    #[test]
    fn a_long_name_is_cut() {
        let shown = name(&"ä".repeat(10_000)).into_string();
        assert!(shown.contains('…') && shown.chars().count() < 300, "{}", shown.len());
        let exact = "x".repeat(LONGEST_NAME);
        assert!(!name(&exact).into_string().contains('…'));
    }
}
