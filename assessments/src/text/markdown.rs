//! Markdown to plain text. Tools write descriptions and results in Markdown, for their own pages.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::excerpt::non_empty;
use super::html::html_to_text;
use super::link;

/// Level of a heading that is written as a paragraph in bold: below the six levels of Markdown.
const BOLD_LEVEL: usize = 7;

/// Starts a line that links to a page of the provider and makes no sense outside of the tool's page.
const PAGE_LINK: char = '➡';

/// Precedes the link in a sentence that consists of a link only and says nothing without it.
const SEE: &str = "See";

/// Longest code that is kept, in bytes. One short line is a command to type; anything longer is a script.
const COMMAND_LENGTH: usize = 120;

/// A Markdown text without what a report cannot use: scripts, addresses and emphasis.
pub(crate) struct Document {
    blocks: Vec<Block>,
}

struct Block {
    kind: BlockKind,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Heading(usize),
    Paragraph,
    /// An item of a list, with its number if the list is numbered.
    Item(Option<u64>),
    /// A row of a table.
    TableRow,
    /// A command to type.
    Code,
}

impl Document {
    /// Parses a text. Every text is valid Markdown.
    pub(crate) fn parse(markdown: &str) -> Self {
        let mut builder = Builder::default();
        for event in Parser::new_ext(&with_whole_links(markdown), Options::ENABLE_TABLES) {
            builder.take(event);
        }
        Self { blocks: builder.finish() }
    }

    /// Returns the text line by line, without code.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = self.blocks.iter().filter(|block| block.kind != BlockKind::Code);
        let kept = text.filter(|block| !block.text.starts_with(PAGE_LINK));
        kept.map(|block| match block.kind {
            BlockKind::Item(None) => format!("- {}", block.text),
            _ => block.numbered(),
        })
        .collect()
    }

    /// Returns the text in one line.
    pub(crate) fn line(&self) -> String {
        one_line(&self.blocks)
    }

    /// Returns the paragraphs before the first heading.
    pub(crate) fn introduction(&self) -> impl Iterator<Item = &str> {
        let before = self.blocks.iter().take_while(|block| !matches!(block.kind, BlockKind::Heading(_)));
        before.filter(|block| block.kind == BlockKind::Paragraph).map(|block| block.text.as_str())
    }

    /// Returns the first section whose heading is wanted, in one line, including its subsections. Returns `None` if no
    /// section matches or the section has no text.
    pub(crate) fn section(&self, wanted: impl Fn(&str) -> bool) -> Option<String> {
        let is_wanted = |block: &Block| matches!(block.kind, BlockKind::Heading(_)) && wanted(&block.text);
        let heading = self.blocks.iter().position(is_wanted)?;
        let ends = |block: &Block| match (block.kind, self.blocks[heading].kind) {
            (BlockKind::Heading(level), BlockKind::Heading(top)) => level <= top,
            _ => false,
        };
        let body = &self.blocks[heading + 1..];
        let end = body.iter().position(ends).unwrap_or(body.len());
        Some(one_line(&body[..end])).filter(|text| !text.is_empty())
    }
}

impl Block {
    fn numbered(&self) -> String {
        match self.kind {
            BlockKind::Item(Some(number)) if !is_numbered(&self.text) => format!("{number}. {}", self.text),
            _ => self.text.clone(),
        }
    }
}

/// Joins paragraphs, lists and commands to one line of complete sentences.
fn one_line(blocks: &[Block]) -> String {
    let mut line = String::new();
    for block in blocks.iter().filter(|block| !matches!(block.kind, BlockKind::Heading(_) | BlockKind::TableRow)) {
        if !line.is_empty() {
            line.push_str(if ends_sentence(&line) { " " } else { "; " });
        }
        line.push_str(&block.numbered());
    }
    if !line.is_empty() && !ends_sentence(&line) {
        line.push('.');
    }
    line
}

fn ends_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', ':', ';', ','])
}

/// Returns a text in Markdown as lines of plain text. Returns `None` if there is no text.
pub(crate) fn markdown_to_lines(markdown: &str) -> Option<String> {
    non_empty(Some(Document::parse(markdown).lines().join("\n")))
}

/// Builds blocks from the parser's events.
#[derive(Default)]
struct Builder {
    blocks: Vec<Block>,
    /// The next number of each open list; `None` for a list without numbers.
    lists: Vec<Option<u64>>,
    strong: usize,
    /// Whether the open block has text that is not bold.
    plain: bool,
    /// Start of the open link in the open block.
    link: Option<usize>,
    /// Range in the open block of a sentence that consists of a link only, and says nothing without it.
    page_link: Option<Range<usize>>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) => self.write(&text),
            Event::SoftBreak | Event::HardBreak => self.break_line(),
            Event::InlineHtml(_) => self.write(" "),
            Event::Html(html) => self.open(BlockKind::Paragraph, &html_to_text(&html)),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => self.open(BlockKind::Heading(depth(*level)), ""),
            Tag::Paragraph if !self.is_in_empty_item() => self.open(BlockKind::Paragraph, ""),
            Tag::CodeBlock(_) => self.open(BlockKind::Code, ""),
            Tag::TableHead | Tag::TableRow => self.open(BlockKind::TableRow, ""),
            Tag::TableCell if !self.is_empty() => self.write(" | "),
            Tag::List(first) => self.lists.push(*first),
            Tag::Item => {
                let number = self.lists.last_mut().and_then(|next| {
                    let number = *next;
                    *next = number.map(|number| number + 1);
                    number
                });
                self.open(BlockKind::Item(number), "");
            }
            Tag::Strong => self.strong += 1,
            Tag::Link { .. } => self.link = Some(self.blocks.last().map_or(0, |block| block.text.len())),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Strong => self.strong -= 1,
            TagEnd::List(_) => {
                self.lists.pop();
            }
            // A paragraph that is all bold is a heading.
            TagEnd::Paragraph if !self.plain => self.make_heading(),
            TagEnd::Link => self.end_link(),
            _ => {}
        }
    }

    fn end_link(&mut self) {
        let follows_text = self.blocks.iter().rev().nth(1).is_some_and(|it| !matches!(it.kind, BlockKind::Heading(_)));
        let Some((block, begin)) = self.blocks.last_mut().zip(self.link.take()) else { return };
        let Some((before, text)) = block.text.split_at_checked(begin) else { return };
        let title = link::title(text);
        let is_page = title.len() < text.trim_end().len();
        let sentence = match see(before) {
            None if link::is_invitation(before, text) => Some(begin),
            None if is_page && follows_text && before.trim().is_empty() => Some(begin),
            sentence => sentence,
        };
        block.text.truncate(begin + title.len());
        self.page_link = sentence.map(|begin| begin..block.text.len());
    }

    fn open(&mut self, kind: BlockKind, text: &str) {
        self.close();
        self.blocks.push(Block { kind, text: text.to_owned() });
        self.plain = false;
    }

    fn write(&mut self, text: &str) {
        self.plain |= self.strong == 0 && text.chars().any(char::is_alphanumeric);
        match self.blocks.last_mut() {
            Some(block) => block.text.push_str(text),
            None => self.open(BlockKind::Paragraph, text),
        }
    }

    /// Makes a heading of a first line that is all bold; the rest of the paragraph follows it.
    fn break_line(&mut self) {
        let is_paragraph = self.blocks.last().is_some_and(|block| block.kind == BlockKind::Paragraph);
        if is_paragraph && !self.plain && !self.is_empty() {
            self.make_heading();
            self.open(BlockKind::Paragraph, "");
        } else {
            self.write(" ");
        }
    }

    /// Removes a sentence that consists of a link from the end of the open block.
    fn close(&mut self) {
        let Some((block, link)) = self.blocks.last_mut().zip(self.page_link.take()) else { return };
        if block.text[link.end..].trim_matches([' ', '.', '\n']).is_empty() {
            block.text.truncate(link.start);
        }
    }

    /// Turns the open paragraph into a heading.
    fn make_heading(&mut self) {
        if let Some(block) = self.blocks.last_mut().filter(|block| block.kind == BlockKind::Paragraph) {
            block.kind = BlockKind::Heading(BOLD_LEVEL);
        }
    }

    fn is_empty(&self) -> bool {
        self.blocks.last().is_none_or(|block| block.text.trim().is_empty())
    }

    fn is_in_empty_item(&self) -> bool {
        self.is_empty() && self.blocks.last().is_some_and(|block| matches!(block.kind, BlockKind::Item(_)))
    }

    /// Returns the blocks that have text, without scripts and with white space collapsed.
    fn finish(mut self) -> Vec<Block> {
        self.close();
        let kept = self.blocks.into_iter().filter(|block| block.kind != BlockKind::Code || is_command(&block.text));
        let collapsed = kept.map(|block| Block { text: collapsed(&block.text), ..block });
        collapsed.filter(|block| !block.text.is_empty()).collect()
    }
}

/// Returns the Markdown with links whose addresses contain blanks or quotation marks, which no parser accepts, as links
/// to nothing.
fn with_whole_links(markdown: &str) -> Cow<'_, str> {
    const OPENING: &str = "](http";
    let mut whole = String::new();
    let mut rest = markdown;
    while let Some(begin) = rest.find(OPENING) {
        let line = rest[begin..].lines().next().unwrap_or_default();
        let end = begin + line.find(')').unwrap_or(line.len());
        let kept = if rest[begin..end].contains([' ', '"']) { begin + "](".len() } else { end };
        whole.push_str(&rest[..kept]);
        rest = &rest[end..];
    }
    if whole.is_empty() { Cow::Borrowed(markdown) } else { Cow::Owned(whole + rest) }
}

/// Returns whether a text begins with a number of its own.
fn is_numbered(text: &str) -> bool {
    text.split_once(". ").is_some_and(|(number, _)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

fn is_command(code: &str) -> bool {
    code.len() <= COMMAND_LENGTH && code.trim().lines().count() == 1
}

/// Returns the start of the last sentence of a text if the sentence is "See", so that only a link can follow.
fn see(text: &str) -> Option<usize> {
    let before = text.trim_end().strip_suffix(SEE)?;
    let ended = before.trim_end().ends_with(['.', '!', '?', ':']) && before.ends_with(char::is_whitespace);
    (before.is_empty() || ended).then_some(before.len())
}

fn depth(level: HeadingLevel) -> usize {
    level as usize
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
