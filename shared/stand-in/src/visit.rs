//! Pages for people of a tenant in a browser: the question for consent, and the sign-in.

use std::collections::{BTreeMap, HashMap};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use form_urlencoded::Serializer;
use model::{ProviderTenantId, time_ordered_id};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

use super::StandIn;
use super::reply::Reply;
use super::tenant::{Consent, Tenant};

/// Validity of a code and of an identity token.
const LASTS: TimeDelta = TimeDelta::minutes(10);
/// The role that every member has, by the identifier of its template.
const MEMBER: &str = "b79fbf4d-3ef9-4689-8143-76b194e85509";
/// Global Administrator, likewise.
const GLOBAL_ADMINISTRATOR: &str = "62e90394-69f5-4237-9190-012177145e10";

/// The identifier of a tenant that does not exist.
const NO_TENANT: &str = "00000000-0000-4000-8000-00000000dead";

/// Somebody of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// A Global Administrator.
    Administrator,
    /// Somebody without a role.
    Member,
    /// An administrator whose token names another tenant in `tid`, and this one as its issuer.
    OfAnotherTenant,
}

/// The question of an address to its visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Whether to consent to the permissions of the application.
    Consent,
    /// Who is signing in.
    SignIn,
}

/// A visit with its parameters.
pub struct Visit<'a> {
    /// The question.
    pub question: Question,
    /// The tenant.
    pub tenant: &'a Tenant,
    fields: BTreeMap<String, String>,
}

/// A sign-in whose code was not exchanged yet.
pub(super) struct SignIn {
    tenant: ProviderTenantId,
    person: Person,
    nonce: String,
    challenge: String,
    until: DateTime<Utc>,
}

/// The key of identity tokens, and the sign-ins by their codes.
pub(super) struct SignIns {
    key: EcdsaKeyPair,
    by_code: HashMap<String, SignIn>,
}

impl SignIns {
    pub(super) fn new() -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let document = document.expect("the system has a random source");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
        Self { key: key.expect("the key was just made"), by_code: HashMap::new() }
    }
}

impl Visit<'_> {
    fn field(&self, name: &str) -> &str {
        self.fields.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Returns the address that the visitor is sent back to.
    fn back(&self, fields: &[(&str, &str)]) -> String {
        let mut query = Serializer::new(String::new());
        query.extend_pairs(fields).append_pair("state", self.field("state"));
        format!("{}?{}", self.field("redirect_uri"), query.finish())
    }
}

impl StandIn {
    /// Returns what an address, as its path and query below this one's, asks of a visitor. `None` if it is none that
    /// the application of this stand-in leads to.
    pub fn visit(&self, target: &str) -> Option<Visit<'_>> {
        let (path, query) = target.split_once('?')?;
        let (tenant, page) = path.strip_prefix('/')?.split_once('/')?;
        let tenant = self.tenants.get(&tenant.parse().ok()?)?;
        let question = match page {
            "v2.0/adminconsent" => Question::Consent,
            "oauth2/v2.0/authorize" => Question::SignIn,
            _ => return None,
        };
        let fields = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let visit = Visit { question, tenant, fields };
        let is_ours = visit.field("client_id") == self.registration.client_id
            && visit.field("redirect_uri") == self.registration.redirect;
        let asks_rightly = match question {
            Question::Consent => visit.field("scope") == "https://graph.microsoft.com/.default",
            Question::SignIn => {
                visit.field("response_type") == "code" && visit.field("code_challenge_method") == "S256"
            }
        };
        (is_ours && asks_rightly).then_some(visit)
    }

    /// Answers a visit: as an administrator who consents, or as whoever signs in. Returns the address that the visitor
    /// is sent back to.
    pub fn answer(&self, visit: &Visit<'_>, person: Person) -> String {
        let tenant = &visit.tenant.id;
        match (visit.question, person) {
            (Question::Consent, Person::Administrator) => {
                self.grant(tenant, Consent::Given, []);
                let scope = "https://graph.microsoft.com/.default";
                visit.back(&[("admin_consent", "True"), ("tenant", tenant.as_str()), ("scope", scope)])
            }
            (Question::Consent, Person::Member | Person::OfAnotherTenant) => visit.back(&[
                ("admin_consent", "True"),
                ("error", "access_denied"),
                ("error_description", "AADSTS90094: Only an administrator can grant this permission."),
            ]),
            (Question::SignIn, person) => {
                let until = self.clock.now() + LASTS;
                let code = until.try_into().map(time_ordered_id).unwrap_or_default();
                let (nonce, challenge) = (visit.field("nonce").to_owned(), visit.field("code_challenge").to_owned());
                let sign_in = SignIn { tenant: tenant.clone(), person, nonce, challenge, until };
                self.sign_ins().by_code.insert(code.clone(), sign_in);
                visit.back(&[("code", &code)])
            }
        }
    }

    /// Cancels a visit. Returns the address that the visitor is sent back to.
    pub fn cancel(&self, visit: &Visit<'_>) -> String {
        let declined = "AADSTS65004: User declined to consent to access the app.";
        visit.back(&[("error", "access_denied"), ("error_description", declined)])
    }

    /// Exchanges a code, which is accepted once, for an identity token.
    pub(super) fn redeem<'f>(&self, tenant: &Tenant, field: impl Fn(&str) -> &'f str) -> Option<String> {
        let mut sign_ins = self.sign_ins();
        let SignIn { tenant: of, person, nonce, challenge, until } = sign_ins.by_code.remove(field("code"))?;
        let shown = URL_SAFE_NO_PAD.encode(digest(&SHA256, field("code_verifier").as_bytes()));
        let now = self.clock.now();
        let fits = of == tenant.id && shown == challenge && field("redirect_uri") == self.registration.redirect;
        if !fits || until <= now {
            return None;
        }
        let (place, name, roles) = match person {
            Person::Administrator | Person::OfAnotherTenant => (0, "admin", vec![GLOBAL_ADMINISTRATOR, MEMBER]),
            Person::Member => (1, "member", vec![MEMBER]),
        };
        let of = if person == Person::OfAnotherTenant { NO_TENANT } else { tenant.id.as_str() };
        let claims = json!({
            "iss": format!("{}/{}/v2.0", self.address, tenant.id),
            "aud": self.registration.client_id,
            "sub": tenant.object("subject", place),
            "oid": tenant.object("user", place),
            "tid": of,
            "nonce": nonce,
            "nbf": now.timestamp(),
            "iat": now.timestamp(),
            "exp": (now + LASTS).timestamp(),
            "name": format!("The {name} of {}", tenant.name),
            "preferred_username": format!("{name}@{}", tenant.domain()),
            "wids": roles,
        });
        let encoded = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let text =
            format!("{}.{}", encoded(json!({ "alg": "ES256", "typ": "JWT", "kid": "stand-in" })), encoded(claims));
        let signature = sign_ins.key.sign(&SystemRandom::new(), text.as_bytes()).ok()?;
        Some(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Responds with the keys of identity tokens.
    pub(super) fn keys(&self) -> Reply {
        let sign_ins = self.sign_ins();
        // An uncompressed point: a byte that marks it, then both coordinates.
        let point = &sign_ins.key.public_key().as_ref()[1..];
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[..32]), URL_SAFE_NO_PAD.encode(&point[32..]));
        let key = json!({ "kty": "EC", "crv": "P-256", "use": "sig", "kid": "stand-in", "x": x, "y": y });
        Reply::ok(json!({ "keys": [key] }))
    }
}
