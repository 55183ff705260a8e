//! The figures of a night.

use std::collections::BTreeMap;

use model::snapshot::endpoint;
use serde_json::{Value, json};

use crate::process::{End, Night, Outcome};

pub(crate) fn of(night: &Night, minutes: u64) -> Value {
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    let mut of_reports = Vec::new();
    for end in night.ends.borrow().values() {
        let requests = match end {
            End::Refused(reason) => Err(reason.clone()),
            End::Complete(outcomes) => missing(outcomes).map_or_else(|| Ok(requests_of_reports(outcomes)), Err),
        };
        match requests {
            Ok(requests) => of_reports.push(requests),
            Err(reason) => *named.entry(reason).or_default() += 1,
        }
    }
    of_reports.sort_unstable();
    let tenants = night.stand_in.tenants().count();
    let counts = night.stand_in.counts();
    json!({
        "tenants": tenants,
        "minutes": minutes,
        "calls": counts.calls,
        "throttled": counts.throttled,
        "fresh": of_reports.len(),
        "named": named,
        "lost": tenants - of_reports.len() - named.values().sum::<usize>(),
        "twice": night.twice.get(),
        "kills": night.kills.get(),
        "requests": counts.requests,
        "reportsRequestsOfMedianTenant": of_reports.get(of_reports.len() / 2),
    })
}

/// Returns what a snapshot lacks that another attempt might have brought: without it, the tenant is not fresh.
fn missing(outcomes: &[Outcome]) -> Option<String> {
    outcomes.iter().find_map(|Outcome { endpoint, status, failure }| match (status, failure) {
        (_, Some(failure)) => Some(format!("incomplete: {endpoint}: {failure:?}")),
        (Some(status @ (401 | 429 | 500..)), _) => Some(format!("incomplete: {endpoint}: status {status}")),
        _ => None,
    })
}

/// Returns the number of requests to the API of reports, with their pages.
fn requests_of_reports(outcomes: &[Outcome]) -> usize {
    let endpoints = [endpoint::REGISTRATIONS, endpoint::SIGN_INS, endpoint::DIRECTORY_AUDITS];
    outcomes.iter().filter(|outcome| endpoints.contains(&outcome.endpoint.as_str())).count()
}
