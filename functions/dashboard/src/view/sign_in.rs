//! The page that offers to sign in.

use maud::{Markup, html};
use web::view::layout::bare;
use web::view::text;

/// The offer.
pub(crate) struct Page<'a> {
    /// The local path to return to.
    pub(crate) to: Option<&'a str>,
    /// Why the last attempt failed, and what to do.
    pub(crate) problem: Option<&'a str>,
}

/// Shows the offer.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let to = page.to.map(|to| format!("?to={}", text::encoded(to))).unwrap_or_default();
    bare(
        "Sign in",
        html! {
            h1 { "Sign in" }
            @if let Some(problem) = page.problem { p class="notice problem" role="alert" { (text::prose(problem)) } }
            p { "Read and edit the security posture reports of your tenants." }
            a class="button primary" href={ "/sign-in/start" (to) } { "Sign in" }
            p class="quiet small" { "You need an invitation from an Admin of your organization. If you have one, open its link instead." }
        },
    )
}
