//! Results, for people or for scripts.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use model::Wire;
use serde::Serialize;

/// The form of results.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Output {
    /// Show the result as JSON
    #[arg(long, global = true)]
    json: bool,
}

/// A column of a table.
pub(crate) struct Column {
    title: &'static str,
    alignment: CellAlignment,
}

impl Column {
    pub(crate) const fn text(title: &'static str) -> Self {
        Self { title, alignment: CellAlignment::Left }
    }

    pub(crate) const fn number(title: &'static str) -> Self {
        Self { title, alignment: CellAlignment::Right }
    }
}

impl Output {
    /// Returns whether results are for scripts.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result, as JSON or as text.
    pub(crate) fn show<T: Serialize + ?Sized>(
        self,
        result: &T,
        readable: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<()> {
        let text = if self.json { serde_json::to_string_pretty(result)? } else { readable(result) };
        Ok(print(text.trim_end())?)
    }
}

/// Prints a line. Ignores that a reader, such as `head`, closed the pipe early.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Returns a table as wide as the terminal, or with one line per row if there is no terminal.
pub(crate) fn table(columns: &[Column], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(columns.iter().map(|column| column.title));
    for (column, definition) in table.column_iter_mut().zip(columns) {
        column.set_padding((0, 2)).set_cell_alignment(definition.alignment);
    }
    for row in rows {
        table.add_row(row.iter().map(|cell| plain(cell)));
    }
    let width = io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    if let Some((terminal_size::Width(width), _)) = width {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.trim_fmt()
}

/// Returns text from a file or the store on one line, with characters escaped that could control the terminal or change
/// the direction of text.
pub(crate) fn plain(text: &str) -> String {
    model::visible(&text.replace(['\n', '\t'], " ")).into_owned()
}

/// Returns a value's name on the wire, such as `FOLLOW_UP`.
pub(crate) fn wire_name(value: &impl Serialize) -> String {
    Wire(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_not_printed() {
        let shown = table(&[Column::text("NAME")], [vec!["a\u{1b}[2Jb\nc\u{7}\u{202e}".to_owned()]]);
        assert!(!shown.trim_end().lines().any(|line| line.chars().any(model::is_hidden)), "{shown:?}");
        assert_eq!(shown.lines().count(), 2, "{shown:?}");
    }
}
