//! A night of many tenants in virtual time: `night TENANTS`. The collector is the service's own, with one application
//! whose limits four processes share; Microsoft Graph is the stand-in, which enforces the documented limits. Prints JSON.

mod fleet;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use futures_util::future::join_all;
use graph::{Application, Certificate, Clock, Collector, Pace, Position, Signer, SnapshotWriter, Transport};
use model::ProviderTenantId;
use model::snapshot::{Header, Response, VERSION, endpoint};
use serde_json::{Value, json};
use stand_in::{Registration, StandIn};
use tokio::time::Instant;

const CLIENT: &str = "11111111-2222-4333-8444-555555555555";
const PEM: &str = include_str!("../../tests/collector/application.pem");
/// Processes, and the tenants that each collects in one invocation, as the template has them.
const PROCESSES: u32 = 4;
const BATCH: usize = 50;

/// How the night ends for a tenant.
enum End {
    /// Its snapshot is complete. With the number of requests to the API of reports.
    Fresh(usize),
    /// There is none, for a reason.
    Named(String),
    Lost,
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let tenants = std::env::args().nth(1).ok_or("name the number of tenants")?.parse()?;
    writeln!(io::stdout(), "{:#}", night(tenants).await?)?;
    Ok(())
}

async fn night(tenants: usize) -> Result<Value, Box<dyn Error>> {
    let clock = Clock::at("2026-05-04T22:00:00Z".parse()?);
    let certificate = Certificate::from_pem(PEM)?;
    let key = Some((certificate.thumbprint().to_owned(), certificate.public_key().to_vec()));
    let stand_in = StandIn::new("https://graph.example", clock, fleet::tenants(tenants))
        .with_registration(Registration { client_id: CLIENT.to_owned(), key })
        .with_delays(fleet::DELAYS);
    let stand_in = Arc::new(stand_in);
    let signer: Arc<dyn Signer> = Arc::new(certificate);
    let began = Instant::now();
    let queue = RefCell::new(stand_in.tenants().map(|tenant| tenant.id.clone()).collect());
    let processes = (0..PROCESSES).map(|_| process(&stand_in, &signer, clock, &queue));
    let ends: Vec<End> = join_all(processes).await.into_iter().flatten().collect();
    let minutes = began.elapsed().as_secs().div_ceil(60);
    Ok(figures(&ends, minutes, &stand_in))
}

/// Takes batches of tenants from the queue until it is empty.
async fn process(
    stand_in: &Arc<StandIn>,
    signer: &Arc<dyn Signer>,
    clock: Clock,
    queue: &RefCell<VecDeque<ProviderTenantId>>,
) -> Vec<End> {
    let (transport, hosts): (Arc<dyn Transport>, _) = (Arc::<StandIn>::clone(stand_in), stand_in.hosts());
    let pace = Arc::new(Pace::of_one_in(PROCESSES));
    let mut ends = Vec::new();
    loop {
        let batch: Vec<_> = {
            let mut queue = queue.borrow_mut();
            let number = queue.len().min(BATCH);
            queue.drain(..number).collect()
        };
        if batch.is_empty() {
            return ends;
        }
        // Tokens are those of an invocation.
        let tokens = Application::new(CLIENT, Arc::clone(signer), Arc::clone(&transport), hosts.clone(), clock);
        let (transport, pace, hosts) = (Arc::clone(&transport), Arc::clone(&pace), hosts.clone());
        let collector = Collector { transport, tokens: Arc::new(tokens), pace, hosts, clock };
        ends.extend(join_all(batch.iter().map(|tenant| run(&collector, tenant))).await);
    }
}

/// Collects a tenant, and writes its snapshot to nowhere.
async fn run(collector: &Collector, tenant: &ProviderTenantId) -> End {
    let Ok(started_at) = collector.clock.now().try_into() else { return End::Lost };
    let header = Header {
        snapshot: VERSION,
        provider_tenant_id: tenant.clone(),
        requested_at: None,
        started_at,
        emergency_access: Vec::new(),
    };
    let Ok(mut snapshot) = SnapshotWriter::new(io::sink(), &header) else { return End::Lost };
    let mut position = Position::new(header);
    let mut responses = Vec::new();
    loop {
        match collector.advance(&mut position).await {
            Ok(Some(more)) => {
                if snapshot.add(&more).is_err() {
                    return End::Lost;
                }
                responses.extend(more.into_iter().map(|response| Response { body: Value::Null, ..response }));
            }
            Ok(None) => break,
            Err(error) => return End::Named(error.to_string()),
        }
    }
    let completion = collector.clock.now().try_into().ok().and_then(|now| position.completion(now));
    match completion.map(|completion| snapshot.end(completion)) {
        Some(Ok(_)) => end(&responses),
        _ => End::Lost,
    }
}

/// A snapshot is fresh if nothing is missing from it that another attempt might have brought.
fn end(responses: &[Response<Value>]) -> End {
    let missing = responses.iter().find_map(|response| match (response.status, response.failure) {
        (_, Some(failure)) => Some(format!("{}: {failure:?}", response.endpoint)),
        (Some(status @ (401 | 429 | 500..)), _) => Some(format!("{}: status {status}", response.endpoint)),
        _ => None,
    });
    let of_reports = [endpoint::REGISTRATIONS, endpoint::SIGN_INS, endpoint::DIRECTORY_AUDITS];
    let requests = responses.iter().filter(|response| of_reports.contains(&response.endpoint.as_str())).count();
    missing.map_or(End::Fresh(requests), |missing| End::Named(format!("incomplete: {missing}")))
}

fn figures(ends: &[End], minutes: u64, stand_in: &StandIn) -> Value {
    let mut named: BTreeMap<&str, usize> = BTreeMap::new();
    let mut of_reports = Vec::new();
    for end in ends {
        match end {
            End::Fresh(requests) => of_reports.push(*requests),
            End::Named(reason) => *named.entry(reason).or_default() += 1,
            End::Lost => {}
        }
    }
    of_reports.sort_unstable();
    let tenants = stand_in.tenants().count();
    let counts = stand_in.counts();
    json!({
        "tenants": tenants,
        "minutes": minutes,
        "calls": counts.calls,
        "throttled": counts.throttled,
        "fresh": of_reports.len(),
        "named": named,
        "lost": tenants - of_reports.len() - named.values().sum::<usize>(),
        "requests": counts.requests,
        "reportsRequestsOfMedianTenant": of_reports.get(of_reports.len() / 2),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_tenant_is_lost_and_the_limits_are_kept() {
        let figures = night(100).await.unwrap();
        let expected = json!({
            "tenants": 100,
            "minutes": 1,
            "calls": 2_483,
            "throttled": 0,
            "fresh": 99,
            "named": { "the sign-in of the application was refused: AADSTS700016": 1 },
            "lost": 0,
            "requests": {
                "conditional access": 297,
                "directory": 2_675,
                "logs": 400,
                "security": 99,
                "usage reports": 198,
            },
            "reportsRequestsOfMedianTenant": 4,
        });
        assert_eq!(figures, expected);
    }
}
