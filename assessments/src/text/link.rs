//! Texts of links. A report drops their addresses, so some of them say nothing any more.

/// Endings of the titles of documentation pages.
const SITES: [&str; 4] = [" - Microsoft Learn", " | Microsoft Learn", " - Microsoft Docs", " | Microsoft Docs"];

/// Beginnings of links that only invite to follow them.
const INVITATIONS: [&str; 2] = ["Go to ", "Learn more"];

/// Returns a link's text without the name of the site.
pub(super) fn title(text: &str) -> &str {
    let text = text.trim_end();
    SITES.iter().find_map(|site| text.strip_suffix(site)).unwrap_or(text)
}

/// Returns whether a link only invites to follow it, as a sentence of its own after another sentence. At the beginning
/// of a text, it is a step to take.
pub(super) fn is_invitation(before: &str, text: &str) -> bool {
    before.trim_end().ends_with(['.', '!', '?', ':', ')'])
        && INVITATIONS.iter().any(|beginning| text.trim_start().starts_with(beginning))
}
