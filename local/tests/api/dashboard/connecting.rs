//! Connecting a tenant: by an administrator of it, who proves to be one; and every answer of Microsoft that proves
//! nothing.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;
use chrono::Utc;
use dashboard::{Connector, Pages};
use graph::{Certificate, Clock, Credential, Registered, Transport};
use local::stand_in::{Consent, Person, Registration, StandIn, Tenant};
use model::{Role, ServiceTenantId};
use operations::Queues;
use store::{AuditAction, Connection, Membership};
use tracing::level_filters::LevelFilter;

use super::{Received, join, send, settings, sign_in};
use crate::night::Messages;
use crate::support::{DASHBOARD, Log, TestApp, add_tenant, later, provider_id, tenant};

const PEM: &str = include_str!("../../../../shared/graph/tests/collector/application.pem");
const CLIENT: &str = "11111111-2222-4333-8444-555555555555";
const PERMISSION: &str = "SharePointTenantSettings.Read.All";
/// The subject of the administrator's tokens.
const SUBJECT: &str = "7531085f-d012-5648-843b-af49892a5b17";
/// The words about an answer that is not awaited, or no longer.
const NOT_AWAITED: &str = "is not awaited";

/// Returns an application that the tenants of a stand-in know.
pub(super) fn connector(stand_in: &Arc<StandIn>) -> Connector {
    let transport: Arc<dyn Transport> = Arc::<StandIn>::clone(stand_in);
    let credential = Credential::Key(Arc::new(Certificate::from_pem(PEM).unwrap()));
    let application =
        Registered { client_id: CLIENT.into(), home: None, credential, transport, hosts: stand_in.hosts() };
    Connector { application }
}

/// Returns a stand-in whose tenants have not consented.
pub(super) fn stand_in(tenants: &[ServiceTenantId]) -> Arc<StandIn> {
    let invented = |id: &ServiceTenantId| {
        let mut tenant = Tenant::new(provider_id(id).parse().unwrap(), "Harbour Dental", 5);
        tenant.consent = Consent::Missing;
        tenant
    };
    let registration = Registration::certified(CLIENT, &Certificate::from_pem(PEM).unwrap());
    let registration = Registration { redirect: format!("{DASHBOARD}/connections/callback"), ..registration };
    let tenants = tenants.iter().map(invented).collect();
    Arc::new(StandIn::new("https://graph.example", Clock::at(Utc::now()), tenants).with_registration(registration))
}

/// Two organizations that both have the tenant, of which the second has one more.
struct World {
    app: TestApp,
    stand_in: Arc<StandIn>,
    router: Router,
    admin: Membership,
    /// Session of the Admin.
    session: String,
    tenant: ServiceTenantId,
}

/// A visit to Microsoft: the cookies of the browser, and the address there.
struct Visit {
    cookies: String,
    target: String,
}

impl World {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let shared = &app.org_a.tenants[0];
        let stand_in = stand_in(&[shared.clone(), app.org_b.tenants[0].clone()]);
        let router = Pages::new(app.app.clone(), "https://api.example", settings());
        let router = router.with_connector(connector(&stand_in));
        let queues = Queues { requests: Messages::default().queue(), ..Queues::default() };
        let router = router.with_queues(queues).router();
        let admin = join(&app, &app.org_a.organization, Role::Admin, "admin").await;
        let session = sign_in(&app, &admin).await;
        Self { tenant: shared.clone(), stand_in, router, admin, session, app }
    }

    /// Lets the second organization have the same tenant. Returns its identifier and the session of its Admin.
    async fn another_organization(&self) -> (ServiceTenantId, String) {
        let id: ServiceTenantId = "ten_b_same".parse().unwrap();
        let mut same = tenant(&id, "The same tenant");
        same.provider_tenant_id = provider_id(&self.tenant).parse().unwrap();
        add_tenant(&self.app.org_b.writer(), &same).await.unwrap();
        let admin = join(&self.app, &self.app.org_b.organization, Role::Admin, "other").await;
        (id, sign_in(&self.app, &admin).await)
    }

    async fn open(&self, path: &str) -> Received {
        send(&self.router, "GET", path, Some(&self.session), "").await
    }

    async fn page(&self) -> String {
        self.open(&format!("/tenants/{}/connection", self.tenant)).await.text
    }

    async fn connection(&self) -> Option<Connection> {
        self.app.org_a.organization.connection(&self.tenant).await.unwrap()
    }

    /// Presses 'Connect'.
    async fn begin(&self, tenant: &ServiceTenantId, session: &str) -> Visit {
        let path = format!("/tenants/{tenant}/connection");
        let left = send(&self.router, "POST", &path, Some(session), "").await;
        assert_eq!(left.status, 303, "{}", left.text);
        Visit::of(&left, session)
    }

    /// Answers as somebody of the tenant. Returns the path that the browser is sent to.
    fn answer(&self, visit: &Visit, person: Person) -> String {
        let asked = self.stand_in.visit(&visit.target).unwrap_or_else(|| panic!("{}", visit.target));
        own(&self.stand_in.answer(&asked, person))
    }

    async fn come_back(&self, visit: &Visit, path: &str) -> Received {
        send(&self.router, "GET", path, Some(&visit.cookies), "").await
    }

    /// Consents, and arrives at the sign-in.
    async fn consent(&self, tenant: &ServiceTenantId, session: &str) -> Visit {
        let visit = self.begin(tenant, session).await;
        let back = self.answer(&visit, Person::Administrator);
        let arrived = self.come_back(&visit, &back).await;
        assert_eq!(arrived.status, 303, "{}", arrived.text);
        Visit::of(&arrived, session)
    }

    async fn connect(&self, tenant: &ServiceTenantId, session: &str) -> Received {
        let visit = self.consent(tenant, session).await;
        let back = self.answer(&visit, Person::Administrator);
        self.come_back(&visit, &back).await
    }

    /// Asserts that an answer connected nothing, and that its page says why.
    async fn assert_refused(&self, response: &Received, status: u16, said: &str) {
        assert_eq!(response.status, status, "{}", response.text);
        assert!(response.text.contains(said), "{}", response.text);
        assert_eq!(self.connection().await, None);
    }
}

impl Visit {
    fn of(left: &Received, session: &str) -> Self {
        let cookie = left.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap();
        assert!(cookie.starts_with("__Host-posture-connect="), "{cookie}");
        let target = left.location().strip_prefix("https://graph.example").unwrap().to_owned();
        Self { cookies: format!("{session}; {cookie}"), target }
    }
}

/// Returns the path of an address of the dashboard.
fn own(address: &str) -> String {
    address.strip_prefix(DASHBOARD).unwrap_or_else(|| panic!("{address}")).to_owned()
}

/// Replaces the value of a parameter in a path.
fn with(path: &str, name: &str, value: &str) -> String {
    let (path, query) = path.split_once('?').unwrap();
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key != name);
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).append_pair(name, value).finish();
    format!("{path}?{query}")
}

#[tokio::test]
async fn an_administrator_connects_a_tenant_and_nothing_about_them_is_kept() {
    let world = World::new().await;
    assert!(world.page().await.contains("Not connected"));
    let log = Log::capture(LevelFilter::TRACE);
    let response = world.connect(&world.tenant, &world.session).await;
    let logged = log.take();
    let address = format!("/tenants/{}/connection", world.tenant);
    assert_eq!((response.status, response.location()), (303, address.as_str()), "{}", response.text);
    let page = world.page().await;
    assert!(page.contains(">Connected<") && !page.contains("Missing"), "{page}");
    let connection = world.connection().await.unwrap();
    assert_eq!(connection.permissions.unwrap().len(), 17);
    let (trail, _) = world.app.org_a.organization.audit_trail(None, 10, later()).await.unwrap();
    let connected: Vec<_> = trail.iter().filter(|entry| entry.action == AuditAction::TenantConnected).collect();
    assert_eq!(connected.iter().map(|entry| &*entry.author_name).collect::<Vec<_>>(), ["admin"]);
    let stored = format!("{:?}", world.app.items().await);
    assert!(logged.contains("PutItem"), "the log is not captured");
    for text in ["The admin of", "admin@harbour-dental", SUBJECT, "eyJhbGciOi", "BEGIN"] {
        assert!(!logged.contains(text) && !stored.contains(text), "{text}");
    }
    assert!(!stored.contains("CONNECTING#"), "the attempt has ended");
}

#[tokio::test]
async fn an_answer_that_was_made_up_proves_nothing() {
    let world = World::new().await;
    // The tenant has consented, for somebody else.
    world.stand_in.set_consent(&provider_id(&world.tenant).parse().unwrap(), Consent::Given);
    let visit = world.begin(&world.tenant, &world.session).await;
    let good = world.answer(&visit, Person::Administrator);
    let nobody = world.open(&good).await;
    world.assert_refused(&nobody, 400, "No tenant is being connected in this browser").await;
    for state in ["", "0", &"0".repeat(64)] {
        let response = world.come_back(&visit, &with(&good, "state", state)).await;
        world.assert_refused(&response, 400, NOT_AWAITED).await;
    }
    for tenant in ["", "not-a-guid", &provider_id(&world.app.org_b.tenants[0])] {
        let response = world.come_back(&visit, &with(&good, "tenant", tenant)).await;
        world.assert_refused(&response, 403, "about another tenant").await;
    }
    // A code where a consent is awaited.
    let response = world.come_back(&visit, &with(&good, "code", "made-up")).await;
    world.assert_refused(&response, 400, NOT_AWAITED).await;
    // A code that Microsoft did not make, and one of another sign-in.
    for code in [None, Some(world.consent(&world.tenant, &world.session).await)] {
        let code = code.map(|other| value_of(&world.answer(&other, Person::Administrator), "code"));
        let visit = world.consent(&world.tenant, &world.session).await;
        let back = with(&world.answer(&visit, Person::Administrator), "code", code.as_deref().unwrap_or("made-up"));
        let response = world.come_back(&visit, &back).await;
        world.assert_refused(&response, 502, "AADSTS70008").await;
    }
}

#[tokio::test]
async fn an_answer_counts_once_and_for_15_minutes() {
    let world = World::new().await;
    let ended = world.begin(&world.tenant, &world.session).await;
    let visit = world.begin(&world.tenant, &world.session).await;
    let late = world.come_back(&ended, &world.answer(&ended, Person::Administrator)).await;
    world.assert_refused(&late, 400, NOT_AWAITED).await;
    let consented = world.answer(&visit, Person::Administrator);
    let next = Visit::of(&world.come_back(&visit, &consented).await, &world.session);
    world.assert_refused(&world.come_back(&visit, &consented).await, 400, NOT_AWAITED).await;
    // The address of the consent with the state of the sign-in.
    let mixed = with(&consented, "state", &value_of(&next.target, "state"));
    world.assert_refused(&world.come_back(&next, &mixed).await, 400, NOT_AWAITED).await;
    let signed_in = world.answer(&next, Person::Administrator);
    assert_eq!(world.come_back(&next, &signed_in).await.status, 303);
    assert!(world.app.org_a.writer().disconnect_tenant(&world.tenant).await.unwrap());
    world.assert_refused(&world.come_back(&next, &signed_in).await, 400, NOT_AWAITED).await;

    // Whoever comes late begins again, at either visit.
    for at_sign_in in [false, true] {
        let visit = match at_sign_in {
            false => world.begin(&world.tenant, &world.session).await,
            true => world.consent(&world.tenant, &world.session).await,
        };
        let back = world.answer(&visit, Person::Administrator);
        let attempts = world.app.items().await;
        let open = attempts.into_iter().find(|item| item["sk"].as_s().unwrap().starts_with("CONNECTING#"));
        let mut open = open.unwrap();
        let end: i64 = open["expiresAt"].as_n().unwrap().parse().unwrap();
        assert_eq!(end - super::now(&world.app).to_datetime().timestamp(), 15 * 60);
        open.insert("expiresAt".to_owned(), AttributeValue::N((end - 15 * 60).to_string()));
        world.app.put(open).await;
        world.assert_refused(&world.come_back(&visit, &back).await, 400, NOT_AWAITED).await;
    }
}

/// Returns a value in the query of an address.
fn value_of(target: &str, name: &str) -> String {
    let (_, query) = target.split_once('?').unwrap();
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).unwrap().1.into_owned()
}

#[tokio::test]
async fn an_attempt_is_of_one_session_of_one_person_in_one_organization() {
    let world = World::new().await;
    let colleague = join(&world.app, &world.app.org_a.organization, Role::Admin, "colleague").await;
    let member = join(&world.app, &world.app.org_a.organization, Role::FullMember, "member").await;
    let sessions = [
        (sign_in(&world.app, &world.admin).await, 400, NOT_AWAITED),
        (sign_in(&world.app, &colleague).await, 400, NOT_AWAITED),
        (sign_in(&world.app, &member).await, 403, "You may not do this"),
        (world.another_organization().await.1, 404, "Not found"),
    ];
    for (session, status, said) in sessions {
        for at_sign_in in [false, true] {
            let visit = match at_sign_in {
                false => world.begin(&world.tenant, &world.session).await,
                true => world.consent(&world.tenant, &world.session).await,
            };
            let back = world.answer(&visit, Person::Administrator);
            let cookies = visit.cookies.replace(&world.session, &session);
            let response = send(&world.router, "GET", &back, Some(&cookies), "").await;
            world.assert_refused(&response, status, said).await;
        }
    }
}

#[tokio::test]
async fn an_ordinary_member_of_a_tenant_that_consented_for_somebody_else_connects_nothing() {
    let world = World::new().await;
    let (same, other) = world.another_organization().await;
    assert_eq!(world.connect(&same, &other).await.status, 303);
    let visit = world.consent(&world.tenant, &world.session).await;
    let response = world.come_back(&visit, &world.answer(&visit, Person::Member)).await;
    world.assert_refused(&response, 403, "holds no role in the tenant that may approve").await;
}

#[tokio::test]
async fn an_administrator_of_another_tenant_connects_nothing_with_a_token_of_the_same_issuer() {
    let world = World::new().await;
    let visit = world.consent(&world.tenant, &world.session).await;
    let back = world.answer(&visit, Person::OfAnotherTenant);
    world.assert_refused(&world.come_back(&visit, &back).await, 403, "about another tenant").await;
}

#[tokio::test]
async fn what_is_declined_at_microsoft_connects_nothing() {
    let world = World::new().await;
    let visit = world.begin(&world.tenant, &world.session).await;
    let asked = world.stand_in.visit(&visit.target).unwrap();
    let declined = own(&world.stand_in.cancel(&asked));
    world.assert_refused(&world.come_back(&visit, &declined).await, 403, "declined at Microsoft (AADSTS65004)").await;
    let response = world.come_back(&visit, &world.answer(&visit, Person::Member)).await;
    world.assert_refused(&response, 403, "declined at Microsoft (AADSTS90094)").await;
    let visit = world.consent(&world.tenant, &world.session).await;
    let asked = world.stand_in.visit(&visit.target).unwrap();
    let declined = own(&world.stand_in.cancel(&asked));
    world.assert_refused(&world.come_back(&visit, &declined).await, 403, "declined at Microsoft (AADSTS65004)").await;
}

#[tokio::test]
async fn of_two_organizations_with_one_tenant_each_proves_it_and_neither_sees_the_other() {
    let world = World::new().await;
    let (same, other) = world.another_organization().await;
    assert_eq!(world.connect(&world.tenant, &world.session).await.status, 303);
    // The tenant has consented, but nobody has proved it to the other organization: not even that is told.
    let path = format!("/tenants/{same}/connection");
    let check = format!("{path}/check");
    assert_eq!(send(&world.router, "POST", &check, Some(&other), "").await.status, 303);
    let page = send(&world.router, "GET", &path, Some(&other), "").await.text;
    assert!(page.contains("Not connected") && !page.contains("Granted"), "{page}");
    let request =
        send(&world.router, "POST", &format!("/tenants/{same}/report-requests"), Some(&other), "form=f_1").await;
    assert_eq!((request.status, request.location()), (303, path.as_str()), "{}", request.text);
    assert_eq!(world.app.org_b.organization.report_requests(later()).await.unwrap(), []);

    assert_eq!(world.connect(&same, &other).await.status, 303);
    assert_eq!(send(&world.router, "POST", &format!("{path}/end"), Some(&other), "").await.status, 303);
    assert_eq!(world.app.org_b.organization.connection(&same).await.unwrap(), None);
    assert!(world.connection().await.unwrap().is_open());
    assert!(world.page().await.contains(">Connected<"));
    for organization in [&world.app.org_a.organization, &world.app.org_b.organization] {
        assert_eq!(organization.inspect().await.unwrap().discrepancies, []);
    }
}

#[tokio::test]
async fn a_missing_permission_a_withdrawn_consent_and_a_disabled_application_are_named() {
    let world = World::new().await;
    let provider = provider_id(&world.tenant).parse().unwrap();
    assert_eq!(world.connect(&world.tenant, &world.session).await.status, 303);
    let check = format!("/tenants/{}/connection/check", world.tenant);
    let after = async |consent, withheld: &[&str]| {
        world.stand_in.grant(&provider, consent, withheld.iter().map(|name| (*name).to_owned()));
        assert_eq!(send(&world.router, "POST", &check, Some(&world.session), "").await.status, 303);
        world.page().await
    };
    let page = after(Consent::Given, &[PERMISSION]).await;
    assert!(page.contains(&format!("1 permission missing: {PERMISSION}.")), "{page}");
    assert_eq!(page.matches("<b>Missing</b>").count(), 1, "{page}");
    let tenant = world.open(&format!("/tenants/{}", world.tenant)).await.text;
    assert!(tenant.contains("connected, 1 permission missing."), "{tenant}");
    for (consent, said) in [
        (Consent::Disabled, "has disabled the service&#39;s application"),
        (Consent::Missing, "has removed it. Connect the tenant again."),
    ] {
        let page = after(consent, &[]).await.replace("&apos;", "&#39;").replace("'s", "&#39;s");
        assert!(page.contains("the tenant does not let the service in") && page.contains(said), "{page}");
        assert!(world.connection().await.is_some(), "the proof stays");
    }
    let page = after(Consent::Given, &[]).await;
    assert!(page.contains(">Connected<") && !page.contains("missing"), "{page}");
}

#[tokio::test]
async fn a_full_member_sees_the_connection_and_cannot_change_it() {
    let world = World::new().await;
    assert_eq!(world.connect(&world.tenant, &world.session).await.status, 303);
    let member = join(&world.app, &world.app.org_a.organization, Role::FullMember, "member").await;
    let session = sign_in(&world.app, &member).await;
    let path = format!("/tenants/{}/connection", world.tenant);
    let page = send(&world.router, "GET", &path, Some(&session), "").await.text;
    assert!(page.contains(">Connected<") && page.contains("Only an Admin"), "{page}");
    assert!(!page.contains("Connect again") && !page.contains("Disconnect"), "{page}");
    for (method, path) in [("POST", path.clone()), ("GET", format!("{path}/end")), ("POST", format!("{path}/end"))] {
        assert_eq!(send(&world.router, method, &path, Some(&session), "").await.status, 403, "{method} {path}");
    }
    assert!(world.connection().await.is_some());
}

#[tokio::test]
async fn the_policy_of_pages_lets_the_form_lead_to_microsoft() {
    let world = World::new().await;
    let response = world.open("/").await;
    let policy = response.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("form-action 'self' ") && policy.contains("https://graph.example"), "{policy}");
}
