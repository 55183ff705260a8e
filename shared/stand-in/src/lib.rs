//! A stand-in for Microsoft Graph, its token endpoint and DNS over HTTPS, with invented and recorded tenants.
//!
//! It enforces what the collector has to cope with: consent, permissions, licences, opaque pages, batches, limits per
//! application and tenant, and failures. It has no clock of its own, so all of it can be seen in virtual time, and the
//! same requests always find the same tenants.

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

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, SubsecRound, Utc};
use graph::{Clock, Hosts};
use model::ProviderTenantId;

use self::budget::Budgets;
pub use self::budget::Counts;
use self::names::Names;
pub use self::recorded::RecordedError;
use self::routes::Route;
pub use self::tenant::{Consent, Plan, Quirks, Tenant};
use self::token::Issued;
pub use self::token::{LOCAL_CLIENT, LocalSigner, Registration};

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
    consents: Mutex<BTreeMap<ProviderTenantId, Consent>>,
    issued: Mutex<Issued>,
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
        let consent = |tenant: &Tenant| if tenant.recorded.is_some() { Consent::Given } else { tenant.consent };
        Self {
            address: address.trim_end_matches('/').to_owned(),
            clock,
            origin: clock.now().trunc_subsecs(0),
            names: names::of(tenants.values()),
            registration: Registration { client_id: LOCAL_CLIENT.to_owned(), key: None },
            delays: 0..=0,
            consents: Mutex::new(tenants.iter().map(|(id, tenant)| (id.clone(), consent(tenant))).collect()),
            tenants,
            issued: Mutex::default(),
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
        self.consents().insert(tenant.clone(), consent);
    }

    fn consent(&self, tenant: &ProviderTenantId) -> Consent {
        self.consents().get(tenant).copied().unwrap_or(Consent::Missing)
    }

    fn consents(&self) -> MutexGuard<'_, BTreeMap<ProviderTenantId, Consent>> {
        self.consents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn issued(&self) -> MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn budgets(&self) -> MutexGuard<'_, Budgets> {
        self.budgets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the permissions that a tenant has granted.
fn granted(tenant: &Tenant) -> BTreeSet<&'static str> {
    StandIn::permissions().into_iter().filter(|permission| !tenant.withheld.contains(*permission)).collect()
}
