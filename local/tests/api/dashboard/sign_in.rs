//! Signing in through the local issuer, over the network, by the code that is deployed.

use std::net::SocketAddr;

use local::{LOCAL_IDENTITIES, PEOPLE, Service};
use model::{IdentityHash, Role};
use store::{OrganizationRecord, Person};
use tokio::sync::oneshot;

use crate::server;
use crate::support::{by_operator, time};

/// A browser, as far as it matters here: it keeps cookies and follows nothing.
#[derive(Default)]
struct Browser {
    cookies: Vec<(String, String)>,
    /// The headers that set them.
    set: Vec<String>,
}

struct Page {
    status: u16,
    location: String,
    text: String,
}

impl Browser {
    async fn ask(&mut self, method: &str, address: &str, form: &str) -> Page {
        let rest = address.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        let port: u16 = host.rsplit_once(':').unwrap().1.parse().unwrap();
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = format!(
            "{method} /{path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\ncookie: {}\r\nconnection: close\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            cookies.join("; "),
            form.len()
        );
        let response = server::ask(SocketAddr::from(([127, 0, 0, 1], port)), &request).await;
        let (head, text) = response.split_once("\r\n\r\n").unwrap();
        let header = |wanted: &'static str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.filter(move |(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.to_owned())
        };
        for cookie in header("set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.set.push(cookie.clone());
            self.cookies.retain(|(known, _)| known != name);
            if !value.is_empty() {
                self.cookies.push((name.to_owned(), value.to_owned()));
            }
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Page { status, location: header("location").next().unwrap_or_default(), text: text.to_owned() }
    }

    /// Signs in as the first of the local people, and returns where that leads.
    async fn sign_in(&mut self, start: &str) -> Page {
        let left = self.ask("GET", start, "").await;
        assert_eq!(left.status, 303, "{}", left.text);
        let (issuer, query) = left.location.split_once('?').unwrap();
        let form = format!("{query}&person={}", PEOPLE[0].subject);
        let chosen = self.ask("POST", issuer, &form).await;
        assert_eq!(chosen.status, 303, "{}", chosen.text);
        self.ask("GET", &chosen.location, "").await
    }
}

#[tokio::test]
async fn a_member_signs_in_and_returns_to_the_page_that_was_asked_for() {
    let service = Service::start(server::settings(None)).await.unwrap();
    let (address, store) = (service.dashboard_address().to_owned(), service.app().store.clone());
    let id = "org_1".parse().unwrap();
    let at = time("2026-01-01T00:00:00Z");
    let record = OrganizationRecord {
        organization_id: id,
        name: "One".to_owned(),
        usage_plan_key: "usage-plan-key".to_owned(),
        created_at: at,
    };
    store.as_operator().create_organization(&record).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(service.run(async {
        let _ = stopped.await;
    }));
    let mut browser = Browser::default();

    let stranger = browser.sign_in(&format!("{address}/sign-in/start")).await;
    assert_eq!(stranger.status, 403);

    let organization = store.organization(&record.organization_id);
    let now = chrono::Utc::now().try_into().unwrap();
    let (secret, _) = by_operator(&organization, now).invite(Role::Admin, None).await.unwrap();
    let identity = IdentityHash::of(LOCAL_IDENTITIES, PEOPLE[0].subject);
    let person = Person { identity, name: PEOPLE[0].name.to_owned(), email: None };
    store.accept_invitation(&secret, person, now).await.unwrap();
    let member = browser.sign_in(&format!("{address}/sign-in/start?to=%2Ftenants")).await;
    assert_eq!((member.status, &*member.location), (303, "/tenants"));
    // Without TLS, Safari stores no cookie that is `Secure`.
    let attributes = |cookie: &str| cookie.split_once("; ").unwrap().1.to_owned();
    assert!(browser.set[0].starts_with("posture-sign-in="), "{:?}", browser.set);
    assert_eq!(attributes(&browser.set[0]), "HttpOnly; SameSite=Lax; Path=/; Max-Age=600");
    let session = browser.set.iter().find(|cookie| cookie.starts_with("posture-session=")).unwrap();
    assert_eq!(attributes(session), "HttpOnly; SameSite=Lax; Path=/");
    let page = browser.ask("GET", &format!("{address}/tenants"), "").await;
    assert!(page.status == 200 && page.text.contains(PEOPLE[0].name), "{}", page.status);

    let elsewhere = address.replace("localhost", "127.0.0.1");
    let led = browser.ask("GET", &format!("{elsewhere}/tenants?q=1"), "").await;
    assert_eq!((led.status, led.location), (307, format!("{address}/tenants?q=1")));

    let out = browser.ask("POST", &format!("{address}/sign-out"), "").await;
    assert_eq!(out.status, 303);
    assert_eq!(browser.ask("GET", &format!("{address}/tenants"), "").await.status, 303);
    drop(stop);
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_return_without_a_sign_in_or_with_another_state_is_refused() {
    let service = Service::start(server::settings(None)).await.unwrap();
    let address = service.dashboard_address().to_owned();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(service.run(async {
        let _ = stopped.await;
    }));
    let mut browser = Browser::default();
    let callback = format!("{address}/sign-in/callback?code=1&state=1");
    assert_eq!(browser.ask("GET", &callback, "").await.status, 400);
    browser.ask("GET", &format!("{address}/sign-in/start"), "").await;
    assert_eq!(browser.ask("GET", &callback, "").await.status, 400);
    drop(stop);
    running.await.unwrap().unwrap();
}
