//! Tests the built function's connections to the platform, with an emulated Runtime API that serves one function.
//!
//! All endpoints share the code that is tested here: `api::runtime::run_endpoint`.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use rustix::io::Errno;
use rustix::net::{getsockname, sockopt};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

const EVENT: &str = include_str!("../../../events/tenants/gzip.json");
const NEXT: &str = "GET /2018-06-01/runtime/invocation/next ";
const RESPONSE: &str = "POST /2018-06-01/runtime/invocation/first/response ";
const ERROR: &str = "POST /2018-06-01/runtime/invocation/first/error ";

/// Without an organization, the function responds by itself and needs no table.
fn event() -> String {
    EVENT.replace("\"authorizer\"", "\"nobody\"")
}

#[test]
fn streamed_responses_are_sent_at_once_even_after_a_reconnection() {
    let (platform, function) = start();
    let mut polling = Connection::accept(&platform);
    for _ in 0..3 {
        polling.expect(NEXT);
        polling.respond("200 OK", &event());
        // Each response uses a new connection, because the emulated API closes the previous one.
        let mut responding = Connection::accept(&platform);
        let request = responding.expect(RESPONSE);
        assert!(request.contains("\r\nlambda-runtime-function-response-mode: streaming\r\n"), "{request}");
        assert!(request.contains(r#"{"statusCode":500,"#) && request.contains("INTERNAL_ERROR"), "{request}");
        assert!(request.contains("\r\n8\r\n\0\0\0\0\0\0\0\0\r\n"), "the separator is a separate chunk: {request}");
        let Some(nodelay) = nodelay(&function.0, responding.client) else { return };
        assert!(nodelay, "TCP_NODELAY is off");
        responding.respond("202 Accepted\r\nconnection: close", "");
    }
}

#[test]
fn an_event_that_is_not_a_request_is_reported_and_the_function_continues() {
    let (platform, _function) = start();
    let mut polling = Connection::accept(&platform);
    polling.expect(NEXT);
    polling.respond("200 OK", "[]");
    let request = polling.expect(ERROR);
    assert!(request.contains("the event is not a request of API Gateway"), "{request}");
    polling.respond("202 Accepted", "");
    polling.expect(NEXT);
}

/// The function's process, which ends when this value is dropped.
struct Function(Child);

impl Drop for Function {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn start() -> (TcpListener, Function) {
    let platform = TcpListener::bind("127.0.0.1:0").unwrap();
    let process = Command::new(env!("CARGO_BIN_EXE_tenants"))
        .env_clear()
        .env("AWS_LAMBDA_RUNTIME_API", platform.local_addr().unwrap().to_string())
        .env("AWS_LAMBDA_FUNCTION_NAME", "tenants")
        .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512")
        .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
        .env("AWS_REGION", "local")
        .env("TABLE_NAME", "none")
        .env("DASHBOARD_URL", "https://dashboard.example.com")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    (platform, Function(process))
}

/// A connection from the function to the emulated API.
struct Connection {
    stream: BufReader<TcpStream>,
    client: SocketAddr,
}

impl Connection {
    fn accept(platform: &TcpListener) -> Self {
        let (stream, client) = platform.accept().unwrap();
        Self { stream: BufReader::new(stream), client }
    }

    /// Reads a complete request: the expected one, with its body.
    fn expect(&mut self, start: &str) -> String {
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            assert_ne!(self.stream.read_line(&mut request).unwrap(), 0, "the function hung up after {request:?}");
        }
        assert!(request.starts_with(start), "{request}");
        if request.contains("transfer-encoding: chunked") {
            while !request.ends_with("\r\n0\r\n\r\n") {
                assert_ne!(self.stream.read_line(&mut request).unwrap(), 0, "the function hung up after {request:?}");
            }
        } else if let Some((_, length)) = request.split_once("content-length: ") {
            let mut body = vec![0; length.split_once("\r\n").unwrap().0.parse().unwrap()];
            self.stream.read_exact(&mut body).unwrap();
            request.push_str(&String::from_utf8(body).unwrap());
        }
        request
    }

    fn respond(&mut self, status: &str, body: &str) {
        let ids = "lambda-runtime-aws-request-id: first\r\nlambda-runtime-deadline-ms: 4102444800000";
        let length = body.len();
        let response = format!("HTTP/1.1 {status}\r\n{ids}\r\ncontent-length: {length}\r\n\r\n{body}");
        self.stream.get_mut().write_all(response.as_bytes()).unwrap();
    }
}

/// Returns whether the option is set on the socket that a process has bound to an address, or `None` if the system does
/// not let a process inspect another's sockets.
fn nodelay(process: &Child, address: SocketAddr) -> Option<bool> {
    let handle = pidfd_open(Pid::from_child(process), PidfdFlags::empty()).unwrap();
    for entry in fs::read_dir(format!("/proc/{}/fd", process.id())).unwrap() {
        let descriptor = entry.unwrap().file_name().to_str().unwrap().parse().unwrap();
        match pidfd_getfd(&handle, descriptor, PidfdGetfdFlags::empty()) {
            Ok(socket) if getsockname(&socket).is_ok_and(|name| SocketAddr::try_from(name) == Ok(address)) => {
                return Some(sockopt::tcp_nodelay(&socket).unwrap());
            }
            Err(Errno::PERM | Errno::NOSYS) => {
                eprintln!("skipped: this system does not let a test read the socket of another process");
                return None;
            }
            // Another file, or one that was closed meanwhile.
            _ => {}
        }
    }
    panic!("the function has no socket at {address}");
}
