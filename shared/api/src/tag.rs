//! Conditional requests (RFC 9110, section 13): a client that already has the response does not receive it again.
//!
//! A tag is computed from everything that determines a response and can be read without its body. Two responses with
//! the same tag have the same content; they may differ in their coding, so tags are weak.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http_body_util::{BodyExt, Empty};
use lambda_http::Request;
use lambda_http::http::header::IF_NONE_MATCH;
use lambda_http::http::{HeaderValue, StatusCode};
use model::OrganizationId;
use sha2::{Digest, Sha256};

use crate::response::{Response, tagged_head};

/// Version of the response format. Increment it with every change that lets the same data give a different response, so
/// that clients do not keep the old one.
const FORM: &str = "2";
/// Number of bytes of a digest in a tag: enough that two states of a list never have the same tag.
const TAG_BYTES: usize = 16;

/// The state of a response.
#[derive(Clone)]
pub struct Tag(Sha256);

impl Tag {
    /// Begins the tag of an endpoint's response to an organization, which may contain the dashboard's address.
    pub(crate) fn of(endpoint: &'static str, organization: &OrganizationId, dashboard_url: &str) -> Self {
        Self(Sha256::new()).with(FORM).with(endpoint).with(organization).with(dashboard_url)
    }

    /// Adds a part that determines the response.
    #[must_use]
    pub fn with(self, part: impl fmt::Display) -> Self {
        let part = part.to_string();
        // With their lengths, no two lists of parts have the same representation.
        Self(self.0.chain_update((part.len() as u64).to_be_bytes()).chain_update(part))
    }

    /// Returns the 304 for a client that already has this state, or `None` if the client needs the response.
    pub fn not_modified(&self, request: &Request) -> Option<Response> {
        let held = request.headers().get(IF_NONE_MATCH)?.to_str().ok()?;
        let tag = self.header();
        let own = opaque(tag.to_str().ok()?);
        let is_held = held.trim() == "*" || held.split(',').any(|held| opaque(held) == own);
        is_held.then(|| {
            let head = tagged_head(StatusCode::NOT_MODIFIED, tag);
            head.body(Empty::new().boxed_unsync()).expect("headers are valid")
        })
    }

    /// Returns the value of the header `ETag`.
    pub(crate) fn header(&self) -> HeaderValue {
        let digest = self.0.clone().finalize();
        let text = format!("W/\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(&digest[..TAG_BYTES]));
        HeaderValue::try_from(text).expect("base64 is printable")
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tag").field(&self.header()).finish()
    }
}

/// Returns the part of a tag that is compared. Whether the tag is weak does not matter for a `GET`.
fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use lambda_http::http::{self, header};

    use super::*;

    const DASHBOARD: &str = "https://dashboard.example";

    fn tag() -> Tag {
        Tag::of("tenants", &"org_a".parse().unwrap(), DASHBOARD)
    }

    fn asked(held: &str) -> Request {
        http::Request::builder().header(header::IF_NONE_MATCH, held).body(lambda_http::Body::Empty).unwrap()
    }

    #[test]
    fn a_tag_is_found_in_every_form_of_the_header() {
        let tag = tag().with(1);
        let own = tag.header().to_str().unwrap().to_owned();
        let strong = own.strip_prefix("W/").unwrap();
        for held in [&own, strong, "*", " * ", &format!("\"a\", {own}"), &format!("W/\"b\",{strong} ,\"c\"")] {
            let response = tag.not_modified(&asked(held)).unwrap_or_else(|| panic!("{held}"));
            assert_eq!(
                (response.status(), response.headers()[header::ETAG].to_str().unwrap()),
                (StatusCode::NOT_MODIFIED, &*own)
            );
        }
        for held in ["", "\"\"", "W/", &own[3..], &own.to_lowercase(), "\"*\"", "W/\"other\""] {
            assert!(tag.not_modified(&asked(held)).is_none(), "{held}");
        }
        assert!(tag.not_modified(&http::Request::new(lambda_http::Body::Empty)).is_none());
    }

    #[test]
    fn every_part_counts_in_its_place() {
        let tags = [
            tag(),
            tag().with(1),
            tag().with(2),
            tag().with("1").with("2"),
            tag().with("12"),
            tag().with("12").with(""),
            Tag::of("usage", &"org_a".parse().unwrap(), DASHBOARD),
            Tag::of("tenants", &"org_b".parse().unwrap(), DASHBOARD),
            Tag::of("tenants", &"org_a".parse().unwrap(), "https://other.example"),
        ];
        let different: std::collections::HashSet<_> = tags.iter().map(Tag::header).collect();
        assert_eq!(different.len(), tags.len());
    }
}
