//! Stand-ins for the way to Microsoft Graph, and for its tokens, that count, wait or fail.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{AccessToken, Body, Broken, TokenError, Tokens, Transport};
use lambda_http::http::{Request, Response};
use local::stand_in::StandIn;
use model::ProviderTenantId;
use tokio::sync::Semaphore;

/// Counts the requests that are under way at once.
pub(super) struct Counted {
    pub(super) inner: Arc<StandIn>,
    pub(super) now: AtomicUsize,
    pub(super) most: AtomicUsize,
}

impl Transport for Counted {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>> {
        async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            let response = self.inner.send(request).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            response
        }
        .boxed()
    }
}

/// Lets requests pass while it has permits.
pub(super) struct Gate {
    pub(super) inner: Arc<StandIn>,
    pub(super) open: Semaphore,
}

impl Transport for Gate {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Body>, Broken>> {
        async move {
            match self.open.acquire().await {
                Ok(permit) => permit.forget(),
                Err(_) => pending().await,
            }
            self.inner.send(request).await
        }
        .boxed()
    }
}

/// Issues no tokens.
pub(super) struct NoTokens(pub(super) AtomicUsize);

impl Tokens for NoTokens {
    fn token<'a>(
        &'a self,
        _: &'a ProviderTenantId,
        _: Option<AccessToken>,
    ) -> BoxFuture<'a, Result<AccessToken, TokenError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        async { Err(TokenError::Unavailable("status 500".to_owned())) }.boxed()
    }
}
