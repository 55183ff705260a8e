//! Faults at every call to the table: reads give the right response, or a clean failure, or a response that no parser
//! accepts as complete; writes are complete or have no effect.
//!
//! The calls are discovered, not listed: a scenario runs once to record its calls, then once for each fault at each
//! call. A new call is covered as soon as a scenario makes it.

mod clock;
mod collecting;
mod documents;
mod drop;
mod injection;
mod jobs;
mod limits;
mod office;
mod people;
mod reads;
mod repair;
mod requests;
mod retention;
mod target;
mod throttling;
mod transfer;
mod writes;

use std::env;
use std::ops::Range;

pub(crate) use injection::{Fault, FaultyStore};
pub(crate) use limits::LimitedStore;

/// Once.
const ONCE: usize = 1;
/// For a while: fewer than the attempts of a call.
const A_WHILE: usize = 3;
/// Permanently.
const FOR_GOOD: usize = usize::MAX;

/// Longer than the SDK retries, but shorter than the store waits for capacity.
const THROTTLED_LONG: usize = 30;

/// A call has about ten faults. One of so many is tried, other ones at the next call; with `EVERY_FAULT=1`, all are.
const FEW: usize = 7;

/// Returns 1 where everything is tried, which takes an hour.
fn one_of(many: usize) -> usize {
    env::var("EVERY_FAULT").map_or(many, |_| 1)
}

/// Returns a few faults at every call, each for one of the durations; with `EVERY_FAULT=1`, all faults for all of them.
fn cases(calls: &[String], durations: &[usize]) -> Vec<(Fault, Range<usize>)> {
    if one_of(FEW) > 1 {
        return cases_in_turn(calls, durations, FEW);
    }
    let of = |(call, fault)| durations.iter().map(move |attempts| case(call, fault, *attempts));
    faults_at(calls).into_iter().flat_map(of).collect()
}

/// Returns one of so many faults at every call, each for one of the durations in turn: where all durations are too many.
fn cases_in_turn(calls: &[String], durations: &[usize], many: usize) -> Vec<(Fault, Range<usize>)> {
    let of = |(turn, (call, fault))| case(call, fault, durations[(turn + call) % durations.len()]);
    faults_at(calls).into_iter().enumerate().step_by(one_of(many)).map(of).collect()
}

/// Returns the end of the work before and after every call that writes, as if it were killed there.
fn ends(calls: &[String]) -> impl Iterator<Item = (Fault, Range<usize>)> {
    let writes = ["DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem"];
    let is_end =
        move |(call, fault): &(usize, Fault)| *fault == Fault::Refused && writes.contains(&calls[*call].as_str());
    let ends = faults_at(calls).into_iter().filter(is_end);
    ends.flat_map(|(call, fault)| [call, call + 1].map(|call| case(call, fault, FOR_GOOD)))
}

fn case(call: usize, fault: Fault, attempts: usize) -> (Fault, Range<usize>) {
    (fault, call..call.saturating_add(attempts))
}

/// Returns every fault at every call. In a sequence of equal calls, only the first and the last are tested.
fn faults_at(calls: &[String]) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    for (number, operation) in calls.iter().enumerate() {
        let same = |other: Option<usize>| other.and_then(|other| calls.get(other)) == Some(operation);
        if !same(number.checked_sub(1)) || !same(number.checked_add(1)) {
            faults
                .extend(Fault::ALL.into_iter().filter(|fault| fault.concerns(operation)).map(|fault| (number, fault)));
        }
    }
    faults
}

/// Returns whether the fault ends before the attempts are used up.
fn passes(attempts: &Range<usize>) -> bool {
    attempts.end != FOR_GOOD
}
