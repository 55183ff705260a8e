//! A night of many tenants in virtual time: `night TENANTS [KILLS]`. The collector is the service's own, with one
//! application whose limits four processes share; Microsoft Graph is the stand-in, which enforces the documented limits.
//! Processes that are killed lose what they did since their last step, and their messages are delivered again. Prints
//! JSON.

mod figures;
mod fleet;
mod process;

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;

use futures_util::future::join_all;
use graph::{Certificate, Clock};
use serde_json::Value;
use stand_in::{Registration, StandIn};
use tokio::time::Instant;

use self::process::{CLIENT, Night, PROCESSES};

const PEM: &str = include_str!("../../tests/collector/application.pem");

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let tenants = arguments.next().ok_or("name the number of tenants")?.parse()?;
    let kills = arguments.next().map_or(Ok(0), |kills| kills.parse())?;
    writeln!(io::stdout(), "{:#}", night(tenants, kills).await?)?;
    Ok(())
}

async fn night(tenants: usize, kills: u32) -> Result<Value, Box<dyn Error>> {
    // Waits between attempts have a random part.
    fastrand::seed(1);
    let clock = Clock::at("2026-05-04T22:00:00Z".parse()?);
    let certificate = Certificate::from_pem(PEM)?;
    let stand_in = StandIn::new("https://graph.example", clock, fleet::tenants(tenants))
        .with_registration(Registration::certified(CLIENT, &certificate))
        .with_delays(fleet::DELAYS);
    let night = Night::new(Arc::new(stand_in), Arc::new(certificate), clock);
    let began = Instant::now();
    join_all((0..PROCESSES).map(|number| night.process(number, kills))).await;
    let minutes = began.elapsed().as_secs().div_ceil(60);
    Ok(figures::of(&night, minutes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_tenant_is_lost_and_the_limits_are_kept() {
        let figures = night(100, 0).await.unwrap();
        let expected = json!({
            "tenants": 100,
            "minutes": 2,
            "calls": 2_485,
            "throttled": 2,
            "fresh": 99,
            "named": { "the sign-in of the application was refused: AADSTS700016": 1 },
            "lost": 0,
            "twice": 0,
            "kills": 0,
            "requests": {
                "conditional access": 299,
                "directory": 2_675,
                "logs": 400,
                "security": 99,
                "usage reports": 198,
            },
            "reportsRequestsOfMedianTenant": 4,
        });
        assert_eq!(figures, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn killed_processes_lose_no_tenant() {
        let figures = night(40, 6).await.unwrap();
        let of = |name: &str| figures[name].as_u64().unwrap();
        assert_eq!(["kills", "fresh", "lost", "twice"].map(of), [6, 40, 0, 0], "{figures:#}");
    }
}
