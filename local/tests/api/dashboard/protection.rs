//! What protects a session and an invitation: their ends, the attributes of cookies, and the headers of every response.

use axum::Router;
use chrono::{DateTime, TimeDelta, Utc};
use dashboard::routes::ROUTES;
use futures_util::future::join_all;
use model::{IdentityHash, Role};
use serde_json::json;
use store::{AuditAction, InvitationError, Person};
use web::route::Method;

use super::roles::{Walk, filled};
use super::tokens::World;
use super::{Received, dashboard_of, dashboard_over, join, now, send, send_from, sign_in};
use crate::support::{DASHBOARD, TestApp, by_operator, time};

/// Attributes of every cookie: for this host, over TLS, hidden from scripts, and not sent with forms of other sites.
const ATTRIBUTES: &str = "HttpOnly; SameSite=Lax; Secure; Path=/";

/// The headers of every response that name what a browser must not do with it.
const HEADERS: [(&str, &str); 7] = [
    ("cache-control", "no-store"),
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; form-action 'self' http://localhost:1 https://graph.example; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "same-origin"),
    ("strict-transport-security", "max-age=31536000"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

fn at(text: &str) -> DateTime<Utc> {
    time(text).to_datetime()
}

/// Returns the dashboard at another time. The clock of a test stands at noon on 15 July.
fn dashboard_at(app: &TestApp, clock: api::Clock) -> Router {
    dashboard_over(api::App { clock, ..app.app.clone() })
}

#[tokio::test]
async fn a_session_ends_an_hour_after_its_last_request_and_after_12_hours() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let cookie = sign_in(&app, &member).await;
    let status = async |clock| send(&dashboard_at(&app, clock), "GET", "/", Some(&cookie), "").await.status;
    assert_eq!(status(|| at("2026-07-15T12:59:59Z")).await, 200);
    assert_eq!(status(|| at("2026-07-15T13:59:59Z")).await, 303);

    let sessions = app.app.store.sessions(&member.organization_id);
    let secret = sessions.begin(member.member_id.clone(), now(&app)).await.unwrap();
    let is_open = async |at: DateTime<Utc>| {
        sessions.member(&secret, &member.member_id, at.try_into().unwrap()).await.unwrap().is_some()
    };
    let begun = app.items().await;
    assert!(is_open(at("2026-07-15T12:04:59Z")).await);
    assert_eq!(app.items().await, begun, "few requests write");
    for number in 1..=14 {
        assert!(is_open(at("2026-07-15T12:00:00Z") + TimeDelta::minutes(50 * number)).await, "{number}");
    }
    assert!(is_open(at("2026-07-15T23:59:59Z")).await);
    assert!(!is_open(at("2026-07-16T00:00:00Z")).await);
}

#[tokio::test]
async fn signing_out_everywhere_ends_the_sessions_of_one_person_in_every_organization() {
    let app = TestApp::new().await;
    let own = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let elsewhere = join(&app, &app.org_b.organization, Role::FullMember, "member").await;
    let other = join(&app, &app.org_a.organization, Role::FullMember, "other").await;
    let mut cookies = Vec::new();
    for membership in [&own, &own, &elsewhere, &other] {
        cookies.push(sign_in(&app, membership).await);
    }
    let router = dashboard_of(&app);
    let left = send(&router, "POST", "/sign-out/everywhere", Some(&cookies[0]), "").await;
    assert_eq!((left.status, left.location()), (303, "https://dashboard.example/signed-out"));
    let mut statuses = Vec::new();
    for cookie in &cookies {
        statuses.push(send(&router, "GET", "/", Some(cookie), "").await.status);
    }
    assert_eq!(statuses, [303, 303, 303, 200]);
    for (organization, ended) in [(&app.org_a, "2"), (&app.org_b, "1")] {
        let (trail, _) = organization.organization.audit_trail(None, 100, now(&app)).await.unwrap();
        let entry = trail.iter().find(|entry| entry.action == AuditAction::MemberSignedOutEverywhere).unwrap();
        assert_eq!((entry.author_name.as_str(), entry.changes[0].before.as_deref()), ("member", Some(ended)));
    }
}

#[tokio::test]
async fn an_invitation_ends_after_7_days() {
    let app = TestApp::new().await;
    let (organization, store) = (&app.org_a.organization, &app.app.store);
    let (secret, _) = by_operator(organization, now(&app)).invite(Role::FullMember, None).await.unwrap();
    let page = format!("/invitations/{}", secret.reveal());
    let status = async |clock| send(&dashboard_at(&app, clock), "GET", &page, None, "").await.status;
    assert_eq!(status(|| at("2026-07-22T11:59:59Z")).await, 200);
    assert_eq!(status(|| at("2026-07-22T12:00:00Z")).await, 410);

    let (last, end) = (time("2026-07-22T11:59:59Z"), time("2026-07-22T12:00:00Z"));
    assert_eq!(organization.invitations(last).await.unwrap().len(), 1);
    assert_eq!(organization.invitations(end).await.unwrap().len(), 0);
    let late = store.accept_invitation(&secret, person("invited"), end).await;
    assert!(matches!(late, Err(InvitationError::Ended)));
    store.accept_invitation(&secret, person("invited"), last).await.unwrap();
}

fn person(subject: &str) -> Person {
    let identity = IdentityHash::of("https://issuer.example", subject);
    Person { identity, name: subject.to_owned(), email: None }
}

#[tokio::test]
async fn an_invitation_makes_one_member_and_none_once_it_is_revoked() {
    let app = TestApp::new().await;
    let (organization, store) = (&app.org_a.organization, &app.app.store);
    let (used, _) = by_operator(organization, now(&app)).invite(Role::Admin, None).await.unwrap();
    store.accept_invitation(&used, person("first"), now(&app)).await.unwrap();
    let (revoked, record) = by_operator(organization, now(&app)).invite(Role::Admin, None).await.unwrap();
    by_operator(organization, now(&app)).revoke_invitation(&record.invitation_id).await.unwrap();
    for secret in [used, revoked] {
        assert!(store.invitation(&secret, now(&app)).await.unwrap().is_none());
        let again = store.accept_invitation(&secret, person("second"), now(&app)).await;
        assert!(matches!(again, Err(InvitationError::Ended)));
    }
    assert_eq!(organization.members().await.unwrap().len(), 1);

    let (shared, _) = by_operator(organization, now(&app)).invite(Role::Admin, None).await.unwrap();
    let accepted = ["third", "fourth"].map(|name| store.accept_invitation(&shared, person(name), now(&app)));
    let accepted = join_all(accepted).await;
    assert_eq!(accepted.iter().filter(|accepted| accepted.is_ok()).count(), 1, "of two at once, one is a member");
    assert_eq!(organization.members().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_person_without_an_invitation_is_no_member_whatever_the_issuer_claims() {
    let world = World::new().await;
    let key = &world.issuer.key;
    let as_admin = |subject: &'static str| {
        world.sign_in(move |header, mut claims| {
            let admin = json!({
                "sub": subject, "name": "Priya", "email": "priya@example.org", "email_verified": true,
                "role": "ADMIN", "roles": ["ADMIN"], "groups": ["ADMIN"], "cognito:groups": ["ADMIN"],
            });
            claims.as_object_mut().unwrap().extend(admin.as_object().unwrap().clone());
            key.sign(&header, &claims)
        })
    };
    let stranger = as_admin("stranger").await;
    assert_eq!(stranger.status, 403, "{}", stranger.text);
    assert!(attributes(&stranger).is_empty());

    let organization = &world.app.org_a.organization;
    let (secret, _) = by_operator(organization, now(&world.app)).invite(Role::FullMember, None).await.unwrap();
    let identity = IdentityHash::of(&world.issuer.address, "member");
    let member = Person { identity, ..person("member") };
    let member = world.app.app.store.accept_invitation(&secret, member, now(&world.app)).await.unwrap();
    assert_eq!(as_admin("member").await.status, 303);
    let member = organization.member(&member.member_id).await.unwrap().unwrap();
    assert_eq!(member.role, Role::FullMember, "a claim gives no other role");
}

#[tokio::test]
async fn the_table_stores_no_secret_of_a_session_or_an_invitation() {
    let app = TestApp::new().await;
    let organization = &app.org_a.organization;
    let member = join(&app, organization, Role::Admin, "member").await;
    let session = app.app.store.sessions(organization.id()).begin(member.member_id.clone(), now(&app)).await.unwrap();
    let (invitation, _) = by_operator(organization, now(&app)).invite(Role::Admin, None).await.unwrap();
    let items = format!("{:?}", app.items().await);
    for secret in [session, invitation] {
        assert!(items.contains(secret.hash().as_str()) && !items.contains(secret.reveal()));
    }
}

#[tokio::test]
async fn a_request_with_get_changes_nothing_but_the_audit_trail() {
    let walk = Walk::new().await;
    let items = async || {
        let mut items = walk.app.items().await;
        items.retain(|item| !item["sk"].as_s().unwrap().starts_with("AUDIT#"));
        items
    };
    let before = items().await;
    for route in ROUTES.iter().filter(|route| route.method == Method::Get) {
        let path = filled(&route.path.replace("{token}", "0").replace("{name}", "0"), &walk.own).unwrap();
        for cookie in [&walk.admin, &walk.member] {
            walk.ask(route, &path, Some(cookie)).await;
            assert_eq!(items().await, before, "{path}");
        }
    }
}

#[tokio::test]
async fn cookies_are_for_this_host_over_tls_and_hidden_from_scripts_and_other_sites() {
    let world = World::new().await;
    let begun = send(&world.router, "GET", "/sign-in/start", None, "").await;
    assert_eq!(attributes(&begun), [("__Host-posture-sign-in", format!("{ATTRIBUTES}; Max-Age=600"))]);
    let signed_in = world.sign_in(|header, claims| world.issuer.key.sign(&header, &claims)).await;
    let session = ("__Host-posture-session", ATTRIBUTES.to_owned());
    assert!(attributes(&signed_in).contains(&session), "{:?}", signed_in.headers);
    for (name, rest) in attributes(&signed_in).into_iter().filter(|cookie| *cookie != session) {
        assert_eq!(name, "__Host-posture-sign-in");
        assert!(rest.starts_with(ATTRIBUTES) && rest.contains("Max-Age=0"), "{rest}");
    }
}

/// Returns each cookie that a response sets: its name, and its attributes.
fn attributes(response: &Received) -> Vec<(&str, String)> {
    let cookies = response.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let parts = cookies.map(|cookie| {
        let (value, attributes) = cookie.split_once("; ").unwrap();
        (value.split_once('=').unwrap().0, attributes.to_owned())
    });
    parts.collect()
}

#[tokio::test]
async fn every_response_tells_browsers_what_they_must_not_do_with_it() {
    let app = TestApp::new().await;
    let member = join(&app, &app.org_a.organization, Role::FullMember, "member").await;
    let router = dashboard_of(&app);
    let cookie = sign_in(&app, &member).await;
    for (path, status) in [
        ("/", 200),
        ("/portfolio.csv", 200),
        ("/sign-in", 200),
        ("/organizations/unknown", 404),
        ("/settings/members", 403),
    ] {
        let response = send(&router, "GET", path, Some(&cookie), "").await;
        assert_eq!(response.status, status, "{path}");
        assert_protected(&response, path);
    }
    for (method, path, cookie, origin, status) in [
        ("GET", "/", None, DASHBOARD, 303),
        ("GET", "/nowhere", None, DASHBOARD, 404),
        ("DELETE", "/", Some(&*cookie), DASHBOARD, 405),
        ("POST", "/tenants", None, DASHBOARD, 401),
        ("POST", "/tenants", Some(&cookie), "https://evil.example", 403),
    ] {
        let response = send_from(&router, method, path, cookie, "", origin).await;
        let what = format!("{method} {path} from {origin}");
        assert_eq!(response.status, status, "{what}");
        assert_protected(&response, &what);
    }
}

fn assert_protected(response: &Received, what: &str) {
    for (name, value) in HEADERS {
        let values: Vec<_> = response.headers.get_all(name).iter().collect();
        assert_eq!(values, [value], "{what}: {name}");
    }
}
