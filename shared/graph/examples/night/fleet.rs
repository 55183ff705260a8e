//! The tenants of a night: most are small, few are large, and some are not as one would like them.

use std::ops::RangeInclusive;

use fastrand::Rng;
use stand_in::{Consent, Plan, Quirks, Tenant};

/// Milliseconds that a response takes.
pub(crate) const DELAYS: RangeInclusive<u64> = 100..=1_500;

/// Returns tenants, always the same for a number.
pub(crate) fn tenants(number: usize) -> Vec<Tenant> {
    let mut rng = Rng::with_seed(1);
    let users = dealt(&mut rng, number, &[(5, 20_000), (45, 1_200), (300, 150), (650, 25)]);
    let plans = dealt(&mut rng, number, &[(20, Plan::Free), (580, Plan::P1), (400, Plan::P2)]);
    let consents = dealt(&mut rng, number, &[(10, Consent::Missing), (990, Consent::Given)]);
    // In some, other applications use the limits, too.
    let others = dealt(&mut rng, number, &[(10, 100), (990, 0)]);
    let tenant = |place: usize| {
        let id = format!("00000000-0000-4000-8000-{place:012}").parse().expect("it is a UUID");
        let mut tenant = Tenant::new(id, &format!("Tenant {place}"), users[place]);
        (tenant.plan, tenant.consent) = (plans[place], consents[place]);
        tenant.quirks = Quirks { failures_per_mille: 1, others_per_mille: others[place], ..Quirks::default() };
        tenant
    };
    (0..number).map(tenant).collect()
}

/// Returns values in the shares of a thousand that they have, shuffled. The last one fills up.
fn dealt<T: Copy>(rng: &mut Rng, number: usize, shares: &[(usize, T)]) -> Vec<T> {
    let mut values = Vec::with_capacity(number);
    for (share, value) in shares {
        values.extend(std::iter::repeat_n(*value, number * share / 1_000));
    }
    values.extend(shares.last().map(|(_, value)| *value).into_iter().cycle().take(number - values.len()));
    rng.shuffle(&mut values);
    values
}
