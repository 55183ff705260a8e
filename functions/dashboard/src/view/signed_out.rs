//! The page after signing out.

use maud::{Markup, html};
use web::view::layout::bare;

/// Shows that the person is signed out.
pub(crate) fn page() -> Markup {
    bare(
        "Signed out",
        html! {
            h1 { "You are signed out" }
            p { "Your session has ended on this device." }
            a class="button primary" href="/sign-in" { "Sign in again" }
        },
    )
}
