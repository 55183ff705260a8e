//! Faults at every call to the table: reads give the right response, or a clean failure, or a response that no parser
//! accepts as complete; writes are complete or have no effect.
//!
//! The calls are discovered, not listed: a scenario runs once to record its calls, then once for each fault at each
//! call. A new call is covered as soon as a scenario makes it.

mod clock;
mod drop;
mod injection;
mod limits;
mod people;
mod reads;
mod repair;
mod throttling;
mod transfer;
mod writes;

use std::ops::Range;

use injection::Fault;
pub(crate) use injection::FaultyStore;
pub(crate) use limits::LimitedStore;

/// Once.
const ONCE: usize = 1;
/// For a while: fewer than the attempts of a call.
const A_WHILE: usize = 3;
/// Permanently.
const FOR_GOOD: usize = usize::MAX;

/// Longer than the SDK retries, but shorter than the store waits for capacity.
const THROTTLED_LONG: usize = 30;

/// Returns every fault at every call, for every duration.
fn cases(calls: &[String], durations: &[usize]) -> Vec<(Fault, Range<usize>)> {
    let mut cases = Vec::new();
    for (number, operation) in calls.iter().enumerate() {
        let same = |other: Option<usize>| other.and_then(|other| calls.get(other)) == Some(operation);
        // In a sequence of equal calls, only the first and the last are tested.
        if same(number.checked_sub(1)) && same(number.checked_add(1)) {
            continue;
        }
        for fault in Fault::ALL.into_iter().filter(|fault| fault.concerns(operation)) {
            cases.extend(durations.iter().map(|attempts| (fault, number..number.saturating_add(*attempts))));
        }
    }
    cases
}

/// Returns whether the fault ends before the attempts are used up.
fn passes(attempts: &Range<usize>) -> bool {
    attempts.end != FOR_GOOD
}
