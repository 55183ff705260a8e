//! Addresses that lead inside, and receivers that want to hold the service up.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use deliver::{Client, Network, Reach};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use local::Notifications;
use model::{EventRules, TargetUrl};
use operations::Queue;
use operations::notifications::test;
use store::{Delivery, DeliveryState};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::time::timeout;

use super::{API, NOW, add};
use crate::support::{DASHBOARD, TestApp, by_operator, time};

/// Hosts that lead inside, in every form that an address can have.
const INNER: [&str; 53] = [
    "127.0.0.1",
    "127.1",
    "127.255.255.254",
    "0.0.0.0",
    "0",
    "0x7f000001",
    "0x7f.1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "10.0.0.1",
    "10.255.255.255",
    "012.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.1",
    "0xc0a80001",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "169.254.170.2",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:7f00:1::]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[ff02::1]",
];

/// Names whose addresses are these.
const NAMES: [(&str, &[&str]); 6] = [
    ("inside.example", &["10.0.0.5"]),
    ("metadata.example", &["169.254.169.254"]),
    ("both.example", &["93.184.215.14", "127.0.0.1"]),
    ("both-forms.example", &["93.184.215.14", "fd00::1"]),
    ("mapped.example", &["::ffff:10.0.0.1"]),
    ("localhost", &["127.0.0.1", "::1"]),
];

/// Addresses that are no target's, however they are written.
const REFUSED: [&str; 7] = [
    "http://hooks.example/",
    "https://user@127.0.0.1/",
    "https://user:word@hooks.example/",
    "https://:word@hooks.example/",
    "ftp://10.0.0.1/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:25/",
];

/// The network, with names of its own. It connects to nobody, and keeps where it was asked to.
#[derive(Default)]
struct Watched {
    connected: Mutex<Vec<SocketAddr>>,
    /// Number of times that a name was resolved.
    resolved: Mutex<usize>,
}

impl Network for Watched {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        async move {
            *self.resolved.lock().unwrap() += 1;
            if host == "rebound.example" {
                // Public at first, inside from then on.
                let is_first = *self.resolved.lock().unwrap() == 1;
                let address = if is_first { "93.184.215.14" } else { "169.254.169.254" };
                return Ok(vec![SocketAddr::new(address.parse().unwrap(), port)]);
            }
            match NAMES.iter().find(|(name, _)| *name == host) {
                Some((_, addresses)) => {
                    Ok(addresses.iter().map(|it| SocketAddr::new(it.parse().unwrap(), port)).collect())
                }
                None => Ok(lookup_host((host, port)).await?.collect()),
            }
        }
        .boxed()
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.connected.lock().unwrap().push(address);
        async { Err(io::ErrorKind::ConnectionRefused.into()) }.boxed()
    }
}

/// Sends a test to an address, and returns what became of it.
async fn sent(app: &TestApp, client: Client, url: &str) -> Delivery {
    let organization = &app.org_a.organization;
    let url: TargetUrl = url.parse().unwrap();
    let id = add(organization, &url, EventRules::default()).await.target.target_id;
    let writer = by_operator(organization, time(NOW));
    test(&writer, &Queue::Table, &id, time(NOW)).await.unwrap();
    let mut notifications = Notifications::of(app.app.store.clone(), client, DASHBOARD, API);
    notifications.complete(time(NOW)).await.unwrap();
    let delivery = organization.deliveries(&id, 1, time(NOW)).await.unwrap().remove(0);
    writer.remove_target(&id).await.unwrap();
    delivery
}

#[tokio::test]
async fn no_address_leads_inside() {
    let app = TestApp::new().await;
    let watched = Arc::new(Watched::default());
    let client = Client::new(Arc::<Watched>::clone(&watched), Reach::Public).unwrap();
    let hosts = INNER.into_iter().chain(NAMES.map(|(name, _)| name)).map(|host| format!("https://{host}:8443/latest"));
    let here = ["http://127.0.0.1:9000/", "http://[::1]:9000/"].map(str::to_owned);
    let mut tried = 0;
    for url in hosts.chain(here) {
        let delivery = sent(&app, client.clone(), &url).await;
        let problem = delivery.problem.unwrap();
        assert!(problem.contains("not on the public internet") || problem.contains("no address"), "{url}: {problem}");
        assert_eq!((delivery.state, delivery.status), (DeliveryState::Waiting, None), "{url}");
        tried += 1;
    }
    assert!(watched.connected.lock().unwrap().is_empty());
    for url in REFUSED {
        assert!(url.parse::<TargetUrl>().is_err(), "{url}");
        tried += 1;
    }
    assert!(tried >= 60, "{tried}");
}

#[tokio::test]
async fn a_name_is_resolved_once_for_the_check_and_the_connection() {
    let app = TestApp::new().await;
    let watched = Arc::new(Watched::default());
    let client = Client::new(Arc::<Watched>::clone(&watched), Reach::Public).unwrap();
    let delivery = sent(&app, client, "https://rebound.example/").await;
    assert!(delivery.problem.unwrap().contains("no connection"));
    let public: SocketAddr = "93.184.215.14:443".parse().unwrap();
    assert_eq!((*watched.resolved.lock().unwrap(), &*watched.connected.lock().unwrap()), (1, &vec![public]));
}

/// Bytes that a receiver sends before it says no more, and whether it closes the connection then.
async fn receiver(response: Vec<u8>, closes: bool, endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let response = response.clone();
            tokio::spawn(async move {
                let mut request = [0; 8192];
                let _ = stream.read(&mut request).await;
                loop {
                    if stream.write_all(&response).await.is_err() {
                        return;
                    }
                    if !endless {
                        break;
                    }
                }
                if !closes {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    url
}

#[tokio::test]
async fn a_response_is_bounded_and_its_body_is_not_read() {
    let app = TestApp::new().await;
    let client = || Client::new(Arc::new(deliver::Internet), Reach::AndThisMachine).unwrap();
    let head = |more: &str| format!("HTTP/1.1 200 OK\r\n{more}\r\n").into_bytes();
    let chunk =
        [head("transfer-encoding: chunked\r\n"), b"10000\r\n".to_vec(), vec![b'x'; 0x10000], b"\r\n".to_vec()].concat();
    // Ten gigabytes of zeros, said to be compressed.
    let bomb = [head("content-encoding: gzip\r\ncontent-length: 10000000\r\n"), vec![0x1f, 0x8b, 8, 0]].concat();
    for (name, response, closes, endless) in [
        ("endless body", chunk, false, true),
        ("gzip bomb", bomb, false, false),
        ("body that never comes", head("content-length: 10\r\n"), false, false),
        ("body that breaks off", head("content-length: 10\r\n"), true, false),
    ] {
        let delivery = sent(&app, client(), &receiver(response, closes, endless).await).await;
        assert_eq!(
            (delivery.state, delivery.status),
            (DeliveryState::Delivered, Some(200)),
            "{name}: {:?}",
            delivery.problem
        );
    }
    let line = [b"x-more: ".to_vec(), vec![b'y'; 4096], b"\r\n".to_vec()].concat();
    for (name, response, closes, endless) in [
        ("huge head", [b"HTTP/1.1 200 OK\r\n".to_vec(), line.repeat(40)].concat(), false, false),
        ("endless garbage", b"\x16\x03\x01 no HTTP \r\n".repeat(100), false, true),
        ("nothing", Vec::new(), true, false),
    ] {
        let delivery = sent(&app, client(), &receiver(response, closes, endless).await).await;
        let problem = delivery.problem.unwrap();
        assert!(
            delivery.state == DeliveryState::Waiting && problem.contains("did not respond as HTTP/1.1"),
            "{name}: {problem}"
        );
    }
}

#[tokio::test]
async fn a_receiver_that_does_not_respond_is_left_after_a_time() {
    let app = TestApp::new().await;
    let url = receiver(b"HTTP/1.1 2".to_vec(), false, false).await;
    let client = Client::new(Arc::new(deliver::Internet), Reach::AndThisMachine).unwrap();
    let organization = &app.org_a.organization;
    let id = add(organization, &url.parse().unwrap(), EventRules::default()).await.target.target_id;
    test(&by_operator(organization, time(NOW)), &Queue::Table, &id, time(NOW)).await.unwrap();
    let mut notifications = Notifications::of(app.app.store.clone(), client, DASHBOARD, API);
    // From here on, time passes while everybody waits.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    timeout(Duration::from_secs(60), notifications.complete(time(NOW))).await.expect("it is left").unwrap();
    assert!(began.elapsed().as_secs() >= 15);
    let delivery = organization.deliveries(&id, 1, time(NOW)).await.unwrap().remove(0);
    assert!(delivery.problem.unwrap().contains("did not respond within 15 seconds"));
}
