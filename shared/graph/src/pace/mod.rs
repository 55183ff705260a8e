//! The pace of calls: Microsoft's limits per application, tenant and service, kept rather than run into.
//!
//! The limits are those of Microsoft's page 'Microsoft Graph service-specific throttling limits'. A service that
//! throttles anyway is left alone for as long as it says, since requests during that time count, too.

mod window;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::ProviderTenantId;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until};

use self::window::{Limit, Window};

/// A service behind Graph, with limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Service {
    /// Users, groups, applications, roles and policies.
    Directory,
    /// Conditional access and identity protection. Its limit is shared by all applications of a tenant.
    ConditionalAccess,
    /// Sign-ins, the audit log and registered methods.
    Logs,
    /// Usage reports.
    UsageReports,
    /// Secure Score.
    Security,
    /// DNS, which is not a part of Graph and has no published limit.
    Names,
}

impl Service {
    /// Returns the limit of one application in one tenant. The directory counts resource units instead of requests:
    /// the limit is that of the smallest tenants.
    fn of_tenant(self) -> Limit {
        let seconds = Duration::from_secs;
        match self {
            Self::Directory => Limit { most: 3_500, per: seconds(10) },
            Self::ConditionalAccess => Limit { most: 1, per: seconds(1) },
            Self::Logs => Limit { most: 5, per: seconds(10) },
            Self::UsageReports => Limit { most: 14, per: seconds(600) },
            Self::Security => Limit { most: 150, per: seconds(60) },
            Self::Names => Limit { most: 100, per: seconds(10) },
        }
    }

    /// Returns the time between two units of one application in all tenants: 150,000 units in 20 seconds for the
    /// directory, and 122 requests in 10 seconds for the logs, of which it uses 120.
    fn of_application(self) -> Duration {
        match self {
            Self::Directory => Duration::from_micros(134),
            Self::Logs => Duration::from_micros(83_334),
            Self::ConditionalAccess | Self::UsageReports | Self::Security => Duration::from_micros(500),
            Self::Names => Duration::from_millis(5),
        }
    }
}

/// The pace of one application. All its runs in a process share it.
#[derive(Debug)]
pub struct Pace {
    state: Mutex<State>,
    /// Processes that share the limits of the application.
    processes: u32,
}

#[derive(Debug, Default)]
struct State {
    tenants: HashMap<(ProviderTenantId, Service), Window>,
    /// When each service can next be asked, for any tenant.
    application: HashMap<Service, Instant>,
}

impl Default for Pace {
    /// Returns the pace of an application that one process uses.
    fn default() -> Self {
        Self::of_one_in(1)
    }
}

impl Pace {
    /// Returns the pace of one of several processes that use the application at once. Each has an equal share of its
    /// limits; the limits in a tenant are not shared, because one process at a time collects it.
    pub fn of_one_in(processes: u32) -> Self {
        Self { state: Mutex::default(), processes: processes.max(1) }
    }

    /// Waits until a request of this many units may be sent, and counts it.
    pub(crate) async fn turn(&self, tenant: &ProviderTenantId, service: Service, units: u32) {
        loop {
            while let Some(ready) = self.wait(tenant, service, units) {
                sleep_until(ready).await;
            }
            let place = self.state().take_place(service, units * self.processes);
            sleep_until(place).await;
            // Counted when it leaves: the time until its turn among all tenants may be long.
            if self.spend(tenant, service, units) {
                return;
            }
        }
    }

    /// Counts a request that leaves now, and returns whether it may.
    fn spend(&self, tenant: &ProviderTenantId, service: Service, units: u32) -> bool {
        let now = Instant::now();
        let mut state = self.state();
        let window = state.window(tenant, service);
        let may = window.wait(now, units).is_none();
        if may {
            window.spend(now, units);
        }
        may
    }

    /// Sends nothing more to a service for a time: in one tenant, or in all of them.
    pub(crate) fn hold(&self, tenant: &ProviderTenantId, service: Service, time: Duration, everywhere: bool) {
        let until = Instant::now() + time;
        let mut state = self.state();
        state.window(tenant, service).hold(until);
        if everywhere {
            let next = state.application.entry(service).or_insert(until);
            *next = until.max(*next);
        }
    }

    fn wait(&self, tenant: &ProviderTenantId, service: Service, units: u32) -> Option<Instant> {
        self.state().window(tenant, service).wait(Instant::now(), units)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn window(&mut self, tenant: &ProviderTenantId, service: Service) -> &mut Window {
        self.tenants.entry((tenant.clone(), service)).or_insert_with(|| Window::new(service.of_tenant()))
    }

    /// Returns the next place in the queue of all tenants, and takes it for this many units of the application.
    fn take_place(&mut self, service: Service, units: u32) -> Instant {
        let now = Instant::now();
        let next = self.application.entry(service).or_insert(now);
        let place = now.max(*next);
        *next = place + service.of_application() * units;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(number: u8) -> ProviderTenantId {
        format!("00000000-0000-4000-8000-0000000000{number:02}").parse().unwrap()
    }

    /// Returns the seconds at which this many requests of one tenant may leave.
    async fn times(pace: &Pace, service: Service, requests: usize) -> Vec<f64> {
        let start = Instant::now();
        let mut times = Vec::new();
        for _ in 0..requests {
            pace.turn(&tenant(1), service, 1).await;
            times.push((start.elapsed().as_secs_f64() * 10.0).round() / 10.0);
        }
        times
    }

    #[tokio::test(start_paused = true)]
    async fn no_period_has_more_requests_than_the_limit() {
        let pace = Pace::default();
        assert_eq!(times(&pace, Service::ConditionalAccess, 4).await, [0.0, 1.1, 2.2, 3.3]);
        let logs = times(&pace, Service::Logs, 12).await;
        for (first, sixth) in logs.iter().zip(&logs[5..]) {
            assert!(sixth - first >= 10.0, "{logs:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn tenants_share_the_pace_of_the_application() {
        let pace = Pace::default();
        let start = Instant::now();
        for number in 0..61 {
            for _ in 0..4 {
                pace.turn(&tenant(number), Service::Logs, 1).await;
            }
        }
        // 244 requests are twice the limit of ten seconds, which all tenants have together.
        assert_eq!(start.elapsed().as_secs(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_service_that_throttles_is_left_alone() {
        let pace = Pace::default();
        pace.hold(&tenant(1), Service::Directory, Duration::from_secs(7), false);
        let start = Instant::now();
        pace.turn(&tenant(2), Service::Directory, 1).await;
        pace.turn(&tenant(1), Service::Logs, 1).await;
        assert_eq!(start.elapsed().as_secs(), 0, "another tenant and another service go on");
        pace.turn(&tenant(1), Service::Directory, 1).await;
        assert_eq!(start.elapsed().as_secs(), 7);
        pace.hold(&tenant(1), Service::Logs, Duration::from_secs(9), true);
        pace.turn(&tenant(2), Service::Logs, 1).await;
        assert_eq!(start.elapsed().as_secs(), 16, "the application as a whole was throttled");
    }
}
