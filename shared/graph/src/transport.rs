//! How requests leave the process. Behind a trait, so a stand-in can be called without sockets.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::{Request, Response};

/// A connection that could not be opened, or broke off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no connection: {0}")]
pub struct Broken(pub String);

/// The body of a response, which arrives in pieces.
pub type Body = UnsyncBoxBody<Bytes, Broken>;

/// Sends requests. Never follows a redirect.
pub trait Transport: Send + Sync {
    /// Sends a request, and returns once the head of the response has arrived.
    ///
    /// # Errors
    /// If no response begins: no connection, or one that ends early.
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>>;
}
