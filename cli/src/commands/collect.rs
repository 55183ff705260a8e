//! `posture collect`: collects a tenant's configuration into a snapshot.

use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use chrono::Utc;
use clap::Args;
use graph::{
    AccessToken, Application, Certificate, Clock, Collector, Credential, GivenToken, Hosts, Https, Pace, Position,
    Registered, Shape, Signer, SnapshotWriter, Tokens, Transport,
};
use local::stand_in::{LOCAL_CLIENT, LocalSigner};
use model::snapshot::{Completion, Header, VERSION};
use model::{ProviderTenantId, counted};
use serde::Serialize;

use crate::arguments::now;
use crate::exit::{Exit, ended};
use crate::output::{Output, plain, print, wire_name};

const AFTER_HELP: &str = "\
Only reads. The application needs the permissions in docs/COLLECTOR.md and the consent of the tenant's administrator. An \
access token for Microsoft Graph in GRAPH_ACCESS_TOKEN replaces application and certificate. The snapshot contains \
names and addresses of people: only its owner may read the file.";
/// An option would show the token to other users of the machine.
const TOKEN: &str = "GRAPH_ACCESS_TOKEN";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Collect {
    /// The tenant, by its identifier at the provider
    #[arg(long, value_name = "ID")]
    tenant: ProviderTenantId,
    /// File to write, which is compressed with gzip and must not exist
    #[arg(long, value_name = "FILE", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// Read one page of each endpoint, and print the shapes of the responses: names and types, never values. They help
    /// in a bug report
    #[arg(long, conflicts_with = "out")]
    check: bool,
    /// The application's identifier (appId)
    #[arg(long, value_name = "ID", env = "GRAPH_CLIENT_ID", requires = "certificate")]
    client_id: Option<String>,
    /// PEM file with the application's certificate and its RSA key
    #[arg(long, value_name = "FILE", env = "GRAPH_CERTIFICATE", requires = "client_id")]
    certificate: Option<PathBuf>,
    /// Object id of a user or group that is declared to be emergency access; repeatable
    #[arg(long, value_name = "ID", conflicts_with = "check")]
    emergency_access: Vec<String>,
    /// A stand-in instead of Microsoft Graph, such as http://localhost:9001/local-graph of `posture serve`
    #[arg(long, value_name = "URL")]
    graph_url: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// The result of a run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Collected<'a> {
    file: &'a Path,
    #[serde(flatten)]
    completion: Completion,
    /// Endpoints that did not respond as expected, with their status or failure.
    incomplete: Vec<String>,
}

impl Collect {
    pub(crate) async fn run(self) -> Exit {
        ended(self.steps().await, |_| None)
    }

    async fn steps(&self) -> anyhow::Result<Exit> {
        let collector = self.collector()?;
        let header = Header {
            snapshot: VERSION,
            provider_tenant_id: self.tenant.clone(),
            requested_at: None,
            started_at: now(),
            emergency_access: self.emergency_access.clone(),
        };
        let position = Position::new(header);
        match &self.out {
            Some(path) => self.collect(&collector, position, path).await?,
            None => self.check(&collector, position).await?,
        }
        Ok(Exit::Done)
    }

    fn collector(&self) -> anyhow::Result<Collector> {
        let hosts = match &self.graph_url {
            Some(address) => Hosts::of_stand_in(address).context("--graph-url cannot be used")?,
            None => Hosts::default(),
        };
        let transport: Arc<dyn Transport> =
            Arc::new(Https::new().context("the certificates of this machine cannot be read")?);
        let clock = Clock::at(Utc::now());
        let tokens = self.tokens(&transport, &hosts, clock)?;
        Ok(Collector { transport, tokens, pace: Arc::new(Pace::default()), hosts, clock })
    }

    fn tokens(&self, transport: &Arc<dyn Transport>, hosts: &Hosts, clock: Clock) -> anyhow::Result<Arc<dyn Tokens>> {
        let given = env::var(TOKEN).ok().filter(|token| !token.is_empty());
        let (client_id, signer): (&str, Arc<dyn Signer>) = match (&self.client_id, &self.certificate, given) {
            (Some(client_id), Some(path), _) => (client_id, Arc::new(certificate(path)?)),
            (_, _, Some(token)) => return Ok(Arc::new(GivenToken(AccessToken::new(token)))),
            _ if self.graph_url.is_some() => (LOCAL_CLIENT, Arc::new(LocalSigner)),
            _ => bail!("name the application with --client-id and --certificate, or set {TOKEN}"),
        };
        let (transport, hosts) = (Arc::clone(transport), hosts.clone());
        let registered = Registered {
            client_id: client_id.into(),
            home: None,
            credential: Credential::Key(signer),
            transport,
            hosts,
        };
        Ok(Arc::new(Application::new(registered, clock)))
    }

    async fn collect(&self, collector: &Collector, mut position: Position, path: &Path) -> anyhow::Result<()> {
        ensure!(!path.exists(), "{} exists already", path.display());
        let unwritten = || format!("{} cannot be written", path.display());
        // A run that is stopped leaves no file that looks like a snapshot.
        let part = path.with_added_extension("part");
        let file = BufWriter::new(private(&part).with_context(unwritten)?);
        let mut writer = SnapshotWriter::new(file, position.header()).with_context(unwritten)?;
        let mut incomplete = Vec::new();
        while let Some(responses) = collector.advance(&mut position).await? {
            writer.add(&responses).with_context(unwritten)?;
            let shapes = responses.iter().map(Shape::of).filter(|shape| shape.status != Some(200));
            incomplete.extend(shapes.map(|shape| reason(&shape)));
        }
        let completion = position.completion(now()).context("the run is not complete")?;
        let mut file = writer.end(completion.clone()).with_context(unwritten)?;
        file.flush().and_then(|()| fs::rename(&part, path)).with_context(unwritten)?;
        let collected = Collected { file: path, completion, incomplete };
        self.output.show(&collected, readable)
    }

    async fn check(&self, collector: &Collector, mut position: Position) -> anyhow::Result<()> {
        while let Some(responses) = collector.advance(&mut position).await? {
            position.skip_pages();
            for response in &responses {
                print(&serde_json::to_string(&Shape::of(response))?)?;
            }
        }
        Ok(())
    }
}

fn certificate(path: &Path) -> anyhow::Result<Certificate> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Certificate::from_pem(&text).with_context(|| format!("{} cannot be used", path.display()))
}

/// Creates a file that only its owner may read.
fn private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Returns why an endpoint did not respond as expected, such as `/v1.0/users: 403 Authorization_RequestDenied`.
fn reason(shape: &Shape) -> String {
    let status = shape.status.map(|status| status.to_string());
    let failure = shape.failure.as_ref().map(wire_name);
    let parts: Vec<_> = status.into_iter().chain(failure).chain(shape.code.clone()).collect();
    format!("{}: {}", shape.endpoint, parts.join(" "))
}

fn readable(collected: &Collected) -> String {
    let Collected { file, completion, incomplete } = collected;
    let mut lines: Vec<_> = incomplete.iter().map(|reason| format!("not read: {}", plain(reason))).collect();
    lines.push(format!(
        "Wrote {} with {}; the logs cover {}.",
        file.display(),
        counted(completion.responses, "response"),
        counted(usize::try_from(completion.activity_lookback_days).unwrap_or_default(), "day")
    ));
    lines.join("\n")
}
