//! Decides which requests may pass, by headers that a browser sets and a page cannot change.

use std::net::IpAddr;

use lambda_http::http::header::{HOST, ORIGIN};
use lambda_http::http::uri::Authority;
use lambda_http::http::{HeaderMap, Method, Uri};

use super::refusal::Refusal;

/// The clients that may send requests to a listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Visitors {
    /// Only programs: nothing that a browser sends passes.
    Programs,
    /// Programs, the listener's own pages, and people who open an address or follow a link. They may also call this
    /// machine by these names.
    OwnPages(Vec<String>),
}

impl Visitors {
    /// Checks whether a request may pass.
    pub(super) fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = only(headers, HOST.as_str()).ok_or(Refusal::Host)?;
        let named = uri.authority().map(Authority::as_str).into_iter().chain([host]);
        if !named.into_iter().all(|authority| self.is_here(authority)) {
            return Err(Refusal::Host);
        }
        let is_from_browser = headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site");
        let passes = match self {
            Self::Programs => !is_from_browser,
            Self::OwnPages(_) => !is_from_browser || is_own_page(host, headers) || is_visit(method, headers),
        };
        passes.then_some(()).ok_or(Refusal::Page)
    }

    /// Returns whether `host[:port]` names this machine. A page could make any other name point to it.
    fn is_here(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else { return false };
        if authority.as_str().contains('@') {
            return false;
        }
        let host = authority.host();
        let names = match self {
            Self::Programs => &[][..],
            Self::OwnPages(names) => names,
        };
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        address.is_ok_and(|address| address.is_loopback())
            || host.eq_ignore_ascii_case("localhost")
            || names.iter().any(|name| host.eq_ignore_ascii_case(name))
    }
}

/// Returns the text of a header that is present exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Returns whether a page of the same origin sent the request.
fn is_own_page(host: &str, headers: &HeaderMap) -> bool {
    let site = headers.contains_key("sec-fetch-site").then(|| only(headers, "sec-fetch-site"));
    let is_same_site = match site {
        // Some browsers do not send the header; then the origin decides.
        None => true,
        Some(site) => matches!(site, Some("same-origin" | "none")),
    };
    let is_own_origin = match headers.contains_key(ORIGIN).then(|| only(headers, ORIGIN.as_str())) {
        None => true,
        // A page that sends no referrer has no origin to send either.
        Some(Some("null")) => site == Some(Some("same-origin")),
        Some(origin) => {
            let origin = origin.and_then(|origin| origin.strip_prefix("http://"));
            origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        }
    };
    is_same_site && is_own_origin
}

/// Returns whether a person opens the address in a window: the page with the link cannot see the response.
fn is_visit(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::GET
        && !headers.contains_key(ORIGIN)
        && only(headers, "sec-fetch-mode") == Some("navigate")
        && only(headers, "sec-fetch-dest") == Some("document")
}

#[cfg(test)]
mod tests {
    use lambda_http::http::HeaderValue;

    use super::*;

    const OWN_PAGES: Visitors = Visitors::OwnPages(Vec::new());

    fn check(visitors: &Visitors, method: &str, headers: &[(&str, &str)]) -> Result<(), Refusal> {
        let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let headers: HeaderMap = headers.fold(HeaderMap::new(), |mut all, (name, value)| {
            let _: bool = all.append::<lambda_http::http::HeaderName>(name, value);
            all
        });
        visitors.check(&method.parse().unwrap(), &Uri::from_static("/"), &headers)
    }

    #[test]
    fn the_host_has_to_be_this_machine() {
        for visitors in &[Visitors::Programs, OWN_PAGES] {
            for host in ["127.0.0.1:9000", "127.0.0.1", "localhost:9000", "LOCALHOST", "[::1]:9000", "127.8.8.8"] {
                assert_eq!(check(visitors, "GET", &[("host", host)]), Ok(()), "{host}");
            }
            for host in [
                "rebound.example:9000",
                "localhost.example",
                "127.0.0.1.example",
                "192.168.0.1:9000",
                "0.0.0.0:9000",
                "[::]:9000",
                "user@localhost",
                "localhost:9000, a",
                "",
            ] {
                assert_eq!(check(visitors, "GET", &[("host", host)]), Err(Refusal::Host), "{host}");
            }
            assert_eq!(check(visitors, "GET", &[]), Err(Refusal::Host));
            assert_eq!(check(visitors, "GET", &[("host", "localhost"), ("host", "localhost")]), Err(Refusal::Host));
        }
        let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost"))]);
        let absolute = Uri::from_static("http://rebound.example/v1/tenants");
        assert_eq!(OWN_PAGES.check(&Method::GET, &absolute, &headers), Err(Refusal::Host));
    }

    #[test]
    fn this_machine_can_have_other_names() {
        let visitors = Visitors::OwnPages(vec!["host.docker.internal".to_owned()]);
        for host in ["host.docker.internal", "HOST.docker.internal:9000", "localhost:9000"] {
            assert_eq!(check(&visitors, "GET", &[("host", host)]), Ok(()), "{host}");
        }
        for host in ["docker.internal", "x.host.docker.internal", "host.docker.internal@localhost"] {
            assert_eq!(check(&visitors, "GET", &[("host", host)]), Err(Refusal::Host), "{host}");
        }
        let elsewhere = [("host", "host.docker.internal:9000"), ("origin", "http://127.0.0.1:9000")];
        assert_eq!(check(&visitors, "GET", &elsewhere), Err(Refusal::Page));
    }

    const HERE: (&str, &str) = ("host", "127.0.0.1:9000");

    #[test]
    fn programs_pass_and_pages_of_another_origin_do_not() {
        let elsewhere = ("origin", "https://elsewhere.example");
        let other_port = ("origin", "http://127.0.0.1:9001");
        for visitors in &[Visitors::Programs, OWN_PAGES] {
            assert_eq!(check(visitors, "POST", &[HERE]), Ok(()));
            for headers in [
                &[HERE, elsewhere][..],
                &[HERE, other_port],
                &[HERE, ("origin", "null")],
                &[HERE, ("origin", "https://127.0.0.1:9000")],
                &[HERE, ("sec-fetch-site", "cross-site")],
                &[HERE, ("sec-fetch-site", "same-site")],
                &[HERE, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")],
                &[HERE, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")],
                &[HERE, ("sec-fetch-site", "same-origin"), elsewhere],
                &[HERE, ("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1:9000")],
                &[HERE, ("sec-fetch-site", "none"), ("origin", "null")],
                &[HERE, ("origin", "http://127.0.0.1:9000"), elsewhere],
            ] {
                for method in ["GET", "POST", "OPTIONS"] {
                    assert_eq!(check(visitors, method, headers), Err(Refusal::Page), "{method} {headers:?}");
                }
            }
        }
    }

    #[test]
    fn own_pages_and_visits_pass_where_there_are_pages() {
        let visit =
            [HERE, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        for headers in [
            &[HERE, ("origin", "http://127.0.0.1:9000")][..],
            &[HERE, ("origin", "http://127.0.0.1:9000"), ("sec-fetch-site", "same-origin")],
            &[HERE, ("origin", "null"), ("sec-fetch-site", "same-origin")],
            &[HERE, ("sec-fetch-site", "none"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")],
            &visit,
        ] {
            assert_eq!(check(&OWN_PAGES, "GET", headers), Ok(()), "{headers:?}");
            assert_eq!(check(&Visitors::Programs, "GET", headers), Err(Refusal::Page), "{headers:?}");
        }
        assert_eq!(check(&OWN_PAGES, "POST", &visit), Err(Refusal::Page));
    }
}
