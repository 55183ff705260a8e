//! The network.

use std::error::Error;
use std::io;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::transport::{Body, Broken, Transport};

/// A client that trusts the certificates that the system trusts.
pub struct Https(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Https {
    /// Returns a client without connections.
    ///
    /// # Errors
    /// If the system's certificates cannot be read.
    pub fn new() -> io::Result<Self> {
        // Without TLS only to this machine, where a stand-in listens: `Hosts` refuses other addresses.
        let connector = HttpsConnectorBuilder::new().with_native_roots()?.https_or_http().enable_http1().build();
        Ok(Self(Client::builder(TokioExecutor::new()).build(connector)))
    }
}

impl Transport for Https {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>> {
        let response = self.0.request(request.map(Full::new));
        async move {
            let response = response.await.map_err(|error| broken(&error))?;
            Ok(response.map(|body| body.map_err(|error| broken(&error)).boxed_unsync()))
        }
        .boxed()
    }
}

/// Returns an error with its innermost cause, which says more than the others.
fn broken(error: &dyn Error) -> Broken {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    Broken(cause.to_string())
}
