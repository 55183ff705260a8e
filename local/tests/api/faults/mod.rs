//! Faults at every call to the table: the right answer, or a clean failure, or an answer that no parser takes for
//! whole; writes whole or not at all.
//!
//! The calls are walked, not listed: a scenario is run once to see which it makes, then once for each fault at each of
//! them. A new call is covered as soon as a scenario makes it.

mod clock;
mod injection;
mod limits;
mod reads;
mod throttling;
mod writes;

use std::ops::Range;

use injection::Fault;
pub(crate) use injection::FaultyStore;
pub(crate) use limits::LimitedStore;

/// Once, in attempts.
const ONCE: usize = 1;
/// For a while: less than the attempts that a call makes.
const A_WHILE: usize = 3;
/// For good.
const FOR_GOOD: usize = usize::MAX;

/// For longer than the SDK tries, and for less than the store waits for capacity.
const THROTTLED_LONG: usize = 30;

/// Every fault at every call, for every duration.
fn cases(calls: &[String], durations: &[usize]) -> Vec<(Fault, Range<usize>)> {
    let mut cases = Vec::new();
    for (number, operation) in calls.iter().enumerate() {
        let same = |other: Option<usize>| other.and_then(|other| calls.get(other)) == Some(operation);
        // Of a row of the same calls, the first and the last stand for all.
        if same(number.checked_sub(1)) && same(number.checked_add(1)) {
            continue;
        }
        for fault in Fault::ALL.into_iter().filter(|fault| fault.concerns(operation)) {
            cases.extend(durations.iter().map(|attempts| (fault, number..number.saturating_add(*attempts))));
        }
    }
    cases
}

/// Whether the fault goes away before the attempts are used up.
fn passes(attempts: &Range<usize>) -> bool {
    attempts.end != FOR_GOOD
}
