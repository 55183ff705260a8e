//! Makes any text safe to show: marks characters that no font has, and leaves out those that would reorder or hide
//! text.

use serde_json::Value;

use crate::world::has_glyph;

/// Replaces a character that cannot be shown.
const REPLACEMENT: char = '\u{fffd}';
/// Permits a line break and shows nothing.
const BREAK: char = '\u{200b}';
/// The longest run of characters without an opportunity to break the line, in characters.
const LONGEST_RUN: usize = 40;
/// The same in a cell of a table: no longer than what a narrow column has room for.
const LONGEST_RUN_OF_CELL: usize = 16;

/// Cleans all texts of a JSON value. Keys do not change.
pub(crate) fn clean_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(items) => items.iter_mut().for_each(clean_all),
        Value::Object(fields) => fields.values_mut().for_each(clean_all),
        _ => {}
    }
}

/// Returns the text in displayable form, with opportunities to break lines in long runs.
pub(crate) fn clean(text: &str) -> String {
    breakable(text, LONGEST_RUN)
}

/// Returns the text of a table's cell in displayable form.
pub(crate) fn clean_cell(text: &str) -> String {
    breakable(text, LONGEST_RUN_OF_CELL)
}

fn breakable(text: &str, longest_run: usize) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut run = 0;
    for character in text.chars().filter_map(showable) {
        if may_break_after(character) {
            run = 0;
        } else if run == longest_run {
            shown.push(BREAK);
            run = 1;
        } else {
            run += 1;
        }
        shown.push(character);
    }
    shown
}

/// Returns the character to show in place of this one, or `None` to leave it out.
fn showable(character: char) -> Option<char> {
    match character {
        '\n' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\t' => Some(' '),
        '\r' => None,
        _ if is_invisible(character) => None,
        // They join or separate letters of Arabic and Indic scripts, with or without their own glyph.
        '\u{200c}' | '\u{200d}' => Some(character),
        // Some fonts have glyphs even for control characters, which no document may contain.
        _ if has_glyph(character) && !character.is_control() => Some(character),
        _ => Some(REPLACEMENT),
    }
}

/// Returns whether a character is invisible but changes how others are shown: direction, variants, breaks.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a line may break after the character: spaces, signs of addresses, and scripts that are written
/// without spaces.
fn may_break_after(character: char) -> bool {
    let breaking_space = character.is_whitespace() && !matches!(character, '\u{a0}' | '\u{2007}' | '\u{202f}');
    breaking_space || matches!(character, '-' | '/' | '?') || ('\u{2e80}'..='\u{fffc}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_of_many_scripts_is_unchanged() {
        for text in [
            "Müller & Söhne GmbH",
            "日本株式会社",
            "مجموعة فابريكام",
            "קבוצת פבריקם",
            "한국어 회사",
            "Ελλάδα – Україна",
            "✅ done → ❌",
        ] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn characters_without_glyph_are_marked_and_reordering_ones_are_left_out() {
        assert_eq!(clean("a\u{0}b\u{7}c\u{e000}d\u{10ffff}"), "a�b�c�d�");
        assert_eq!(clean("user\u{202e}gpj.exe\u{2066}x\u{feff}"), "usergpj.exex");
        assert_eq!(clean("a\tb\r\nc\u{2028}d"), "a b\nc\nd");
    }

    #[test]
    fn a_long_run_can_break() {
        let shown = clean(&"x".repeat(100));
        assert!(shown.split(BREAK).all(|part| part.len() <= LONGEST_RUN));
        assert_eq!(shown.replace(BREAK, ""), "x".repeat(100));
        assert_eq!(clean_cell("Administrators"), "Administrators");
        assert_eq!(clean_cell(&"x".repeat(17)), format!("{}{BREAK}x", "x".repeat(16)));
    }
}
