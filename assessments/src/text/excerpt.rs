//! Excerpts of texts that are too long for a report.

/// Longest reason that is taken from a description, in bytes. The first sentence may be longer.
const REASON_LENGTH: usize = 250;

/// Lines of a control's state that are kept. Tools list every object that they assessed, in tables of hundreds of rows.
const STATE_LINES: usize = 20;

/// Characters of a line that are kept. Few lines are longer, and those are lists as well.
const LINE_LENGTH: usize = 300;

/// Trims a text. Returns `None` if nothing is left.
pub(crate) fn non_empty(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the first sentences of a description, as the reason why a control matters.
pub(crate) fn reason(description: &str) -> String {
    leading_sentences(description.trim(), REASON_LENGTH).to_owned()
}

/// Returns the leading sentences that together have at most `limit` bytes, but at least the first sentence.
fn leading_sentences(text: &str, limit: usize) -> &str {
    let ends = text.match_indices(". ").map(|(index, _)| index + 1);
    let ends = ends.filter(|end| text[*end..].trim_start().starts_with(|first: char| first.is_uppercase()));
    let mut kept = None;
    for end in ends.chain([text.len()]) {
        if kept.is_some() && end > limit {
            break;
        }
        kept = Some(end);
    }
    &text[..kept.unwrap_or(text.len())]
}

/// Returns the first lines of a state, up to a report's limit, and the number of missing lines.
pub(crate) fn shorten(state: &str) -> String {
    let lines: Vec<&str> = state.lines().collect();
    let mut kept: Vec<String> = lines.iter().take(STATE_LINES).map(|line| shorten_line(line)).collect();
    if lines.len() > STATE_LINES {
        kept.push(format!("and {} more lines", lines.len() - STATE_LINES));
    }
    kept.join("\n")
}

fn shorten_line(line: &str) -> String {
    let mut characters = line.chars();
    let mut kept: String = characters.by_ref().take(LINE_LENGTH).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_kept_complete() {
        let text = "One is e.g. this. Two is that. Three";
        for (limit, kept) in
            [(0, "One is e.g. this."), (29, "One is e.g. this."), (30, "One is e.g. this. Two is that.")]
        {
            assert_eq!(leading_sentences(text, limit), kept);
        }
        assert_eq!(leading_sentences(text, 99), text);
        assert_eq!(leading_sentences("", 9), "");
    }
}
