//! Identifiers, each with its own type, validated on the way in.
//!
//! Identifiers that the service issues become parts of storage keys, so their alphabet leaves out the separator.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::{NoContext, Uuid};

use super::{EventKind, Timestamp, Wire, is_hidden};

/// Longest accepted identifier, in characters. Ours have 36; the margin is for identifiers from other sources.
const MAX_LENGTH: usize = 64;

/// Reports that a text is not an identifier of its kind. Names the expected form and never repeats the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid {kind}: expected {expected}")]
pub struct InvalidId {
    kind: &'static str,
    expected: &'static str,
}

/// Defines an identifier type: a private string, one way in, `Display` and serde out.
macro_rules! identifier {
    ($(#[$attribute:meta])* $name:ident, $kind:literal, $expected:literal, $normalize:expr) => {
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
        #[serde(try_from = "String", into = "String")]
        $(#[$attribute])*
        pub struct $name(String);

        impl $name {
            /// Returns the identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                let normalize: fn(String) -> Option<String> = $normalize;
                normalize(text).map(Self).ok_or(InvalidId { kind: $kind, expected: $expected })
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                Self::try_from(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// Lets the service issue identifiers of a type: a prefix that names the kind in logs and command lines, then a
/// time-ordered UUID, so lists keep the order of creation.
macro_rules! issued {
    ($name:ident, $prefix:literal) => {
        impl $name {
            /// Returns a new, unique identifier. `created_at` determines its position among others.
            pub fn generate(created_at: Timestamp) -> Self {
                Self(format!(concat!($prefix, "_{}"), time_ordered_id(created_at)))
            }
        }
    };
}

/// Returns a unique text of 32 hexadecimal digits: the time to the millisecond, then random digits. The texts sort by
/// time.
pub fn time_ordered_id(at: Timestamp) -> String {
    let at = at.to_datetime();
    // Such UUIDs do not exist before 1970.
    let seconds = u64::try_from(at.timestamp()).unwrap_or_default();
    let time = uuid::Timestamp::from_unix(NoContext, seconds, at.timestamp_subsec_nanos());
    Uuid::new_v7(time).simple().to_string()
}

fn issued_form(text: String) -> Option<String> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (!text.is_empty() && text.len() <= MAX_LENGTH && text.bytes().all(allowed)).then_some(text)
}

fn guid_form(text: String) -> Option<String> {
    // Only the hyphenated form: providers do not write the other forms that the parser accepts.
    (text.len() == 36).then(|| Uuid::try_parse(&text).ok()).flatten().map(|guid| guid.hyphenated().to_string())
}

fn control_form(text: String) -> Option<String> {
    (!text.trim().is_empty() && !text.chars().any(is_hidden)).then_some(text)
}

identifier!(
    /// An organization: the owner of keys, tenants and reports. No data crosses from one to another.
    OrganizationId,
    "organization id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A tenant, by the identifier of this service (`serviceTenantId`).
    ServiceTenantId,
    "service tenant id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A tenant, by the identifier of the suite's provider (`providerTenantId`): a GUID, kept in lower case.
    #[cfg_attr(test, schemars(extend("format" = "uuid")))]
    ProviderTenantId,
    "provider tenant id",
    "a GUID such as 01234567-89ab-cdef-0123-456789abcdef",
    guid_form
);
identifier!(
    /// A user or group of a tenant, by the identifier of its directory: a GUID, kept in lower case.
    ObjectId,
    "object id",
    "a GUID such as 01234567-89ab-cdef-0123-456789abcdef",
    guid_form
);
identifier!(
    /// A posture report.
    ReportId,
    "report id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// An API key, for listing and deleting it. Does not reveal the key's text.
    KeyId,
    "key id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A member of an organization.
    MemberId,
    "member id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// An invitation to become a member.
    InvitationId,
    "invitation id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// An import of files by upload.
    ImportId,
    "import id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A request for a report.
    RequestId,
    "request id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// Files that were uploaded and are not imported yet.
    UploadId,
    "upload id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// An event.
    EventId,
    "event id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A target of notifications.
    TargetId,
    "target id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A form that may make its change only once, however often it is sent.
    FormId,
    "form id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A control. Stays the same between versions of the tool that assesses it.
    ControlId,
    "control id",
    "text without control characters",
    control_form
);

issued!(OrganizationId, "org");
issued!(ServiceTenantId, "ten");
issued!(KeyId, "key");
issued!(MemberId, "mem");
issued!(InvitationId, "inv");
issued!(ImportId, "imp");
issued!(RequestId, "req");
issued!(UploadId, "upl");
issued!(EventId, "evt");
issued!(TargetId, "tgt");
issued!(FormId, "form");

impl EventId {
    /// Returns the identifier of an event that is a consequence of this one. The same consequence always has the same
    /// identifier.
    #[must_use]
    pub fn consequence(&self, kind: EventKind, subject: &str) -> Self {
        let name = format!("{self}/{}/{subject}", Wire(kind));
        Self(format!("evt_{}", Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).simple()))
    }
}

impl FormId {
    /// Returns the identifier of a delivery that may have an effect only once, however often it arrives.
    pub fn of_delivery(name: &str) -> Self {
        Self(format!("form_{}", Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).simple()))
    }
}

impl ReportId {
    /// Returns the identifier of the report of a tenant's assessment run. The same run always gives the same
    /// identifier, however often it is imported. `run` is the tool's own identifier of the run, or a digest of its
    /// results.
    pub fn of_run(organization: &OrganizationId, tenant: &ServiceTenantId, run: &str) -> Self {
        let name = format!("{organization}/{tenant}/{run}");
        Self(format!("rpt_{}", Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()).simple()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_never_enters_an_issued_id() {
        for text in ["", "a#b", "a b", "ä", "a/b", &"x".repeat(65)] {
            assert!(text.parse::<ServiceTenantId>().is_err(), "{text:?} must be refused");
        }
        assert_eq!("ten_0.A-z".parse::<ServiceTenantId>().unwrap().as_str(), "ten_0.A-z");
    }

    #[test]
    fn a_provider_id_is_one_in_any_case() {
        let upper: ProviderTenantId = "CA08493A-C9C8-4DB0-A9E8-D3B4BAFAC269".parse().unwrap();
        let lower: ProviderTenantId = "ca08493a-c9c8-4db0-a9e8-d3b4bafac269".parse().unwrap();
        assert_eq!(upper, lower);
        for text in ["ca08493ac9c84db0a9e8d3b4bafac269", "{ca08493a-c9c8-4db0-a9e8-d3b4bafac269}", "tenant"] {
            assert!(text.parse::<ProviderTenantId>().is_err(), "{text:?} must be refused");
        }
    }

    #[test]
    fn a_control_id_is_visible_text() {
        for text in ["", " ", "a\u{202e}b", "a\nb"] {
            assert!(text.parse::<ControlId>().is_err(), "{text:?} must be refused");
        }
        assert_eq!("MS.AAD.1.1 ä".parse::<ControlId>().unwrap().as_str(), "MS.AAD.1.1 ä");
    }

    #[test]
    fn an_error_never_repeats_the_text() {
        let error = "secret#text".parse::<KeyId>().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"));
    }

    #[test]
    fn the_same_run_is_the_same_report_and_only_for_its_tenant() {
        let now = "2026-01-31T09:30:00Z".parse().unwrap();
        let (org, a, b) =
            (OrganizationId::generate(now), ServiceTenantId::generate(now), ServiceTenantId::generate(now));
        assert_ne!(a, b);
        assert_eq!(ReportId::of_run(&org, &a, "run"), ReportId::of_run(&org, &a, "run"));
        assert_ne!(ReportId::of_run(&org, &a, "run"), ReportId::of_run(&org, &b, "run"));
        assert_ne!(ReportId::of_run(&org, &a, "run"), ReportId::of_run(&org, &a, "other run"));
    }
}
