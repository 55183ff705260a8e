//! Targets of notifications: addresses outside of the service, and members, that are told of events.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::{Choice, Event, EventKind, Label, MemberId, QuietTimes, ServiceTenantId, Severity};

/// Longest address, in bytes.
const LONGEST_URL: usize = 2048;
/// Beginning of the text of a signing secret, as Standard Webhooks defines it.
const SECRET_PREFIX: &str = "whsec_";
/// Length of a signing secret in bytes: the longest digest of SHA-256.
const SECRET_LENGTH: usize = 32;

/// The address of a target: `https`, or `http` on the machine itself, which only the service on that machine calls.
///
/// Whoever knows the address of a chat's channel may write to it, so the text is shown only to those who may change it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TargetUrl(Url);

/// The text is not a [`TargetUrl`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an https address of up to {LONGEST_URL} characters, without a user name, a password and a fragment")]
pub struct InvalidTargetUrl;

/// The recipient of a target's messages. Stored as one text: an address contains a colon, and an identifier does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum TargetAddress {
    /// A program or a channel.
    Url(TargetUrl),
    /// A member, by mail. The mail address is not stored here: it is that of the member when a message is sent.
    Member(MemberId),
}

/// The text is not a [`TargetAddress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("neither an address nor a member")]
pub struct InvalidTargetAddress;

/// The secret with which messages to a target are signed. Both sides know it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SigningSecret(String);

/// The text is not a [`SigningSecret`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a signing secret")]
pub struct MalformedSigningSecret;

/// The form in which a target reads messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TargetShape {
    /// The event as JSON, for programs.
    #[default]
    Webhook,
    /// A text with blocks, for a channel of Slack.
    Slack,
    /// An Adaptive Card, for a channel of Teams.
    Teams,
    /// A mail: of members only, so nobody chooses it for an address.
    Mail,
    /// A form that this release does not know, written by a later one.
    #[serde(other)]
    Unknown,
}

/// The events that a target is told of, and when. A limit without values lets all events pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventRules {
    /// Only events of these kinds.
    pub kinds: BTreeSet<EventKind>,
    /// Of events about a control, only those of this severity and above.
    pub severity: Option<Severity>,
    /// Of events about a report, only those of these tools.
    pub tools: BTreeSet<String>,
    /// Only events of these tenants, and none about the whole organization.
    pub tenants: BTreeSet<ServiceTenantId>,
    /// Only events of tenants that have one of these labels when they are sent, and none about the whole organization.
    pub labels: BTreeSet<Label>,
    /// Times in which nothing is sent: what happens then is sent when they end.
    pub quiet: QuietTimes,
}

impl TargetUrl {
    /// Returns the address as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host: a name, or an IP address without brackets.
    pub fn host(&self) -> String {
        match self.0.host() {
            Some(Host::Ipv6(address)) => address.to_string(),
            Some(host) => host.to_string(),
            None => String::new(),
        }
    }

    /// Returns the port, that of the scheme if none is named.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Returns whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Returns the path with the query, as a request names it.
    pub fn path(&self) -> &str {
        &self.0[url::Position::BeforePath..url::Position::AfterQuery]
    }

    /// Returns the host with the port, if that is not the one of the scheme.
    pub fn authority(&self) -> &str {
        &self.0[url::Position::BeforeHost..url::Position::AfterPort]
    }
}

impl FromStr for TargetUrl {
    type Err = InvalidTargetUrl;

    fn from_str(text: &str) -> Result<Self, InvalidTargetUrl> {
        let url = Url::parse(text.trim()).map_err(|_| InvalidTargetUrl)?;
        let is_here = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        let scheme = url.scheme() == "https" || url.scheme() == "http" && is_here;
        let bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        let valid = scheme && bare && url.has_host() && url.as_str().len() <= LONGEST_URL;
        valid.then_some(Self(url)).ok_or(InvalidTargetUrl)
    }
}

impl TryFrom<String> for TargetUrl {
    type Error = InvalidTargetUrl;

    fn try_from(text: String) -> Result<Self, InvalidTargetUrl> {
        text.parse()
    }
}

impl From<TargetUrl> for String {
    fn from(url: TargetUrl) -> Self {
        url.0.into()
    }
}

impl fmt::Debug for TargetUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TargetUrl(hidden)")
    }
}

impl TargetAddress {
    /// Returns the recipient as it may be shown and recorded: the host, whose path may be a secret, or the member.
    pub fn place(&self) -> String {
        match self {
            Self::Url(url) => url.host(),
            Self::Member(member) => member.to_string(),
        }
    }

    /// Returns the member, if it is one.
    pub fn member(&self) -> Option<&MemberId> {
        match self {
            Self::Url(_) => None,
            Self::Member(member) => Some(member),
        }
    }
}

impl TryFrom<String> for TargetAddress {
    type Error = InvalidTargetAddress;

    fn try_from(text: String) -> Result<Self, InvalidTargetAddress> {
        let member = text.parse().map(Self::Member);
        member.or_else(|_| text.parse().map(Self::Url)).map_err(|_| InvalidTargetAddress)
    }
}

impl From<TargetAddress> for String {
    fn from(address: TargetAddress) -> Self {
        match address {
            TargetAddress::Url(url) => url.into(),
            TargetAddress::Member(member) => member.into(),
        }
    }
}

impl SigningSecret {
    /// Creates a secret from the system's random source.
    ///
    /// # Errors
    /// If the random source cannot be read.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; SECRET_LENGTH];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes))))
    }

    /// Returns the text, to be shown once.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the bytes that sign.
    pub fn key(&self) -> Vec<u8> {
        decoded(&self.0).unwrap_or_default()
    }
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let bytes = STANDARD.decode(text.strip_prefix(SECRET_PREFIX)?).ok()?;
    (bytes.len() == SECRET_LENGTH).then_some(bytes)
}

impl TryFrom<String> for SigningSecret {
    type Error = MalformedSigningSecret;

    fn try_from(text: String) -> Result<Self, MalformedSigningSecret> {
        decoded(&text).ok_or(MalformedSigningSecret)?;
        Ok(Self(text))
    }
}

impl From<SigningSecret> for String {
    fn from(secret: SigningSecret) -> Self {
        secret.0
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(hidden)")
    }
}

impl EventRules {
    /// Returns whether a target with these rules is told of an event whose tenant has these labels.
    pub fn select(&self, event: &Event, labels: &[Label]) -> bool {
        let of_tenant = |id: &ServiceTenantId| self.tenants.contains(id);
        let severe = |least| event.control.as_ref().is_none_or(|control| at_least(control.severity, least));
        (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && self.severity.is_none_or(severe)
            && (self.tools.is_empty() || event.report.as_ref().is_none_or(|report| self.tools.contains(&report.tool)))
            && (self.tenants.is_empty() || event.tenant.as_ref().is_some_and(|it| of_tenant(&it.service_tenant_id)))
            && (self.labels.is_empty() || labels.iter().any(|label| self.labels.contains(label)))
    }
}

/// Returns whether a control is at least as severe as a limit.
fn at_least(severity: Option<Severity>, least: Severity) -> bool {
    let place = |of| Severity::KNOWN.iter().position(|known| *known == of);
    severity.and_then(place).is_some_and(|place_of| Some(place_of) <= place(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_encrypted_and_has_no_credentials() {
        for (text, host, authority, path) in [
            ("https://hooks.example/in?a=b", "hooks.example", "hooks.example", "/in?a=b"),
            (" https://Hooks.Example:8443 ", "hooks.example", "hooks.example:8443", "/"),
            ("https://[2001:db8::1]/", "2001:db8::1", "[2001:db8::1]", "/"),
            ("https://0177.1/x", "127.0.0.1", "127.0.0.1", "/x"),
            ("http://localhost:9999/hook", "localhost", "localhost:9999", "/hook"),
        ] {
            let url: TargetUrl = text.parse().unwrap();
            assert_eq!((&*url.host(), url.authority(), url.path()), (host, authority, path), "{text}");
        }
        for text in [
            "",
            "hooks.example",
            "http://hooks.example",
            "ftp://hooks.example",
            "file:///etc/passwd",
            "https://amara@hooks.example",
            "https://:word@hooks.example",
            "https://hooks.example/#part",
            &format!("https://hooks.example/{}", "x".repeat(LONGEST_URL)),
        ] {
            assert_eq!(text.parse::<TargetUrl>(), Err(InvalidTargetUrl), "{text}");
        }
        let url: TargetUrl = "https://hooks.example/secret".parse().unwrap();
        assert_eq!(format!("{url:?}"), "TargetUrl(hidden)");
    }

    #[test]
    fn a_target_is_an_address_or_a_member() {
        for text in ["https://hooks.example/in?a=b", "mem_01"] {
            let address = TargetAddress::try_from(text.to_owned()).unwrap();
            assert_eq!((address.member().is_some(), &*String::from(address)), (text == "mem_01", text));
        }
        for text in ["", "http://hooks.example/in", "amara@mail.example"] {
            assert_eq!(TargetAddress::try_from(text.to_owned()), Err(InvalidTargetAddress), "{text}");
        }
    }

    #[test]
    fn a_signing_secret_is_read_back_and_hides_itself() {
        let secret = SigningSecret::generate().unwrap();
        assert_ne!(SigningSecret::generate().unwrap(), secret);
        let stored = serde_json::to_string(&secret).unwrap();
        assert_eq!(serde_json::from_str::<SigningSecret>(&stored).unwrap(), secret);
        assert_eq!((secret.key().len(), &*format!("{secret:?}")), (32, "SigningSecret(hidden)"));
        for text in ["", "whsec_", "whsec_AAAA", &secret.reveal()[6..]] {
            assert!(SigningSecret::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_most_severe_controls_pass_every_limit() {
        let passes = |severity, least| at_least(severity, least);
        assert!(passes(Some(Severity::Critical), Severity::High) && passes(Some(Severity::High), Severity::High));
        assert!(!passes(Some(Severity::Medium), Severity::High));
        assert!(!passes(None, Severity::Low) && !passes(Some(Severity::Unknown), Severity::Low));
    }
}
