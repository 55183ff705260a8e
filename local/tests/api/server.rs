//! The service over real sockets, and data that outlives the process.

use std::net::SocketAddr;
use std::path::Path;

use local::{Limits, Service, Settings, TEMPLATE};
use store::OrganizationRecord;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::support::{DASHBOARD, by_operator, time};

pub(crate) fn settings(data: Option<&Path>) -> Settings {
    let any_port: SocketAddr = ([127, 0, 0, 1], 0).into();
    Settings {
        gateway: any_port,
        names: Vec::new(),
        engine: any_port,
        data: data.map(Path::to_owned),
        table: "posture".to_owned(),
        dashboard: any_port,
        dashboard_url: Some(DASHBOARD.to_owned()),
        sign_in: None,
        template: TEMPLATE.to_owned(),
        limits: Limits::in_real_time(),
        tenants: Vec::new(),
    }
}

/// Returns the text of the response to a request on a new connection.
pub(crate) async fn ask(address: SocketAddr, request: &str) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    connection.read_to_string(&mut response).await.unwrap();
    response
}

#[tokio::test]
async fn the_service_responds_over_the_network_and_keeps_its_data_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("posture.db");
    let service = Service::start(settings(Some(&file))).await.unwrap();
    let record = OrganizationRecord {
        organization_id: "org_a".parse().unwrap(),
        name: "Organization A".to_owned(),
        usage_plan_key: "usage-plan-key".to_owned(),
        created_at: time("2026-01-01T00:00:00Z"),
    };
    service.app().store.as_operator().create_organization(&record).await.unwrap();
    let organization = service.app().store.organization(&record.organization_id);
    let created = by_operator(&organization, record.created_at).create_key(None).await.unwrap();
    let key = created.key.reveal();
    let request = format!(
        "GET /v1/tenants HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );

    for service in [service, Service::start(settings(Some(&file))).await.unwrap()] {
        let (address, (stop, stopped)) = (service.address(), oneshot::channel::<()>());
        let running = tokio::spawn(service.run(async { stopped.await.unwrap() }));
        let response = ask(address, &request).await;
        assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
        assert!(response.contains(r#"{"tenants":[],"totalTenants":0}"#), "{response}");
        let response = ask(address, "GET /v1/tenants HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        assert!(response.starts_with("HTTP/1.1 401 Unauthorized\r\n"), "{response}");
        let response = ask(address, "GET /docs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        assert!(response.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/html"), "{response}");
        assert!(response.contains("/docs/page.js") && !response.contains("https://"), "{response}");
        let response = ask(address, "GET /docs/page.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await;
        assert!(response.contains("/openapi.yaml") && !response.contains("https://"), "{response}");
        stop.send(()).unwrap();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_service_that_cannot_start_says_why() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let why = async |settings| Service::start(settings).await.err().unwrap().to_string();
    assert!(why(Settings { gateway: address, ..settings(None) }).await.contains(&address.to_string()));
    assert!(why(Settings { engine: address, ..settings(None) }).await.contains(&address.to_string()));
    assert!(why(Settings { template: "Resources: {}".to_owned(), ..settings(None) }).await.contains("lacks"));
    let folder = tempfile::tempdir().unwrap();
    assert!(why(settings(Some(folder.path()))).await.contains("cannot be opened"));
}
