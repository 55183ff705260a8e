//! Tenants of the stand-in.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use model::ProviderTenantId;
use serde_json::Value;
use uuid::Uuid;

/// Licences of a tenant's users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plan {
    /// Entra ID Free.
    Free,
    /// Entra ID P1.
    P1,
    /// Entra ID P2.
    P2,
}

/// Peculiarities of a tenant's responses, each of which occurs in practice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quirks {
    /// Rows were inserted between two pages, so each page begins with the last row of the page before it.
    pub rows_repeat: bool,
    /// The second page of every collection has no rows, but a link to the third.
    pub page_is_empty: bool,
    /// The first link to a page that is followed has expired.
    pub link_expires: bool,
    /// Usage reports conceal names.
    pub names_concealed: bool,
    /// Requests in a thousand that fail: errors of the server, bodies that break off, and no response at all.
    pub failures_per_mille: u32,
    /// Requests in a thousand for conditional access that find its limit used up by other applications.
    pub others_per_mille: u32,
}

/// Whether a tenant lets the application in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// An administrator has consented.
    Given,
    /// Nobody has consented, or the application was removed.
    Missing,
    /// An administrator has disabled the application.
    Disabled,
}

/// A tenant, whose directory is invented from its identifier as it is asked for, or was recorded.
#[derive(Debug, Clone)]
pub struct Tenant {
    /// Its identifier.
    pub id: ProviderTenantId,
    /// Its name.
    pub name: String,
    /// Number of its users.
    pub users: usize,
    /// Its licences.
    pub plan: Plan,
    /// Whether it has SharePoint.
    pub share_point: bool,
    /// Whether it lets the application in at the beginning. A recorded tenant always does.
    pub consent: Consent,
    /// Permissions that the consent does not include at the beginning.
    pub withheld: BTreeSet<String>,
    /// Peculiarities.
    pub quirks: Quirks,
    pub(super) recorded: Option<Recorded>,
    pub(super) seed: Uuid,
}

/// Responses of a recorded tenant, by their endpoints.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    pub(super) bodies: BTreeMap<String, Value>,
    /// Texts of records, by their domain names.
    pub(super) names: BTreeMap<String, Vec<String>>,
}

impl Tenant {
    /// Returns an invented tenant with all licences and permissions.
    pub fn new(id: ProviderTenantId, name: &str, users: usize) -> Self {
        let seed = Uuid::new_v5(&Uuid::NAMESPACE_OID, id.as_str().as_bytes());
        Self {
            id,
            name: name.to_owned(),
            users,
            plan: Plan::P2,
            share_point: true,
            consent: Consent::Given,
            withheld: BTreeSet::new(),
            quirks: Quirks::default(),
            recorded: None,
            seed,
        }
    }

    /// Returns the identifier of an object, which is always the same.
    pub(super) fn object(&self, kind: &str, number: usize) -> String {
        Uuid::new_v5(&self.seed, format!("{kind}/{number}").as_bytes()).to_string()
    }

    /// Returns a number below a bound, which is always the same for an object.
    pub(super) fn number(&self, kind: &str, number: usize, bound: u64) -> u64 {
        let digest = Uuid::new_v5(&self.seed, format!("{kind}#{number}").as_bytes());
        digest.as_u64_pair().0 % bound
    }

    /// Returns the domain that receives mail.
    pub(super) fn domain(&self) -> String {
        format!("{}.example", self.slug())
    }

    pub(super) fn slug(&self) -> String {
        let letters = self.name.to_lowercase();
        letters
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("-")
    }

    /// Returns whether a protection is in place, which depends on the tenant alone.
    pub(super) fn has(&self, protection: &str) -> bool {
        self.number(protection, 0, 100) < 55
    }
}

/// A tenant and the time at which it is asked.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) tenant: &'a Tenant,
    pub(super) now: DateTime<Utc>,
}
