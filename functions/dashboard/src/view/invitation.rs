//! An invitation, as the invited person sees it.

use maud::{Markup, html};
use model::Role;
use model::Timestamp;
use web::view::layout::bare;
use web::view::text;

use super::{when, words};

/// An invitation that is still open.
pub(crate) struct Page<'a> {
    /// Name of the organization.
    pub(crate) organization: &'a str,
    /// The role that it gives.
    pub(crate) role: Role,
    /// When it ends.
    pub(crate) expires: Timestamp,
    /// Where its button goes: the address of the invitation.
    pub(crate) action: &'a str,
}

/// Shows the invitation.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    bare(
        "Invitation",
        html! {
            h1 { "Join " (text::name(page.organization)) }
            p { "You are invited to " strong { (text::name(page.organization)) } " as " strong { (page.role) } "." }
            p class="quiet" { (words::role_meaning(page.role)) }
            form method="post" action=(page.action) { button type="submit" class="button primary" { "Sign in and join" } }
            p class="quiet small" { "The link works once, until " (when::date(page.expires)) ". The account that you sign in with becomes the member." }
        },
    )
}
