//! Serving only on this machine.
//!
//! A listener on a loopback address is unreachable for other machines, but not for the web pages that the user visits:
//! a browser sends their requests from this machine. Therefore, [`serve`] runs every listener: it decides from a
//! request's headers whether it may pass, and limits the number of open connections.

mod connections;
mod guard;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::yield_now;
use tower::ServiceExt;

use self::connections::{Busy, Connections, Place};
pub(crate) use self::guard::Visitors;

/// Time in which a client must send the complete head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Time to wait after a connection could not be accepted, for example because the process has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves requests until `shutdown` completes, then lets running ones finish.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    visitors: Visitors,
    shutdown: impl Future<Output = ()> + Send,
) {
    let mut shutdown = pin!(shutdown);
    let connections = Arc::new(Connections::default());
    let graceful = GracefulShutdown::new();
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &connections) => accepted,
            () = &mut shutdown => break,
        };
        let (stream, place) = accepted;
        let (router, entered) = (router.clone(), place.clone());
        let service = service_fn(move |request| answer(router.clone(), visitors, entered.busy(), request));
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(until_asked(connection, place));
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Waits for room, then for a client.
async fn accept(listener: &TcpListener, connections: &Arc<Connections>) -> (TcpStream, Place) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.room().await;
                // Without this option, small responses wait for the acknowledgement of earlier data.
                let _ = stream.set_nodelay(true);
                return (stream, connections.enter());
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Serves a connection until it ends, or is asked to leave and has no request.
async fn until_asked(connection: impl Future, place: Place) {
    let mut connection = pin!(connection);
    loop {
        tokio::select! {
            // Clients may disconnect at any time.
            _ = &mut connection => return,
            () = place.asked() => {}
        }
        // On a busy machine, a request may have arrived that was not read yet. Yielding reads what has arrived.
        tokio::select! {
            biased;
            _ = &mut connection => return,
            () = yield_now() => {}
        }
        if !place.is_busy() {
            return;
        }
    }
}

async fn answer(
    router: Router,
    visitors: Visitors,
    busy: Busy,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let mut response = match visitors.refusal(request.method(), request.uri(), request.headers()) {
        Some(refusal) => refusal,
        None => router.oneshot(request).await?,
    };
    if busy.is_last() {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response.map(|body| busy.until_end_of(body)))
}
