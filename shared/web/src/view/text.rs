//! Text from files and people, made harmless to show.
//!
//! `maud` escapes markup. What is left are characters that change how the text around them reads: overrides of the
//! writing direction, control characters, and names so long that they bury the page.

use std::borrow::Cow;

use maud::{Markup, html};
pub use model::{visible, visible_lines};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the characters that need no escape anywhere in an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Longest name that is shown whole, in characters.
const LONGEST_NAME: usize = 160;

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

/// Returns a message as a sentence: with a capital letter and a full stop.
pub fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(char::to_uppercase);
    let end = if message.ends_with('.') { "" } else { "." };
    first.into_iter().flatten().chain(letters).chain(end.chars()).collect()
}

/// Returns a text as a value of a query.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Returns a number of bytes in megabytes, such as `6 MB`.
pub fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        let shown = name("<script>alert(1)</script><svg onload=x>").into_string();
        assert!(shown.contains("&lt;script&gt;") && !shown.contains("<script") && !shown.contains("<svg"), "{shown}");
        assert!(name("a\nb\u{202e}").into_string().contains("a[U+000A]b[U+202E]"));
        let shown = prose("a\nb\u{202e}<b>").into_string();
        assert!(shown.contains("a\nb[U+202E]&lt;b&gt;"), "{shown}");
    }

    #[test]
    fn a_long_name_is_cut() {
        let shown = name(&"ä".repeat(10_000)).into_string();
        assert!(shown.contains('…') && shown.chars().count() < 300, "{}", shown.len());
        let exact = "x".repeat(LONGEST_NAME);
        assert!(!name(&exact).into_string().contains('…'));
    }
}
