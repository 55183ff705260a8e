//! Pages for failures: what happened, and what to do.

use maud::{Markup, html};

use super::layout::{Section, Shell, bare};
use super::text;

/// A failure.
pub(crate) struct Page<'a> {
    /// The frame, if a person is signed in.
    pub(crate) shell: Option<&'a Shell>,
    /// Status of the response.
    pub(crate) status: u16,
    /// What happened, if more is known than the status.
    pub(crate) happened: Option<&'a str>,
    /// Advice that is more specific than the status, if there is any.
    pub(crate) advice: Option<&'a str>,
}

/// Shows a failure.
pub(crate) fn page(page: &Page<'_>) -> Markup {
    let (title, happened, advice) = words(page.status);
    let content = html! {
        p class="tag" { "Error " (page.status) }
        h1 { (title) }
        p { (text::prose(&text::sentence(page.happened.unwrap_or(happened)))) }
        p class="quiet" { (text::prose(page.advice.unwrap_or(advice))) }
        div class="form-end" {
            @match page.shell {
                Some(_) => a class="button primary" href="/" { "Go to the overview" },
                None => a class="button primary" href="/sign-in" { "Go to sign-in" },
            }
        }
    };
    match page.shell {
        Some(shell) => shell.page(Section::Elsewhere, title, html! { section class="card failure" { (content) } }),
        None => bare(title, content),
    }
}

/// Returns title, what happened and what to do.
fn words(status: u16) -> (&'static str, &'static str, &'static str) {
    match status {
        400 => (
            "The request is invalid",
            "Something in the address or the form is missing or malformed.",
            "Go back, check what you entered, and send it again.",
        ),
        403 => (
            "You may not do this",
            "Only an Admin of the organization can do this, or the request came from another site.",
            "Ask an Admin of your organization, or open the page again from the navigation.",
        ),
        404 => (
            "Not found",
            "There is no such page, or it belongs to something that was removed or that is not in your organization.",
            "Check the address. If you belong to several organizations, switch to the one that the link is for.",
        ),
        405 => (
            "This page does not accept this kind of request",
            "The address exists, but not for this kind of request.",
            "Open the page from the navigation.",
        ),
        409 => (
            "Nothing was changed",
            "Somebody else changed this while you were editing it.",
            "Open the page again, check the current values, and repeat your change.",
        ),
        413 => (
            "This is too large",
            "The upload is larger than the dashboard takes at once.",
            "Send fewer files at a time, put them into the deployment's import bucket, or import them with the posture command.",
        ),
        503 => (
            "The service is busy",
            "The service is unavailable. Nothing was changed.",
            "Try again in a moment. If it persists, contact the operator of the service.",
        ),
        _ => (
            "Something went wrong",
            "The service failed. The error was logged.",
            "Try again. If it happens again, give the operator of the service the time and the address of the page.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_says_what_to_do() {
        for status in [400, 403, 404, 405, 409, 413, 500, 503] {
            let shown = page(&Page { shell: None, status, happened: None, advice: None }).into_string();
            let (title, happened, advice) = words(status);
            assert!(shown.contains(title) && shown.contains(happened) && shown.contains(advice), "{status}");
        }
    }

    #[test]
    fn specific_advice_replaces_the_general_words() {
        let page =
            page(&Page { shell: None, status: 400, happened: Some("<b>"), advice: Some("Do this.") }).into_string();
        assert!(page.contains("&lt;b&gt;") && page.contains("Do this."), "{page}");
    }
}
