//! A stand-in for Microsoft Graph, its token endpoint and DNS over HTTPS, with invented and recorded tenants.
//!
//! It enforces what the collector has to cope with: consent, permissions, licences, opaque pages, batches, limits per
//! application and tenant, and failures. It has no clock of its own, so all of it can be seen in virtual time, and the
//! same requests always find the same tenants.

mod assertion;
mod budget;
mod content;
mod names;
mod query;
mod recorded;
mod reply;
mod respond;
mod routes;
mod serve;
mod tenant;
mod token;
mod visit;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, SubsecRound, Utc};
use graph::{Clock, Hosts};
use model::ProviderTenantId;

use self::assertion::Used;
pub use self::assertion::{LOCAL_CLIENT, LocalSigner, Registration, Trust};
use self::budget::Budgets;
pub use self::budget::Counts;
use self::names::Names;
pub use self::recorded::RecordedError;
use self::routes::Route;
pub use self::tenant::{Consent, Plan, Quirks, Tenant};
use self::token::Issued;
use self::visit::SignIns;
pub use self::visit::{Person, Question, Visit};

/// A stand-in with its tenants.
pub struct StandIn {
    /// Its address, without a slash at the end.
    address: String,
    clock: Clock,
    /// The time at which its tenants are looked at, so that they do not change as time goes by.
    origin: DateTime<Utc>,
    tenants: BTreeMap<ProviderTenantId, Tenant>,
    names: Names,
    registration: Registration,
    /// Milliseconds that a response takes.
    delays: RangeInclusive<u64>,
    grants: Mutex<BTreeMap<ProviderTenantId, Grant>>,
    issued: Mutex<Issued>,
    used: Mutex<Used>,
    sign_ins: Mutex<SignIns>,
    budgets: Mutex<Budgets>,
    /// Links to pages that were refused once because they had expired.
    expired: Mutex<BTreeSet<String>>,
    /// Requests of each tenant, some of which are to fail.
    requests: Mutex<BTreeMap<ProviderTenantId, usize>>,
}

impl StandIn {
    /// Returns a stand-in at an address. It accepts the application of this machine.
    pub fn new(address: &str, clock: Clock, tenants: Vec<Tenant>) -> Self {
        let tenants: BTreeMap<_, _> = tenants.into_iter().map(|tenant| (tenant.id.clone(), tenant)).collect();
        let grant = |tenant: &Tenant| Grant {
            consent: if tenant.recorded.is_some() { Consent::Given } else { tenant.consent },
            withheld: tenant.withheld.clone(),
        };
        Self {
            address: address.trim_end_matches('/').to_owned(),
            clock,
            origin: clock.now().trunc_subsecs(0),
            names: names::of(tenants.values()),
            registration: Registration::local(""),
            delays: 0..=0,
            grants: Mutex::new(tenants.iter().map(|(id, tenant)| (id.clone(), grant(tenant))).collect()),
            tenants,
            issued: Mutex::default(),
            used: Mutex::default(),
            sign_ins: Mutex::new(SignIns::new()),
            budgets: Mutex::default(),
            expired: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    /// Accepts another application instead.
    #[must_use]
    pub fn with_registration(self, registration: Registration) -> Self {
        Self { registration, ..self }
    }

    /// Lets each response take a time: the milliseconds of a range, which depend on the number of the request alone.
    #[must_use]
    pub fn with_delays(self, delays: RangeInclusive<u64>) -> Self {
        Self { delays, ..self }
    }

    /// Reads the recorded tenants in the folders of a folder. They need no consent.
    ///
    /// # Errors
    /// If there are none, or a file is not readable.
    pub fn recorded(folder: &Path) -> Result<Vec<Tenant>, RecordedError> {
        recorded::read(folder)
    }

    /// Returns its address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns its tenants, ordered by identifier.
    pub fn tenants(&self) -> impl Iterator<Item = &Tenant> {
        self.tenants.values()
    }

    /// Returns the addresses of its interfaces.
    pub fn hosts(&self) -> Hosts {
        Hosts { graph: self.address.clone(), login: self.address.clone(), names: format!("{}/dns", self.address) }
    }

    /// Returns the number of requests that it responded to.
    pub fn counts(&self) -> Counts {
        self.budgets().counts.clone()
    }

    /// Returns all permissions that its endpoints need.
    pub fn permissions() -> BTreeSet<&'static str> {
        Route::all().map(|route| route.permission).collect()
    }

    /// Returns a response of each endpoint for a tenant, with the name of its type in Microsoft's schema.
    pub fn samples(&self, tenant: &ProviderTenantId) -> Vec<(&'static str, &'static str, serde_json::Value)> {
        self.tenants.get(tenant).into_iter().flat_map(|tenant| self.samples_of(tenant)).collect()
    }

    /// Changes whether a tenant lets the application in. Tokens that were issued stay valid.
    pub fn set_consent(&self, tenant: &ProviderTenantId, consent: Consent) {
        let withheld = self.grants().get(tenant).map(|grant| grant.withheld.clone()).unwrap_or_default();
        self.grant(tenant, consent, withheld);
    }

    /// Changes whether a tenant lets the application in, and which permissions it withholds.
    pub fn grant(&self, tenant: &ProviderTenantId, consent: Consent, withheld: impl IntoIterator<Item = String>) {
        let withheld = withheld.into_iter().collect();
        self.grants().insert(tenant.clone(), Grant { consent, withheld });
    }

    /// Returns whether a tenant lets the application in.
    pub fn consent(&self, tenant: &ProviderTenantId) -> Consent {
        self.grants().get(tenant).map_or(Consent::Missing, |grant| grant.consent)
    }

    /// Returns the permissions that a tenant has granted.
    pub fn granted(&self, tenant: &ProviderTenantId) -> BTreeSet<&'static str> {
        Self::permissions().into_iter().filter(|permission| self.is_granted(tenant, permission)).collect()
    }

    fn is_granted(&self, tenant: &ProviderTenantId, permission: &str) -> bool {
        self.grants().get(tenant).is_none_or(|grant| !grant.withheld.contains(permission))
    }

    fn grants(&self) -> MutexGuard<'_, BTreeMap<ProviderTenantId, Grant>> {
        self.grants.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sign_ins(&self) -> MutexGuard<'_, SignIns> {
        self.sign_ins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn issued(&self) -> MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn budgets(&self) -> MutexGuard<'_, Budgets> {
        self.budgets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permissions that a tenant has granted to the application.
struct Grant {
    consent: Consent,
    withheld: BTreeSet<String>,
}
