//! HTML to plain text. Tools write many of their texts as HTML, for their own pages.

use std::convert::Infallible;

use html5gum::{HtmlString, StartTag, Token, Tokenizer};

use super::link;

/// Returns the text of an HTML fragment: entities decoded, white space collapsed, line breaks kept.
///
/// Parts that make sense only on the tool's page are removed with their text: styles and scripts, the badges after a
/// requirement, links within the page together with the rest of their sentence, and links that only invite to follow them.
pub(crate) fn html_to_text(html: &str) -> String {
    let mut text = PlainText::default();
    for token in Tokenizer::new(html) {
        text.take(infallible(token));
    }
    text.drop_invitation();
    text.written
}

fn infallible(token: Result<Token, Infallible>) -> Token {
    let Ok(token) = token;
    token
}

/// An open element whose text is skipped.
struct Hidden {
    name: HtmlString,
    depth: usize,
}

#[derive(Default)]
struct PlainText {
    written: String,
    /// Separator before the next word, unless it is the first.
    separator: &'static str,
    hidden: Option<Hidden>,
    after_page_link: bool,
    /// Start of the open link.
    link: Option<usize>,
    /// Start of the last link, if it says nothing without its address.
    invitation: Option<usize>,
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
        } else if tag.name.as_slice() == b"a" {
            self.link = Some(self.written.len());
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
            None if name.as_slice() == b"a" => self.end_link(),
            None if matches!(name.as_slice(), b"div" | b"ol" | b"p" | b"ul") => self.separator = "\n",
            None => {}
        }
    }

    fn end_link(&mut self) {
        let Some(begin) = self.link.take() else { return };
        let (before, text) = self.written.split_at(begin);
        self.invitation = link::is_invitation(before, text).then_some(begin);
        let end = begin + link::title(text).len();
        self.written.truncate(end);
    }

    /// Drops the last link if it is a sentence that only invites to follow it.
    fn drop_invitation(&mut self) {
        if let Some(begin) = self.invitation.take() {
            self.written.truncate(begin);
        }
    }

    fn write(&mut self, text: &str) {
        let mut text = text;
        if let Some(rest) = text.trim_start().strip_prefix('.').filter(|_| self.invitation.is_some()) {
            self.drop_invitation();
            text = rest;
        } else if self.separator == "\n" && !text.trim().is_empty() {
            self.drop_invitation();
        } else if !text.trim().is_empty() {
            self.invitation = None;
        }
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

/// Returns whether an element is a badge, a link within the page, or not shown as text by a browser.
fn is_page_furniture(tag: &StartTag<()>) -> bool {
    matches!(tag.name.as_slice(), b"script" | b"style")
        || has_class(tag, "policy-indicators")
        || attribute(tag, "href").is_some_and(|address| address.starts_with('#'))
}

/// Returns whether an element is the heading of a comment that a user wrote.
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
    fn badges_leave_no_words() {
        let requirement = "Sign-ins SHALL be blocked.<div class='policy-indicators'><a href='https://example.com' \
             class='indicator'>BOD 25-01 Requirement</a><div>Manual</div></div>";
        assert_eq!(html_to_text(requirement), "Sign-ins SHALL be blocked.");
    }

    #[test]
    fn breaks_are_kept_and_entities_decoded() {
        assert_eq!(
            html_to_text("2 policies &amp; rules:<br/>A &lt;one&gt;,\n B.<br>"),
            "2 policies & rules:\nA <one>, B."
        );
        assert_eq!(html_to_text("a < b  and\tc<!-- a note -->"), "a < b and c");
        assert_eq!(html_to_text(" <b>a.</b>\n b "), "a. b");
    }

    #[test]
    fn blocks_start_on_their_own_lines() {
        assert_eq!(
            html_to_text("<ol> <li>Open <em>A</em>.</li> <li>Set&nbsp;<span>B</span> to C.</li></ol>Done."),
            "Open A.\nSet B to C.\nDone."
        );
        assert_eq!(html_to_text("<style>p { color: red }</style><p>One</p>Two<script>three()</script>"), "One\nTwo");
    }

    #[test]
    fn links_on_the_page_vanish_and_others_keep_their_text() {
        assert_eq!(html_to_text("0 found. <a href='#caps'>View all</a>."), "0 found.");
        assert_eq!(html_to_text("0 found. <a href='#caps'>View all</a>. Next."), "0 found. Next.");
        assert_eq!(html_to_text("Met. <a href=\"#dns-logs\">View DNS logs</a> for more details."), "Met.");
        assert_eq!(html_to_text("See <a href=\"https://example.com\">the policy</a>."), "See the policy.");
    }

    #[test]
    fn links_that_only_invite_to_follow_them_vanish() {
        for (html, text) in [
            ("<p>We help. <a href='x'>Go to the wizard</a></p><p>Next.</p>", "We help.\nNext."),
            ("<p>We help. <a href='x'>Go to the wizard</a>. Next.</p>", "We help. Next."),
            ("We help. <a href='x'>Learn more</a>", "We help."),
            ("We help. <a href='x'>Go to the wizard</a> and act.", "We help. Go to the wizard and act."),
            ("<li><a href='x'>Go to the wizard</a></li>", "Go to the wizard"),
            ("See <a href='x'>Set up SPF - Office 365 | Microsoft Learn</a>&nbsp;", "See Set up SPF - Office 365"),
        ] {
            assert_eq!(html_to_text(html), text, "{html}");
        }
    }

    #[test]
    fn a_users_comment_starts_on_its_own_line() {
        assert_eq!(
            html_to_text("Omitted. <span class='comment-heading'>User justification</span>\"not used\""),
            "Omitted.\nUser justification: \"not used\""
        );
        assert_eq!(
            html_to_text("Omitted. <span class='comment-heading'>No justification</span>"),
            "Omitted.\nNo justification"
        );
    }
}
