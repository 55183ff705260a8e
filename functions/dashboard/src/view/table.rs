//! Shared by tables: a frame that scrolls where the window is narrow, and headings that sort.

use maud::{Markup, html};

/// A direction to sort in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Smallest first.
    Ascending,
    /// Greatest first.
    Descending,
}

impl Direction {
    /// Returns the direction as addresses name it.
    pub(crate) fn wire(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }

    /// Returns the other direction.
    pub(crate) fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// Shows a table in a frame that scrolls by keyboard too.
pub(crate) fn framed(name: &str, table: Markup) -> Markup {
    html! { div class="scroll sticky" role="region" aria-label={ (name) ", table" } tabindex="0" { (table) } }
}

/// Shows a heading whose link sorts by its column, with an arrow where the table is sorted by it.
pub(crate) fn sortable(label: &str, class: &str, href: &str, sorted: Option<Direction>) -> Markup {
    let state = sorted.map(|direction| match direction {
        Direction::Ascending => ("ascending", "↑"),
        Direction::Descending => ("descending", "↓"),
    });
    html! {
        th scope="col" class=(class) aria-sort=[state.map(|(word, _)| word)] {
            a class="sort" href=(href) { (label) @if let Some((_, arrow)) = state { span aria-hidden="true" { (arrow) } } }
        }
    }
}

/// Shows a count; zero recedes.
pub(crate) fn count(number: u32) -> Markup {
    html! { @if number == 0 { span class="zero" { "0" } } @else { (super::words::thousands(number.into())) } }
}
