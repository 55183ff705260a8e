//! Limits, as Microsoft documents them: per application, tenant and service. Requests that are refused count, too.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use graph::Service;
use model::ProviderTenantId;
use tokio::time::Instant;

use super::reply::Reply;
use super::tenant::Tenant;

/// A limit of units per period, and whether a refusal says how long to wait.
#[derive(Clone, Copy)]
struct Limit {
    most: u32,
    per: Duration,
    says_how_long: bool,
}

const fn limit(most: u32, seconds: u64, says_how_long: bool) -> Option<Limit> {
    Some(Limit { most, per: Duration::from_secs(seconds), says_how_long })
}

/// Returns the limit in a tenant with this many users.
fn of_tenant(service: Service, users: usize) -> Option<Limit> {
    match service {
        Service::Directory if users < 50 => limit(3_500, 10, true),
        Service::Directory if users <= 500 => limit(5_000, 10, true),
        Service::Directory => limit(8_000, 10, true),
        Service::ConditionalAccess => limit(1, 1, false),
        Service::Logs => limit(5, 10, true),
        Service::UsageReports => limit(14, 600, true),
        Service::Security => limit(150, 60, true),
        Service::Names => None,
    }
}

/// Returns the limit of an application in all tenants.
fn of_application(service: Service) -> Option<Limit> {
    match service {
        Service::Directory => limit(150_000, 20, true),
        Service::Logs => limit(122, 10, true),
        _ => None,
    }
}

/// The number of requests that a stand-in responded to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests by service. A part of a batch is one.
    pub requests: BTreeMap<&'static str, u64>,
    /// Those that were refused because there were too many.
    pub throttled: u64,
    /// HTTP requests, for which a batch is one.
    pub calls: u64,
    /// Requests to addresses of others, which were not sent.
    pub elsewhere: u64,
}

impl Counts {
    /// Returns the sum over all services.
    pub fn total(&self) -> u64 {
        self.requests.values().sum()
    }
}

/// Units and when they were spent.
#[derive(Default)]
struct Spent {
    units: VecDeque<(Instant, u32)>,
    sum: u32,
}

#[derive(Default)]
pub(super) struct Budgets {
    spent: HashMap<(Option<ProviderTenantId>, Service), Spent>,
    pub(super) counts: Counts,
}

impl Budgets {
    /// Counts a request, and returns a refusal if it is one too many.
    pub(super) fn spend(&mut self, tenant: &Tenant, service: Service, units: u32) -> Option<Reply> {
        let requests = self.counts.requests.entry(name(service)).or_default();
        *requests += 1;
        let limits = [
            (Some(tenant.id.clone()), of_tenant(service, tenant.users), "Tenant_Application/Read"),
            (None, of_application(service), "Application/Read"),
        ];
        let others = tenant.number("other application", usize::try_from(*requests).unwrap_or_default(), 1_000);
        let used_up = service == Service::ConditionalAccess && others < u64::from(tenant.quirks.others_per_mille);
        let mut refusal = used_up.then(|| Reply::throttled(None, "Tenant/Read"));
        for (tenant, limit, scope) in limits {
            let Some(limit) = limit else { continue };
            let spent = self.spent.entry((tenant, service)).or_default();
            if let Some(wait) = spent.take(limit, units) {
                let seconds = limit.says_how_long.then(|| wait.as_secs() + 1);
                refusal = refusal.or(Some(Reply::throttled(seconds, scope)));
            }
        }
        self.counts.throttled += u64::from(refusal.is_some());
        refusal
    }
}

impl Spent {
    /// Spends units, and returns the time until they are free if they are not.
    fn take(&mut self, limit: Limit, units: u32) -> Option<Duration> {
        let now = Instant::now();
        while let Some((_, units)) = self.units.pop_front_if(|(at, _)| *at + limit.per <= now) {
            self.sum -= units;
        }
        let free = self.units.back().map(|(at, _)| *at + limit.per - now);
        self.units.push_back((now, units));
        self.sum += units;
        free.filter(|_| self.sum > limit.most)
    }
}

fn name(service: Service) -> &'static str {
    match service {
        Service::Directory => "directory",
        Service::ConditionalAccess => "conditional access",
        Service::Logs => "logs",
        Service::UsageReports => "usage reports",
        Service::Security => "security",
        Service::Names => "names",
    }
}
