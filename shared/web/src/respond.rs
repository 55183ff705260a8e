//! Responses: pages, redirections, files, and the headers that all of them carry.

use axum::extract::Request;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, REFRESH,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use maud::Markup;

use crate::state::Dashboard;
use crate::view::text::encoded;

/// Returns a page.
pub fn page(markup: Markup) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"))], markup.into_string()).into_response()
}

/// Returns a page that the browser loads again after some seconds, also without a script.
pub fn refreshing(page: Response, seconds: &'static str) -> Response {
    ([(REFRESH, HeaderValue::from_static(seconds))], page).into_response()
}

/// Redirects to a page of the dashboard after a form post (303).
pub fn see(address: &str) -> Response {
    Redirect::to(address).into_response()
}

/// Returns the path and the query of an address.
pub(crate) fn path_of(address: &Uri) -> Option<String> {
    address.path_and_query().map(|path| path.as_str().to_owned())
}

/// Returns a table as a file. `name` is plain ASCII.
pub fn csv(name: &str, bytes: Vec<u8>) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let kind = "text/csv; charset=utf-8; header=present".to_owned();
    ([(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, disposition)], bytes).into_response()
}

/// Returns the address of the sign-in page, which leads back to `to`.
pub(crate) fn sign_in_address(to: Option<&str>) -> String {
    match to {
        Some(to) if to != "/" => format!("/sign-in?to={}", encoded(to)),
        _ => "/sign-in".to_owned(),
    }
}

/// Returns whether the address is a local path; prevents open redirects.
pub fn is_own_path(address: &str) -> bool {
    let rest = address.strip_prefix('/');
    rest.is_some_and(|rest| !rest.starts_with(['/', '\\']))
        && address.len() <= 1024
        && address.bytes().all(|b| b.is_ascii_graphic())
}

/// Adds the restricting headers to every response of the dashboard. Forms may also lead to the issuer; otherwise, a
/// browser blocks the redirect that signs out.
pub(crate) async fn with_headers(dashboard: Dashboard, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let mut issuer = (dashboard.form_targets)();
    issuer.sort();
    issuer.dedup();
    restricted(response, &issuer)
}

/// Adds the headers that restrict what a browser may do with a response. Its forms lead to its own origin or to
/// `form_targets`.
pub fn restricted(mut response: Response, form_targets: &[String]) -> Response {
    let headers = response.headers_mut();
    // Pages hold data of one organization, and change with every edit. Assets name their own age.
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let targets = form_targets.join(" ");
    let policy = format!(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; form-action 'self' {targets}; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = policy.try_into() {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
        (STRICT_TRANSPORT_SECURITY, "max-age=31536000"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_loaded_again_stays_as_it_is() {
        let response = refreshing(page(Markup::default()), "4");
        assert_eq!(response.headers()[REFRESH], "4");
        assert_eq!(response.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
    }

    #[test]
    fn signing_in_leads_back_to_the_page_that_was_asked_for() {
        for (to, address) in [
            (None, "/sign-in"),
            (Some("/"), "/sign-in"),
            (Some("/tenants/ten_1?q=a&b"), "/sign-in?to=%2Ftenants%2Ften_1%3Fq%3Da%26b"),
        ] {
            assert_eq!(sign_in_address(to), address);
        }
    }

    #[test]
    fn only_local_paths_are_redirected_to() {
        let longest = format!("/{}", "a".repeat(1023));
        for own in ["/", "/tenants/ten_1/reports/rpt_1?status=OPEN", "/a//b", &longest] {
            assert!(is_own_path(own), "{own}");
        }
        for other in
            ["", "//evil.example", "/\\evil.example", "https://evil.example", "evil", "/a b", "/\u{e9}", "/\t/x"]
        {
            assert!(!is_own_path(other), "{other}");
        }
        assert!(!is_own_path(&format!("{longest}a")));
    }
}
