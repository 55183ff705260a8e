//! `posture serve`: the whole service on this machine.

use std::env;
use std::io::IsTerminal;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use local::stand_in::{StandIn, Tenant};
use local::{Limits, Service, Settings, SignInSettings, StartError};
use model::OrganizationId;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::{demo, recorded};
use crate::defaults::{DB_PORT, TABLE};
use crate::exit::Exit;
use crate::output::{plain, print};

const AFTER_HELP: &str = "\
The API behaves as when deployed: same routes, authentication, limits and failures. The other commands \
work on its data with --local. Ctrl-C lets running requests finish and stops it; a second Ctrl-C does not wait.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Serve {
    /// Create a sample organization with reports, and show a new key and requests
    #[arg(long)]
    demo: bool,
    /// Keep the data in this file, which is created if it does not exist [default: in memory]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Port of the API; 0 for any
    #[arg(long, default_value_t = 9000)]
    port: u16,
    /// Port of the dashboard; 0 for any
    #[arg(long, value_name = "PORT", default_value_t = 9001)]
    dashboard_port: u16,
    /// Port of the data's DynamoDB interface; 0 for any
    #[arg(long, value_name = "PORT", default_value_t = DB_PORT)]
    db_port: u16,
    /// Another name of this machine by which the API may be called, such as host.docker.internal from a container
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    allow_host: Vec<String>,
    /// Turn off the rate limits
    #[arg(long)]
    no_rate_limit: bool,
    /// Address of the dashboard that links in reports lead to [default: the one on this machine]
    #[arg(long, value_name = "URL", env = "DASHBOARD_URL")]
    dashboard_url: Option<String>,
    /// OpenID Connect issuer that people sign in with [default: one on this machine, with invented people]
    #[arg(long, value_name = "URL", env = "SIGN_IN_ISSUER", requires = "sign_in_client_id")]
    sign_in_issuer: Option<String>,
    /// The dashboard's identifier at that issuer; its secret, if it has one, is read from SIGN_IN_CLIENT_SECRET
    #[arg(long, value_name = "ID", env = "SIGN_IN_CLIENT_ID", requires = "sign_in_issuer")]
    sign_in_client_id: Option<String>,
    /// Serve recorded tenants from the folders of this folder, each with a _manifest.json, as a stand-in for
    /// Microsoft Graph
    #[arg(long, value_name = "DIR")]
    graph_folder: Option<PathBuf>,
}

impl Serve {
    pub(crate) async fn run(self) -> anyhow::Result<Exit> {
        log_to_stderr();
        let recorded = self.recorded()?;
        let service = Service::start(self.settings(&recorded)?).await.map_err(|error| self.with_advice(error))?;
        let store = &service.app().store;
        let demo = if self.demo { Some(demo::ready(store).await?) } else { None };
        let mut greeting = greeting(&service);
        if !recorded.is_empty() {
            let organization = recorded::ready(store, &recorded, self.demo).await?;
            greeting += &self.requests(&organization, &recorded);
        }
        if let Some(demo) = demo {
            greeting += &demo.invitation(service.address());
        }
        print(&(greeting + "\nCtrl-C stops it."))?;
        tokio::select! {
            served = service.run(stop_signal()) => served.context("the service failed")?,
            () = second_stop_signal() => {}
        }
        Ok(Exit::Done)
    }

    fn settings(&self, recorded: &[Tenant]) -> anyhow::Result<Settings> {
        let on_port = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Ok(Settings {
            gateway: on_port(self.port),
            names: self.allow_host.clone(),
            dashboard: on_port(self.dashboard_port),
            engine: on_port(self.db_port),
            data: self.data.clone(),
            table: TABLE.to_owned(),
            dashboard_url: self.dashboard_url.clone(),
            sign_in: self.sign_in().map(SignInSettings::checked).transpose()?,
            template: local::TEMPLATE.to_owned(),
            limits: if self.no_rate_limit { Limits::Off } else { Limits::in_real_time() },
            tenants: self.tenants(recorded)?,
        })
    }

    /// Returns the tenants of the stand-in for Microsoft Graph: recorded ones, and those of the demo.
    fn tenants(&self, recorded: &[Tenant]) -> anyhow::Result<Vec<Tenant>> {
        let of_demo = if self.demo { demo::collectable()? } else { Vec::new() };
        Ok(of_demo.into_iter().chain(recorded.iter().cloned()).collect())
    }

    fn recorded(&self) -> anyhow::Result<Vec<Tenant>> {
        let Some(folder) = &self.graph_folder else { return Ok(Vec::new()) };
        StandIn::recorded(folder).context("the recorded tenants cannot be served")
    }

    /// Returns the commands that request reports of recorded tenants.
    fn requests(&self, organization: &OrganizationId, recorded: &[Tenant]) -> String {
        let endpoint = match self.db_port {
            DB_PORT => String::new(),
            port => format!(" --endpoint-url http://127.0.0.1:{port}"),
        };
        let command = |tenant: &Tenant| {
            let (id, name) = (&tenant.id, plain(&tenant.name));
            format!("posture report request --local{endpoint} --org {organization} --tenant {id} --wait  # {name}\n")
        };
        let commands: String = recorded.iter().map(command).collect();
        format!(
            "\nRecorded tenants are in organization {organization}. These commands request their reports:\n{commands}"
        )
    }

    fn sign_in(&self) -> Option<SignInSettings> {
        Some(SignInSettings {
            issuer: self.sign_in_issuer.clone()?,
            client_id: self.sign_in_client_id.clone()?,
            // Not an option: other users of the machine see a command's options.
            client_secret: env::var("SIGN_IN_CLIENT_SECRET").ok().map(|secret| Arc::new(secret) as _),
            pool_url: None,
            identities: None,
        })
    }

    /// Adds the option that chooses another port to the error of a port that is taken.
    fn with_advice(&self, error: StartError) -> anyhow::Error {
        let StartError::Listen { address, source } = error else { return error.into() };
        let option = match address.port() {
            port if port == self.port => "--port",
            port if port == self.dashboard_port => "--dashboard-port",
            _ => "--db-port",
        };
        anyhow::anyhow!(
            "port {} of {} cannot be used: {source}; {option} chooses another",
            address.port(),
            address.ip()
        )
    }
}

/// Returns the name of a machine, without a port.
fn host_name(text: &str) -> Result<String, &'static str> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if text.is_empty() || !text.bytes().all(is_name) {
        return Err("a name without a port, such as host.docker.internal");
    }
    Ok(text.to_owned())
}

fn greeting(service: &Service) -> String {
    let mut text = format!(
        "The dashboard is at {}\nThe API listens on http://{}\nDynamoDB endpoint: http://{} (table {TABLE})\nMail is written to {}\n",
        service.dashboard_address(),
        service.address(),
        service.engine_address(),
        service.mail().display()
    );
    for tenant in service.stand_in().tenants() {
        let name = plain(&tenant.name);
        let id = &tenant.id;
        let address = service.stand_in().address();
        text += &format!("{name} can be collected: posture collect --tenant {id} --graph-url {address} --out FILE\n");
    }
    text
}

/// Completes on the next signal to stop.
async fn stop_signal() {
    #[cfg(unix)]
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut terminated) => drop(terminated.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending();
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}

/// Completes on the second signal to stop, without waiting for running requests.
async fn second_stop_signal() {
    stop_signal().await;
    stop_signal().await;
}

/// Prints the access log, and warnings of all other modules.
fn log_to_stderr() {
    let what = Targets::new().with_default(LevelFilter::WARN).with_target("local", LevelFilter::INFO);
    let stderr = std::io::stderr;
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
    tracing_subscriber::registry().with(lines).with(what).init();
}
