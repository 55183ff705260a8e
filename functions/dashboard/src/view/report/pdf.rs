//! The form that downloads a report as a PDF.

use maud::{Markup, html};

/// Shows the form.
pub(super) fn form(report_link: &str) -> Markup {
    html! {
        details class="menu" {
            summary class="button primary" { "Download PDF" }
            form class="menu-body fields" method="get" action={ (report_link) "/pdf" } {
                (choices())
                button class="button" type="submit" { "Download" }
            }
        }
    }
}

/// Shows the choices for a document: who it is for, the size of its pages, tasks, and words of one's own.
pub(crate) fn choices() -> Markup {
    html! {
        label { "For"
            select name="kind" {
                option value="everything" { "The record: every check" }
                option value="open" { "Whoever fixes it: open items" }
                option value="board" { "The board: three pages" }
            }
        }
        label { "Paper"
            select name="paper" { option value="a4" { "A4" } option value="letter" { "US Letter" } }
        }
        label { "Tasks"
            select name="tasks" { option value="hidden" { "Left out" } option value="shown" { "Owner, day and note (not for a board)" } }
        }
        label { "Your words on the first page (optional)"
            textarea id="foreword" name="foreword" rows="4" maxlength="600" dir="auto" {}
        }
    }
}
