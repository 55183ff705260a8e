//! Shared by the pages under Settings: the list of them beside the page.

use maud::{Markup, html};
use web::view::layout::{Head, Section, Shell};

/// Pages under Settings: address, name, and whether only Admins may open them.
const PAGES: [(&str, &str, bool); 8] = [
    ("/settings/api-keys", "API keys", false),
    ("/settings/members", "Members", true),
    ("/settings/schedule", "Schedule", true),
    ("/settings/notifications", "Notifications", true),
    ("/settings/mail", "Your mail", false),
    ("/settings/texts", "Texts", false),
    ("/settings/brand", "Brand", true),
    ("/settings/audit", "Audit trail", false),
];

/// Returns the name of the audit trail, of which a Full Member sees the own part.
pub(super) fn audit_title(shell: &Shell) -> &'static str {
    if shell.is_admin() { "Audit trail" } else { "Your changes" }
}

/// Shows a page under Settings.
pub(super) fn page(shell: &Shell, current: &str, head: &Head<'_>, title: &str, content: Markup) -> Markup {
    shell.page(
        Section::Settings,
        title,
        html! {
            (head.show())
            div class="with-side" {
                nav class="side" aria-label="Settings" {
                    ul { @for (href, name, _) in PAGES.iter().filter(|(.., admin)| shell.is_admin() || !admin) {
                        @let name = if *href == "/settings/audit" { audit_title(shell) } else { name };
                        li { a href=(href) aria-current=[(*href == current).then_some("page")] { (name) } }
                    } }
                }
                div class="stack" { (content) }
            }
        },
    )
}
