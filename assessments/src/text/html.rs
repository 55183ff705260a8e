//! Tools write many of their texts as HTML, for their own pages. Reports carry plain text.

use std::convert::Infallible;

use html5gum::{HtmlString, StartTag, Token, Tokenizer};

/// The text of a fragment: entities decoded, white space collapsed, line breaks kept.
///
/// What makes sense on the tool's page only is left out with its text: styles and scripts, the badges behind a
/// requirement, and links to a place on the same page together with the rest of their sentence.
pub(crate) fn plain(html: &str) -> String {
    let mut text = PlainText::default();
    for token in Tokenizer::new(html) {
        text.take(infallible(token));
    }
    text.written
}

fn infallible(token: Result<Token, Infallible>) -> Token {
    let Ok(token) = token;
    token
}

/// An element whose text is left out, while it lasts.
struct Hidden {
    name: HtmlString,
    depth: usize,
}

#[derive(Default)]
struct PlainText {
    written: String,
    /// What goes before the next word, if anything was written.
    separator: &'static str,
    hidden: Option<Hidden>,
    after_page_link: bool,
    in_comment_heading: bool,
}

impl PlainText {
    fn take(&mut self, token: Token) {
        match token {
            Token::StartTag(tag) => self.open(&tag),
            Token::EndTag(tag) => self.close(&tag.name),
            Token::String(text) if self.hidden.is_none() => self.write(&String::from_utf8_lossy(&text.value)),
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }

    fn open(&mut self, tag: &StartTag<()>) {
        if let Some(hidden) = &mut self.hidden {
            hidden.depth += usize::from(hidden.name == tag.name);
        } else if is_page_furniture(tag) {
            self.hidden = Some(Hidden { name: tag.name.clone(), depth: 1 });
        } else if is_comment_heading(tag) {
            self.in_comment_heading = true;
            self.separator = "\n";
        } else if matches!(tag.name.as_slice(), b"br" | b"div" | b"li" | b"ol" | b"p" | b"tr" | b"ul") {
            self.separator = "\n";
        }
    }

    fn close(&mut self, name: &HtmlString) {
        match &mut self.hidden {
            Some(hidden) if hidden.name == *name => {
                hidden.depth -= 1;
                if hidden.depth == 0 {
                    self.hidden = None;
                    self.after_page_link = name.as_slice() == b"a";
                }
            }
            Some(_) => {}
            None if self.in_comment_heading && name.as_slice() == b"span" => {
                self.in_comment_heading = false;
                self.separator = ": ";
            }
            None if matches!(name.as_slice(), b"div" | b"ol" | b"p" | b"ul") => self.separator = "\n",
            None => {}
        }
    }

    fn write(&mut self, text: &str) {
        let sentence_end = text.find('.').filter(|_| self.after_page_link);
        let text = sentence_end.map_or(text, |end| &text[end + 1..]);
        self.after_page_link = false;
        for character in text.chars() {
            if !character.is_whitespace() {
                if !self.written.is_empty() {
                    self.written.push_str(self.separator);
                }
                self.separator = "";
                self.written.push(character);
            } else if self.separator.is_empty() {
                self.separator = " ";
            }
        }
    }
}

/// Badges, links that lead nowhere outside the page, and what a browser does not show as text.
fn is_page_furniture(tag: &StartTag<()>) -> bool {
    matches!(tag.name.as_slice(), b"script" | b"style")
        || has_class(tag, "policy-indicators")
        || attribute(tag, "href").is_some_and(|address| address.starts_with('#'))
}

/// The heading of what a user wrote.
fn is_comment_heading(tag: &StartTag<()>) -> bool {
    has_class(tag, "comment-heading")
}

fn has_class(tag: &StartTag<()>, class: &str) -> bool {
    attribute(tag, "class").is_some_and(|classes| classes.split_whitespace().any(|each| each == class))
}

fn attribute<'a>(tag: &'a StartTag<()>, name: &str) -> Option<&'a str> {
    tag.attributes.get(name.as_bytes()).and_then(|value| std::str::from_utf8(&value.value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn badges_leave_no_word_behind() {
        let requirement = "Sign-ins SHALL be blocked.<div class='policy-indicators'><a href='https://example.com' \
             class='indicator'>BOD 25-01 Requirement</a><div>Manual</div></div>";
        assert_eq!(plain(requirement), "Sign-ins SHALL be blocked.");
    }

    #[test]
    fn breaks_are_kept_and_entities_decoded() {
        assert_eq!(plain("2 policies &amp; rules:<br/>A &lt;one&gt;,\n B.<br>"), "2 policies & rules:\nA <one>, B.");
        assert_eq!(plain("a < b  and\tc<!-- a note -->"), "a < b and c");
        assert_eq!(plain(" <b>a.</b>\n b "), "a. b");
    }

    #[test]
    fn blocks_stand_on_lines_of_their_own() {
        assert_eq!(
            plain("<ol> <li>Open <em>A</em>.</li> <li>Set&nbsp;<span>B</span> to C.</li></ol>Done."),
            "Open A.\nSet B to C.\nDone."
        );
        assert_eq!(plain("<style>p { color: red }</style><p>One</p>Two<script>three()</script>"), "One\nTwo");
    }

    #[test]
    fn links_on_the_page_vanish_and_others_keep_their_text() {
        assert_eq!(plain("0 found. <a href='#caps'>View all</a>."), "0 found.");
        assert_eq!(plain("0 found. <a href='#caps'>View all</a>. Next."), "0 found. Next.");
        assert_eq!(plain("Met. <a href=\"#dns-logs\">View DNS logs</a> for more details."), "Met.");
        assert_eq!(plain("See <a href=\"https://example.com\">the policy</a>."), "See the policy.");
    }

    #[test]
    fn what_a_user_wrote_stands_on_a_line_of_its_own() {
        assert_eq!(
            plain("Omitted. <span class='comment-heading'>User justification</span>\"not used\""),
            "Omitted.\nUser justification: \"not used\""
        );
        assert_eq!(
            plain("Omitted. <span class='comment-heading'>No justification</span>"),
            "Omitted.\nNo justification"
        );
    }
}
