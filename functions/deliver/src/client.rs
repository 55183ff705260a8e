//! Sends a message to an address that a customer chose.
//!
//! A name is resolved once, all of its addresses are checked, and the connection goes to one of them, so a name that
//! resolves to another address a moment later leads nowhere else. Redirects are not followed. Of the response, only the
//! status is read; its size and time are limited, and its body is neither read nor decompressed.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Either, select};
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, HOST};
use hyper::{Request, StatusCode};
use hyper_rustls::ConfigBuilderExt;
use hyper_util::rt::TokioIo;
use model::TargetUrl;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::reach::Reach;

/// Time for a whole attempt. Receivers are asked to accept a message first and to work on it later.
const ATTEMPT: Duration = Duration::from_secs(15);
/// Time for a connection to one address, if there are several.
const CONNECTION_TIME: Duration = Duration::from_secs(5);
/// Most bytes of the status and headers of a response.
const LONGEST_HEAD: usize = 64 * 1024;

/// The reason why a message did not reach its target, and what to do. Names no address.
#[derive(Debug, thiserror::Error)]
pub enum Unsent {
    /// The name has no address.
    #[error("the name of the target has no address: correct it, or its entry in the DNS")]
    Unresolved,
    /// An address of the target is not public.
    #[error("an address of the target is not on the public internet, and no message is sent to such addresses")]
    Inner,
    /// No connection.
    #[error("no connection to the target can be opened: open its port to the internet")]
    Unreachable,
    /// TLS failed.
    #[error("the target's certificate is not valid for its name, or it does not speak TLS 1.2 or 1.3")]
    Untrusted,
    /// It did not respond.
    #[error("the target did not respond within {} seconds: let it accept the message first, and work on it later", ATTEMPT.as_secs())]
    Silent,
    /// A later release chose the form of the messages.
    #[error("this release does not know the form of the target's messages: choose another one, or update the service")]
    UnknownShape,
    /// The operator has set up no mail.
    #[error("this service sends no mail: ask its operator to set it up")]
    NoMail,
    /// The member is no longer one.
    #[error("the member has left the organization: remove the target")]
    Left,
    /// The member did not confirm the address.
    #[error("the member's address is not confirmed: the member confirms it under Settings, Your mail")]
    Unconfirmed,
    /// SES did not accept a mail, with this status, or did not respond.
    #[error("the mail service did not accept the mail: the operator finds the reason in SES")]
    MailRefused(Option<StatusCode>),
    /// The file of a mail cannot be written.
    #[error("the mail cannot be written to its folder: check the folder beside the data")]
    Unwritten,
    /// The response is none.
    #[error("the target closed the connection, or did not respond as HTTP/1.1")]
    Garbled,
}

impl Unsent {
    /// Returns the status with which a mail was refused.
    pub(crate) fn status(&self) -> Option<StatusCode> {
        if let Self::MailRefused(status) = self { *status } else { None }
    }

    /// Returns whether nothing was sent because nobody may be sent mail: another attempt would have the same result, and the
    /// target is not to blame.
    pub(crate) fn is_withheld(&self) -> bool {
        matches!(self, Self::NoMail | Self::Left | Self::Unconfirmed)
    }
}

/// The network.
pub trait Network: Send + Sync {
    /// Returns the addresses of a host, which is a name or an address.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;

    /// Opens a connection.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

/// The network of this machine.
#[derive(Debug, Clone, Copy)]
pub struct Internet;

impl Network for Internet {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        async move { Ok(lookup_host((host, port)).await?.collect()) }.boxed()
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        TcpStream::connect(address).boxed()
    }
}

/// Sends messages.
#[derive(Clone)]
pub struct Client {
    network: Arc<dyn Network>,
    reach: Reach,
    tls: Arc<ClientConfig>,
}

impl Client {
    /// Returns a client that trusts the certificates that the system trusts.
    ///
    /// # Errors
    /// If the system's certificates cannot be read.
    pub fn new(network: Arc<dyn Network>, reach: Reach) -> io::Result<Self> {
        let tls = ClientConfig::builder().with_native_roots()?.with_no_client_auth();
        Ok(Self { network, reach, tls: Arc::new(tls) })
    }

    /// Posts a message, and returns the status of the response.
    pub(crate) async fn post(&self, url: &TargetUrl, message: Request<Full<Bytes>>) -> Result<StatusCode, Unsent> {
        timeout(ATTEMPT, self.attempt(url, message)).await.map_err(|_| Unsent::Silent)?
    }

    async fn attempt(&self, url: &TargetUrl, message: Request<Full<Bytes>>) -> Result<StatusCode, Unsent> {
        let host = url.host();
        let stream = self.connect(&host, url.port()).await?;
        if !url.is_encrypted() {
            return exchange(stream, message).await;
        }
        let name = ServerName::try_from(host).map_err(|_| Unsent::Unresolved)?;
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let stream = connector.connect(name, stream).await.map_err(|_| Unsent::Untrusted)?;
        exchange(stream, message).await
    }

    /// Connects to an address of a host. One that is not public makes all of them suspicious.
    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, Unsent> {
        let resolved = self.network.resolve(host, port).await.map_err(|_| Unsent::Unresolved)?;
        if resolved.is_empty() {
            return Err(Unsent::Unresolved);
        }
        if !resolved.iter().map(SocketAddr::ip).all(|address: IpAddr| self.reach.contains(address)) {
            return Err(Unsent::Inner);
        }
        for address in resolved {
            if let Ok(Ok(stream)) = timeout(CONNECTION_TIME, self.network.connect(address)).await {
                return Ok(stream);
            }
        }
        Err(Unsent::Unreachable)
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// Returns a request for an address, of which the caller sets its own headers and body.
pub(crate) fn request_to(url: &TargetUrl) -> hyper::http::request::Builder {
    Request::post(url.path()).header(HOST, url.authority()).header(CONNECTION, "close")
}

async fn exchange<S>(stream: S, message: Request<Full<Bytes>>) -> Result<StatusCode, Unsent>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let mut builder = http1::Builder::new();
    builder.max_buf_size(LONGEST_HEAD);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(|_| Unsent::Garbled)?;
    let response = pin!(sender.send_request(message));
    // The connection is closed with the head of the response: what else arrives is not read.
    let response = match select(response, pin!(connection)).await {
        Either::Left((response, _)) => response,
        // It was closed by the target, after the response or instead of one.
        Either::Right((_, response)) => response.await,
    };
    Ok(response.map_err(|_| Unsent::Garbled)?.status())
}
