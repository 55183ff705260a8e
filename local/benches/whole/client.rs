//! A client of the gateway that records when the bytes arrive, and can be slow.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::body::Body;
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use lambda_http::http::{Request, StatusCode, header};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::BoxError;

/// Receive buffer of a client in bytes: small, so that the server notices a slow client.
const RECEIVE_BUFFER: u32 = 64 * 1024;

/// The speed at which a client reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pace {
    /// As fast as it can.
    Full,
    /// At most this number of bytes per second.
    BytesPerSecond(u32),
}

/// Content coding that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Identity,
}

/// A complete response with its times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Received {
    /// From the request to the first bytes of the body.
    pub(crate) first: Duration,
    /// From the request to the last.
    pub(crate) total: Duration,
    /// Length of the body.
    pub(crate) bytes: u64,
}

/// A client with a key.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) gateway: SocketAddr,
    pub(crate) key: String,
}

impl Client {
    /// Returns the response to a `GET` on a new connection, which is established before the measurement begins.
    pub(crate) async fn get(&self, path: &str, coding: Coding, pace: Pace) -> Result<Received, BoxError> {
        let (mut sender, connection) = http1::handshake(TokioIo::new(self.connect().await?)).await?;
        tokio::spawn(connection);
        let request = Request::get(path)
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.key))
            .header(header::ACCEPT_ENCODING, if coding == Coding::Gzip { "gzip" } else { "identity" });
        let start = Instant::now();
        let mut response = sender.send_request(request.body(Body::empty())?).await?;
        if response.status() != StatusCode::OK {
            return Err(format!("{path} responded with {}", response.status()).into());
        }
        let mut first = None;
        let mut bytes = 0;
        while let Some(frame) = response.body_mut().frame().await {
            bytes += frame?.data_ref().map_or(0, |data| data.len() as u64);
            first.get_or_insert_with(|| start.elapsed());
            pace.wait(start, bytes).await;
        }
        Ok(Received { first: first.ok_or("an empty body")?, total: start.elapsed(), bytes })
    }

    async fn connect(&self) -> Result<TcpStream, BoxError> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
        Ok(socket.connect(self.gateway).await?)
    }
}

impl Pace {
    /// Waits until that many bytes may have been read.
    async fn wait(self, start: Instant, bytes: u64) {
        if let Self::BytesPerSecond(rate) = self {
            let due = start + Duration::from_secs_f64(bytes as f64 / f64::from(rate));
            tokio::time::sleep_until(due.into()).await;
        }
    }
}
