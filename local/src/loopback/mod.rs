//! Serving only on this machine.
//!
//! A listener on a loopback address is unreachable for other machines, but not for the web pages that the user visits:
//! a browser sends their requests from this machine. Therefore, [`serve`] runs every listener: it decides from a
//! request's headers whether it may pass, limits the number of open connections, and reads the body before the service
//! works on the request.

mod guard;
mod refusal;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tower::ServiceExt;

pub(crate) use self::guard::Visitors;
use self::refusal::Refusal;

/// Time to wait after a connection could not be accepted, for example because the process has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Number of clients that the operating system lets wait before they are accepted. Further ones try again.
const WAITING: u32 = 1024;
/// Maximum size of a body in bytes, as in DynamoDB.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// Limits of a listener. Clients beyond them wait until a connection ends: an idle one after the time-out, a busy one
/// with its response.
#[derive(Clone, Copy)]
struct Limits {
    /// Maximum number of open connections.
    connections: usize,
    /// Time in which a client must send the complete head of a request, from the start of the connection or from the
    /// end of the last response.
    head: Duration,
    /// Time in which a client must send the body.
    body: Duration,
    /// Time for a client to notice that its request is refused before all of it was read. The system would reset the
    /// connection, and might discard the response.
    farewell: Duration,
}

/// Together, the listeners of the service stay below the usual limit of 1,024 descriptors.
const LIMITS: Limits = Limits {
    connections: 300,
    head: Duration::from_secs(5),
    body: Duration::from_secs(30),
    farewell: Duration::from_secs(2),
};

/// Listens on an address.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // As `TcpListener::bind` does: a restarted service can use its port at once.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(WAITING)
}

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
    let door = Arc::new(Door { limits, router, visitors, room });
    let (stop, stopping) = watch::channel(());
    loop {
        let (mut stream, place) = tokio::select! {
            accepted = accept(&listener, &door.room) => accepted,
            () = &mut shutdown => break,
        };
        let (door, stopping) = (Arc::clone(&door), stopping.clone());
        tokio::spawn(async move {
            door.converse(&mut stream, stopping).await;
            drop((stream, place));
        });
    }
    drop((listener, stopping));
    let _ = stop.send(());
    stop.closed().await;
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

/// The service behind a listener, and who may use it.
struct Door {
    limits: Limits,
    router: Router,
    visitors: Visitors,
    room: Arc<Semaphore>,
}

/// The state of a connection.
#[derive(Default)]
struct Conversation {
    has_responded: AtomicBool,
    /// A request was refused before all of it was read.
    is_broken_off: AtomicBool,
}

impl Door {
    /// Responds to the requests of a client, who may disconnect at any time.
    async fn converse(&self, stream: &mut TcpStream, mut stopping: watch::Receiver<()>) {
        let conversation = Conversation::default();
        let served = {
            let service = service_fn(|request| self.respond(&conversation, request));
            let mut server = http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(self.limits.head);
            let mut connection = pin!(server.serve_connection(TokioIo::new(&mut *stream), service));
            tokio::select! {
                served = connection.as_mut() => served,
                _ = stopping.changed() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        };
        // Between two requests, a client would take a response for that to its next request.
        let was_slow = served.is_err_and(|error| error.is_timeout());
        if was_slow && !conversation.has_responded.load(Ordering::Relaxed) {
            let _ = stream.write_all(Refusal::Slow.sent().as_bytes()).await;
            conversation.is_broken_off.store(true, Ordering::Relaxed);
        }
        if conversation.is_broken_off.load(Ordering::Relaxed) {
            let _ = stream.shutdown().await;
            let _ = timeout(self.limits.farewell, copy(stream, &mut sink())).await;
        }
    }

    /// Responds to a request. The response ends its connection if there is no room for others.
    async fn respond(&self, conversation: &Conversation, request: Request<Incoming>) -> Result<Response, Infallible> {
        let mut response = match self.admitted(request).await {
            Ok(request) => self.router.clone().oneshot(request).await?,
            Err(refusal) => {
                conversation.is_broken_off.store(true, Ordering::Relaxed);
                refusal.response()
            }
        };
        conversation.has_responded.store(true, Ordering::Relaxed);
        if self.room.available_permits() == 0 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(response)
    }

    /// Returns a request with its whole body, if it may pass.
    async fn admitted(&self, request: Request<Incoming>) -> Result<Request, Refusal> {
        self.visitors.check(request.method(), request.uri(), request.headers())?;
        let (parts, body) = request.into_parts();
        let body = timeout(self.limits.body, to_bytes(Body::new(body), BODY_LIMIT)).await;
        // If the client broke off, it does not see the response.
        let body = body.map_err(|_| Refusal::Slow)?.map_err(|_| Refusal::TooLarge)?;
        Ok(Request::from_parts(parts, Body::from(body)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    use axum::extract::DefaultBodyLimit;
    use axum::routing::get;
    use futures_util::future::join_all;
    use tokio::io::AsyncReadExt;

    use super::*;

    const OF_TESTS: Limits = Limits {
        connections: 2,
        head: Duration::from_millis(10),
        body: Duration::from_millis(10),
        farewell: Duration::from_millis(10),
    };
    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /// Starts to serve. The clients of a test connect before it, because its runtime has a single thread.
    fn start(limits: Limits, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let router = Router::new().route("/", get(async || "ok").post(async |body: String| body.len().to_string()));
        let router = router.layer(DefaultBodyLimit::disable());
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
        start(OF_TESTS, listener);
        for client in asking {
            let response = received(client).await;
            assert!(response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("ok"), "{response}");
        }
        for client in idle {
            let response = received(client).await;
            assert!(response.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{response}");
            assert!(response.contains("did not arrive in time"), "{response}");
        }
    }

    #[tokio::test]
    async fn a_thousand_clients_at_once_get_a_response() {
        allow_many_descriptors();
        let listener = listen(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let address = listener.local_addr().unwrap();
        start(LIMITS, listener.into_std().unwrap());
        let client = async || {
            let mut connection = tokio::net::TcpStream::connect(address).await.unwrap();
            connection.write_all(REQUEST).await.unwrap();
            let mut status = [0; 15];
            connection.read_exact(&mut status).await.unwrap();
            assert_eq!(&status, b"HTTP/1.1 200 OK");
        };
        join_all((0..1000).map(|_| client())).await;
    }

    /// Both ends of all connections are in this process, which may have 1,024 descriptors by default.
    fn allow_many_descriptors() {
        #[cfg(unix)]
        {
            use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

            let limit = getrlimit(Resource::Nofile);
            let current = limit.maximum.map(|maximum| maximum.min(4096)).or(Some(4096));
            if limit.current < current {
                setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_response_ends_its_connection_only_if_there_is_no_room_for_others() {
        for (connections, ends) in [(1, true), (2, false)] {
            let (listener, address) = listener();
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(REQUEST).unwrap();
            start(Limits { connections, ..OF_TESTS }, listener);
            assert_eq!(received(client).await.contains("\r\nconnection: close\r\n"), ends);
        }
    }
    #[tokio::test]
    async fn a_body_that_is_too_large_or_slow_gets_a_response() {
        let post = |length| format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n");
        for (length, sent, status) in [
            (BODY_LIMIT, BODY_LIMIT, "200 OK"),
            (BODY_LIMIT + 1, BODY_LIMIT + 1, "413 Payload Too Large"),
            (2, 1, "408 Request Timeout"),
        ] {
            let (listener, address) = listener();
            let body = if sent == length { Duration::from_secs(60) } else { OF_TESTS.body };
            start(Limits { body, farewell: Duration::from_secs(60), ..OF_TESTS }, listener);
            let request = [post(length).into_bytes(), vec![b'a'; sent]].concat();
            let response = tokio::task::spawn_blocking(move || {
                let mut client = TcpStream::connect(address).unwrap();
                client.write_all(&request).unwrap();
                let mut response = String::new();
                client.read_to_string(&mut response).unwrap();
                response
            });
            let response = response.await.unwrap();
            assert!(response.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{response}");
        }
    }
}
