//! A web page that the user visits can reach nothing of the service.

use std::net::SocketAddr;

use aws_sdk_dynamodb::types::AttributeValue;
use local::{Service, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::settings;

/// Returns the status of the response to a request, and the complete response.
async fn ask(address: SocketAddr, head: &str, body: &str) -> (u16, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let request = format!("{head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
    // A refusal may come before the whole body is sent.
    let _ = connection.write_all(request.as_bytes()).await;
    let mut response = String::new();
    connection.read_to_string(&mut response).await.unwrap();
    (response.split(' ').nth(1).unwrap().parse().unwrap(), response)
}

struct Running {
    api: SocketAddr,
    engine: SocketAddr,
}

async fn running(settings: Settings) -> Running {
    let service = Service::start(settings).await.unwrap();
    let (api, engine) = (service.address(), service.engine_address());
    tokio::spawn(service.run(std::future::pending()));
    Running { api, engine }
}

/// Returns a request that plants an item, as a page would send it to the engine.
fn planting(host: &str, origin: &str) -> (String, String) {
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/x-amz-json-1.0\r\n\
         X-Amz-Target: DynamoDB_20120810.PutItem\r\n\
         Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=a\r\n\
         X-Amz-Date: 20260101T000000Z"
    );
    let body = r#"{"TableName":"posture","Item":{"pk":{"S":"KEY#planted"},"sk":{"S":"KEY"}}}"#;
    (head, body.to_owned())
}

#[tokio::test]
async fn a_page_of_another_origin_gets_no_response_from_any_port() {
    let Running { api, engine } = running(settings(None)).await;
    for (method, headers) in [
        ("GET", "Origin: https://elsewhere.example\r\nSec-Fetch-Site: cross-site"),
        ("GET", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image"),
        ("GET", "Origin: http://localhost:1\r\nSec-Fetch-Site: same-site"),
        ("POST", "Origin: https://elsewhere.example\r\nContent-Type: text/plain"),
        ("POST", "Origin: null\r\nContent-Type: text/plain"),
        (
            "OPTIONS",
            "Origin: https://elsewhere.example\r\nAccess-Control-Request-Method: POST\r\n\
             Access-Control-Request-Headers: authorization,x-amz-target",
        ),
    ] {
        for (address, paths) in [(api, &["/docs", "/openapi.json", "/v1/tenants", "/", "/x"][..]), (engine, &["/"])] {
            for path in paths {
                let (status, response) =
                    ask(address, &format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}"), "{}").await;
                assert_eq!(status, 403, "{method} {path} with {headers}: {response}");
                assert!(!response.to_lowercase().contains("access-control-"), "{response}");
            }
        }
    }
}

#[tokio::test]
async fn a_foreign_name_that_resolves_to_this_machine_gets_no_response_from_any_port() {
    let Running { api, engine } = running(settings(None)).await;
    for host in ["rebound.example", "rebound.example:9000", "127.0.0.1.rebound.example", "0.0.0.0", ""] {
        for address in [api, engine] {
            let (status, response) = ask(address, &format!("GET /docs HTTP/1.1\r\nHost: {host}"), "").await;
            assert_eq!(status, 421, "{host}: {response}");
        }
    }
}

#[tokio::test]
async fn a_browser_cannot_write_to_the_table_and_a_program_can() {
    let Running { engine, .. } = running(settings(None)).await;
    let client = local::Engine::client_at(engine).await;
    let planted = async || {
        let item = client.get_item().table_name("posture").key("pk", AttributeValue::S("KEY#planted".into()));
        let item = item.key("sk", AttributeValue::S("KEY".into())).consistent_read(true).send().await.unwrap();
        item.item.is_some()
    };
    let own = format!("Origin: http://{engine}\r\nSec-Fetch-Site: same-origin\r\n");
    for (host, origin) in [
        (engine.to_string(), "Origin: https://elsewhere.example\r\n"),
        (engine.to_string(), "Sec-Fetch-Site: none\r\n"),
        (engine.to_string(), &own),
        ("rebound.example".to_owned(), ""),
    ] {
        let (head, body) = planting(&host, origin);
        let (status, response) = ask(engine, &head, &body).await;
        assert!(matches!(status, 403 | 421), "{response}");
        assert!(!planted().await, "{host} {origin}");
    }
    let (head, body) = planting(&engine.to_string(), "");
    assert_eq!(ask(engine, &head, &body).await.0, 200);
    assert!(planted().await);
}

#[tokio::test]
async fn the_services_own_page_works_and_names_the_address_it_was_asked_at() {
    let Running { api, .. } = running(settings(None)).await;
    let own = format!("Host: {api}\r\nOrigin: http://{api}\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors");
    for path in [
        "/docs",
        "/docs/page.css",
        "/docs/page.js",
        "/docs/ui/swagger-ui.css",
        "/docs/ui/swagger-ui-bundle.js",
        "/openapi.yaml",
        "/openapi.json",
    ] {
        let (status, response) = ask(api, &format!("GET {path} HTTP/1.1\r\n{own}"), "").await;
        assert_eq!(status, 200, "{path}");
        assert_eq!(response.contains(&format!("http://{api}")), path.starts_with("/openapi"), "{path}");
        assert_is_restricted(&response);
    }
    let (status, _) = ask(api, &format!("GET /v1/tenants HTTP/1.1\r\n{own}"), "").await;
    assert_eq!(status, 401, "the page may ask, and needs a key");
    let link = format!(
        "GET /docs?x=alert(1)//x HTTP/1.1\r\nHost: {api}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document"
    );
    let (status, response) = ask(api, &link, "").await;
    assert!(status == 200 && !response.contains("alert(1)"), "{response}");
}

#[tokio::test]
async fn the_local_issuer_is_restricted_like_the_dashboard() {
    let service = Service::start(settings(None)).await.unwrap();
    let host = service.dashboard_address().strip_prefix("http://").unwrap().to_owned();
    let address = host.replace("localhost", "127.0.0.1").parse().unwrap();
    tokio::spawn(service.run(std::future::pending()));
    for path in ["/sign-in", "/local-issuer/authorize", "/local-issuer/keys"] {
        let (_, response) = ask(address, &format!("GET {path} HTTP/1.1\r\nHost: {host}"), "").await;
        assert_is_restricted(&response);
    }
}

fn assert_is_restricted(response: &str) {
    for header in [
        "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'; ",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
        "referrer-policy: same-origin",
    ] {
        assert!(response.contains(&format!("\r\n{header}")), "{header} is missing: {response:.800}");
    }
}

#[tokio::test]
async fn idle_connections_make_room_for_new_ones() {
    let Running { api, engine } = running(settings(None)).await;
    let crowded = async |address| {
        let mut idle = Vec::new();
        for _ in 0..450 {
            idle.push(TcpStream::connect(address).await.unwrap());
        }
        let (status, _) = ask(address, "GET /x HTTP/1.1\r\nHost: localhost", "").await;
        assert!(matches!(status, 404 | 501), "{status}");
        let mut first = idle.swap_remove(0);
        let mut response = String::new();
        first.read_to_string(&mut response).await.unwrap();
        assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
    };
    tokio::join!(crowded(api), crowded(engine));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_the_data() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (new, old) = (folder.path().join("new.db"), folder.path().join("old.db"));
    fs::write(&old, []).unwrap();
    fs::set_permissions(&old, Permissions::from_mode(0o644)).unwrap();
    for file in [&new, &old] {
        let _running = running(settings(Some(file))).await;
    }
    for file in fs::read_dir(folder.path()).unwrap() {
        let (path, mode) = file.map(|file| (file.path(), file.metadata().unwrap().permissions().mode())).unwrap();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}
