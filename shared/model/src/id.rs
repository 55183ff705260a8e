//! Identifiers, each its own type, checked on the way in.
//!
//! The identifiers that the service issues become parts of storage keys, so their alphabet leaves out the separator.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Longest identifier accepted, in characters. Ours have 36; the rest is room for identifiers brought along.
const MAX_LENGTH: usize = 64;

/// Text that is no identifier of its kind. Says what was expected and never repeats the text.
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
            /// The identifier as text.
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

/// Gives identifiers that the service issues itself a way to be made: a prefix that tells the kind apart in logs and
/// command lines, then a time-ordered UUID, so that listings keep the order of creation.
macro_rules! issued {
    ($name:ident, $prefix:literal) => {
        impl $name {
            /// A new identifier, unlike any other.
            pub fn generate() -> Self {
                Self(format!(concat!($prefix, "_{}"), Uuid::now_v7().simple()))
            }
        }
    };
}

fn issued_form(text: String) -> Option<String> {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (!text.is_empty() && text.len() <= MAX_LENGTH && text.bytes().all(allowed)).then_some(text)
}

fn guid_form(text: String) -> Option<String> {
    // Only the hyphenated form: the others that the parser takes are not what providers write.
    (text.len() == 36).then(|| Uuid::try_parse(&text).ok()).flatten().map(|guid| guid.hyphenated().to_string())
}

fn control_form(text: String) -> Option<String> {
    (!text.trim().is_empty() && !text.chars().any(char::is_control)).then_some(text)
}

identifier!(
    /// An organization: the owner of keys, tenants and reports, and the boundary no data crosses.
    OrganizationId,
    "organization id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A tenant, as this service names it (`serviceTenantId`).
    ServiceTenantId,
    "service tenant id",
    "1 to 64 letters, digits, '-', '_' or '.'",
    issued_form
);
identifier!(
    /// A tenant, as the suite's provider names it (`providerTenantId`): a GUID, kept in lower case.
    #[cfg_attr(test, schemars(extend("format" = "uuid")))]
    ProviderTenantId,
    "provider tenant id",
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
    /// An API key as it is listed and deleted; says nothing of the key's text.
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
    /// A control, stable between versions of the tool that assesses it.
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

impl ReportId {
    /// The identifier of the report that a tenant's assessment run makes: the same run gives the same report, however
    /// often it is imported. `run` is what the tool says tells the run apart, or a digest of its results.
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
    fn an_error_never_repeats_the_text() {
        let error = "secret#text".parse::<KeyId>().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"));
    }

    #[test]
    fn the_same_run_is_the_same_report_and_only_for_its_tenant() {
        let (org, a, b) = (OrganizationId::generate(), ServiceTenantId::generate(), ServiceTenantId::generate());
        assert_eq!(ReportId::of_run(&org, &a, "run"), ReportId::of_run(&org, &a, "run"));
        assert_ne!(ReportId::of_run(&org, &a, "run"), ReportId::of_run(&org, &b, "run"));
        assert_ne!(ReportId::of_run(&org, &a, "run"), ReportId::of_run(&org, &a, "other run"));
    }
}
