//! The start and the first call of a new function over TLS: a proxy in front of the engine decrypts.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use local::Engine;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

use crate::event_data;
use crate::function::{Program, built};
use crate::process::ANY_PORT;
use crate::support::BoxError;
use crate::table::{Bound, Table, median, milliseconds};

const RUNS: usize = 41;
/// The tools' usual variable for the file of trusted certificates, and where this system has that file.
const CERTIFICATES: &str = "SSL_CERT_FILE";
const SYSTEM_CERTIFICATES: [&str; 2] = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// Adds the time of a first call.
pub(crate) async fn measure(table: &mut Table) -> Result<(), BoxError> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    event_data::write(&engine).await?;
    let folder = tempfile::tempdir()?;
    let endpoint = Endpoint::start(engine.address(), folder.path()).await?;
    for (name, event, operations, bound) in [
        // One consistent read of the key.
        ("authorizer", include_str!("../../../events/authorizer/known-key.json"), "one operation", None),
        // The pointers, then the reports.
        (
            "posture-reports",
            include_str!("../../../events/posture-reports/gzip.json"),
            "two operations",
            Some(Bound::AtMost(8.0)),
        ),
    ] {
        let program = Program::new(built(name)?, &endpoint.url).env(CERTIFICATES, &endpoint.certificates);
        let [start, call, both] = fresh(program, event).await?;
        let what = format!("start and first call of a fresh {name} over TLS, {operations}");
        table.figure(&what, bound, both.as_secs_f64() * 1e3, " ms");
        table.detail(what, format!("a start of {}, and a call of {}", milliseconds(start), milliseconds(call)));
    }
    Ok(())
}

/// Medians of the start, of the time to the last byte of the response to the event that follows it, and of both together.
async fn fresh(mut program: Program, event: &str) -> Result<[Duration; 3], BoxError> {
    let mut runs = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let mut function = program.start().await?;
        let call = function.invoke(event).await?.last;
        runs.push([function.start, call, function.start + call]);
    }
    Ok([0, 1, 2].map(|part| median(runs.iter().map(|run| run[part]))))
}

/// A proxy in front of the engine, with a certificate.
struct Endpoint {
    url: String,
    /// The system's certificates and the proxy's own: as many as a function has to read.
    certificates: PathBuf,
}

impl Endpoint {
    async fn start(engine: SocketAddr, folder: &Path) -> Result<Self, BoxError> {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()])?;
        let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
        let server = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key.into())?;
        let listener = TcpListener::bind(ANY_PORT).await?;
        let url = format!("https://localhost:{}", listener.local_addr()?.port());
        tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(server)), engine));
        let certificates = folder.join("certificates.pem");
        fs::write(&certificates, system_certificates()? + &cert.pem())?;
        Ok(Self { url, certificates })
    }
}

async fn serve(listener: TcpListener, tls: TlsAcceptor, engine: SocketAddr) {
    while let Ok((connection, _)) = listener.accept().await {
        let tls = tls.clone();
        // The client reports a broken connection.
        tokio::spawn(async move {
            // A response must not wait for the acknowledgement of the handshake's last packet.
            connection.set_nodelay(true)?;
            let mut client = tls.accept(connection).await?;
            let mut engine = TcpStream::connect(engine).await?;
            engine.set_nodelay(true)?;
            copy_bidirectional(&mut client, &mut engine).await
        });
    }
}

fn system_certificates() -> Result<String, BoxError> {
    let named = env::var(CERTIFICATES).ok();
    let files = named.iter().map(String::as_str).chain(SYSTEM_CERTIFICATES);
    let file = files.map(Path::new).find(|file| file.is_file()).ok_or("the system has no file of certificates")?;
    Ok(fs::read_to_string(file)?)
}
