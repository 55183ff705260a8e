//! Serving only on this machine.
//!
//! A listener on a loopback address is unreachable for other machines, but not for the web pages that the user visits:
//! a browser sends their requests from this machine. Therefore, [`serve`] runs every listener: it decides from a
//! request's headers whether it may pass, and limits the number of open connections.

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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::ServiceExt;

pub(crate) use self::guard::Visitors;

/// Time to wait after a connection could not be accepted, for example because the process has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Limits of a listener. Clients beyond them wait until a connection ends: an idle one after the time-out, a busy one
/// with its response.
struct Limits {
    /// Maximum number of open connections.
    connections: usize,
    /// Time in which a client must send the complete head of a request, from the start of the connection or from the
    /// end of the last response.
    head: Duration,
}

/// Together, the listeners of the service stay below the usual limit of 1,024 descriptors.
const LIMITS: Limits = Limits { connections: 300, head: Duration::from_secs(5) };

/// Serves requests until `shutdown` completes, then lets running ones finish.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    visitors: Visitors,
    shutdown: impl Future<Output = ()> + Send,
) {
    serve_within(LIMITS, listener, router, visitors, shutdown).await;
}

async fn serve_within(
    limits: Limits,
    listener: TcpListener,
    router: Router,
    visitors: Visitors,
    shutdown: impl Future<Output = ()> + Send,
) {
    let mut shutdown = pin!(shutdown);
    let room = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(limits.head);
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &room) => accepted,
            () = &mut shutdown => break,
        };
        let router = router.clone();
        let room = room.clone();
        let service = service_fn(move |request| respond(router.clone(), visitors, room.clone(), request));
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async {
            // Clients may disconnect at any time.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Waits for a client, then for room.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> (TcpStream, OwnedSemaphorePermit) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let place = Arc::clone(room).acquire_owned().await.expect("the semaphore is never closed");
                // Without this option, small responses wait for the acknowledgement of earlier data.
                let _ = stream.set_nodelay(true);
                return (stream, place);
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Responds to a request. The response ends its connection if there is no room for others.
async fn respond(
    router: Router,
    visitors: Visitors,
    room: Arc<Semaphore>,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let mut response = match visitors.refusal(request.method(), request.uri(), request.headers()) {
        Some(refusal) => refusal,
        None => router.oneshot(request).await?,
    };
    if room.available_permits() == 0 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    use axum::routing::get;

    use super::*;

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /// Starts to serve. The clients of a test connect before it, because its runtime has a single thread.
    fn start(limits: Limits, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let router = Router::new().route("/", get(async || "ok"));
        tokio::spawn(serve_within(limits, listener, router, Visitors::Programs, std::future::pending()));
    }

    /// Returns everything that a connection receives until it ends.
    async fn received(mut connection: TcpStream) -> String {
        let read = tokio::task::spawn_blocking(move || {
            let mut text = String::new();
            connection.read_to_string(&mut text).map(|_| text)
        });
        read.await.unwrap().unwrap()
    }

    fn listener() -> (std::net::TcpListener, SocketAddr) {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[tokio::test]
    async fn every_client_gets_a_response_however_many_connections_are_idle_or_stay_open() {
        let (listener, address) = listener();
        let idle = [(); 5].map(|()| TcpStream::connect(address).unwrap());
        let asking = [(); 5].map(|()| {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(REQUEST).unwrap();
            client
        });
        start(Limits { connections: 2, head: Duration::from_millis(10) }, listener);
        for client in asking {
            let response = received(client).await;
            assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("ok"), "{response}");
        }
        for client in idle {
            assert_eq!(received(client).await, "");
        }
    }

    #[tokio::test]
    async fn a_response_ends_its_connection_only_if_there_is_no_room_for_others() {
        for (connections, ends) in [(1, true), (2, false)] {
            let (listener, address) = listener();
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(REQUEST).unwrap();
            start(Limits { connections, head: Duration::from_millis(10) }, listener);
            assert_eq!(received(client).await.contains("\r\nconnection: close\r\n"), ends);
        }
    }
}
