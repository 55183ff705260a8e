//! Sends the same requests at increasing amounts of data, and measures their times and reads.

use std::net::SocketAddr;
use std::time::Duration;

use api::App;
use http_body_util::BodyExt;
use local::Engine;
use model::OrganizationId;
use store::Store;

use crate::capacity::{Meter, Read};
use crate::client::{Client, Coding, Pace};
use crate::fill::{Data, Sized};
use crate::process::Child;
use crate::support::{BoxError, DASHBOARD, TABLE, event};
use crate::table::{Bound, Table, median, milliseconds};

const RUNS: usize = 61;
/// Bytes per read unit of an eventually consistent read.
const UNIT: f64 = 2.0 * 4096.0;

/// A request that is made of organizations of all sizes.
struct Request {
    name: &'static str,
    of: &'static str,
    latest_only: &'static str,
    limit: &'static str,
}

const LATEST: Request = Request { name: "100 latest", of: "tenants", latest_only: "true", limit: "100" };
const HISTORY: Request = Request { name: "100 newest", of: "reports", latest_only: "false", limit: "100" };
/// For what is read over what is sent.
const LARGE: Request = Request { name: "500 newest", of: "reports", latest_only: "false", limit: "500" };

/// Adds what requests cost at every size.
pub(crate) async fn measure(table: &mut Table, engine: SocketAddr, data: &Data) -> Result<(), BoxError> {
    let gateway = Child::start(&["gateway", &engine.to_string()]).await?;
    let metered = Metered::connect(engine).await;
    for (request, organizations) in [(LATEST, &data.tenants), (HISTORY, &data.history)] {
        let times = request.times(organizations, gateway.address).await?;
        let (smallest, largest) = (times[0], times[times.len() - 1]);
        let name = request.name;
        let of = request.of;
        let sizes = [&organizations[0], &organizations[organizations.len() - 1]];
        let what = format!("{name} among {} {of}, against {}", sizes[1].size, sizes[0].size);
        table.figure(what, Some(Bound::AtMost(1.1)), largest.div_duration_f64(smallest), "x");
        for (organization, time) in organizations.iter().zip(times) {
            let (read, sent) = metered.read(&organization.id, &request).await?;
            request.add_size(table, organization, time, read, sent);
        }
    }
    let (read, sent) = metered.read(&data.reports.id, &LARGE).await?;
    // The target is 1.25 times the bytes plus two units, so the bound applies after subtracting two units.
    let ratio = (read.units - 2.0) * UNIT / sent as f64;
    let what = "read units per byte sent for 500 reports (2 RCU of overhead excluded)".to_owned();
    table.figure(what, Some(Bound::AtMost(1.25)), ratio, "x");
    Ok(())
}

impl Request {
    /// Returns the median times of all sizes, requested in turn, so that other load on the machine affects all alike.
    async fn times(&self, organizations: &[Sized], gateway: SocketAddr) -> Result<Vec<Duration>, BoxError> {
        let clients: Vec<Client> = organizations.iter().map(|organization| organization.client(gateway)).collect();
        let path = format!("/v1/posture-reports?latestOnly={}&limit={}", self.latest_only, self.limit);
        let mut times = vec![Vec::with_capacity(RUNS); clients.len()];
        for _ in 0..RUNS {
            for (client, times) in clients.iter().zip(&mut times) {
                times.push(client.get(&path, Coding::Gzip, Pace::Full).await?.total);
            }
        }
        Ok(times.into_iter().map(median).collect())
    }

    fn add_size(&self, table: &mut Table, organization: &Sized, time: Duration, read: Read, sent: usize) {
        table.size([
            self.name,
            &format!("{} {}", organization.size, self.of),
            &milliseconds(time),
            &read.items.to_string(),
            &read.units.to_string(),
            &format!("{:.2} MB", sent as f64 / 1e6),
        ]);
    }
}

/// The handler on a connection whose reads are counted.
struct Metered {
    app: App,
    meter: Meter,
}

impl Metered {
    async fn connect(engine: SocketAddr) -> Self {
        let meter = Meter::default();
        let config = Engine::client_at(engine).await.config().to_builder().interceptor(meter.clone()).build();
        let store = Store::new(aws_sdk_dynamodb::Client::from_conf(config), TABLE);
        Self { app: App::new(store, DASHBOARD), meter }
    }

    /// Returns the reads of a request, and the bytes of its gzip response.
    async fn read(&self, organization: &OrganizationId, request: &Request) -> Result<(Read, usize), BoxError> {
        let query = [("latestOnly", request.latest_only), ("limit", request.limit)];
        let event = lambda_http::request::from_str(&event(organization, &query)?)?;
        let response = posture_reports::handle(self.app.clone(), event).await?;
        let sent = response.into_body().collect().await?.to_bytes().len();
        Ok((self.meter.take(), sent))
    }
}
