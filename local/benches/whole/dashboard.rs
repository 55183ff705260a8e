//! The dashboard's own pages, by the built function: a report, and all tenants of a large organization.

use chrono::Utc;
use local::Engine;
use model::{IdentityHash, OrganizationId, Role};
use serde_json::{Value, json};
use store::{Membership, Organization, Person, Store};
use tokio::net::TcpListener;

use crate::function::{Program, built};
use crate::process::ANY_PORT;
use crate::support::{
    BoxError, TABLE, add_bare_tenant, add_body, add_organization, add_report, body, by_operator, minute, report_id,
    tenant_id,
};
use crate::table::{Bound, Table, median};

const TENANTS: u64 = 500;
const CHECKS: usize = 130;
const WARM_UPS: usize = 20;
const INVOCATIONS: usize = 101;
/// Number of the report with that many checks.
const LARGE: u64 = TENANTS + 1;

const EVENT: &str = include_str!("../../../events/dashboard/signed-out.json");

/// Adds the times of both pages.
pub(crate) async fn measure(table: &mut Table) -> Result<(), BoxError> {
    let engine = Engine::memory(TcpListener::bind(ANY_PORT).await?).await?;
    let store = engine.store(TABLE).await?;
    let organization = add_organization(&store, &"org_pages".parse::<OrganizationId>()?).await?;
    for number in 1..=TENANTS {
        add_bare_tenant(&organization, number).await?;
        add_report(&organization, &tenant_id(number), number).await?;
    }
    let mut large = body(LARGE, minute(LARGE));
    let more: Vec<_> = large.checks.iter().take(CHECKS - large.checks.len()).cloned().collect();
    for (number, mut check) in more.into_iter().enumerate() {
        check.control_id = format!("CTL.MORE.{number}").parse()?;
        large.checks.push(check);
    }
    add_body(&organization, &tenant_id(1), LARGE, &large).await?;
    let cookie = cookie(&store, &organization).await?;

    let mut function = Program::new(built("dashboard")?, &format!("http://{}", engine.address())).start().await?;
    let report = format!("/tenants/{}/reports/{}", tenant_id(1), report_id(LARGE));
    for (what, path, most) in [
        (format!("page of a report with {CHECKS} checks, warm"), report.as_str(), 10.0),
        (format!("overview of {TENANTS} tenants, warm"), "/", 100.0),
    ] {
        let event = event(path, &cookie)?;
        let (mut times, mut sent) = (Vec::with_capacity(INVOCATIONS), 0);
        for number in 0..WARM_UPS + INVOCATIONS {
            let response = function.invoke(&event).await?;
            let posted: Value = serde_json::from_slice(&response.posted)?;
            if posted["statusCode"] != 200 {
                return Err(format!("{path} responded with {}", posted["statusCode"]).into());
            }
            sent = decoded_length(&posted);
            if number >= WARM_UPS {
                times.push(response.last);
            }
        }
        table.detail(&what, format!("{:.1} KB sent, in gzip", sent as f64 / 1e3));
        table.figure(what, Some(Bound::AtMost(most)), median(times).as_secs_f64() * 1e3, " ms");
    }
    Ok(())
}

/// Returns the length of a body that is posted in base64.
fn decoded_length(posted: &Value) -> usize {
    let body = posted["body"].as_str().unwrap_or_default();
    body.trim_end_matches('=').len() * 3 / 4
}

/// The cookie of a new session of a new Admin.
async fn cookie(store: &Store, organization: &Organization) -> Result<String, BoxError> {
    let now = Utc::now().try_into()?;
    let (invitation, _) = by_operator(organization, now).invite(Role::Admin, None).await?;
    let person =
        Person { identity: IdentityHash::of("https://issuer.example.com", "1"), name: "Amara".into(), email: None };
    let Membership { member_id, .. } = store.accept_invitation(&invitation, person, now).await?;
    let secret = store.sessions(organization.id()).begin(member_id.clone(), now).await?;
    Ok(format!("__Host-posture-session={}~{member_id}~{}", organization.id(), secret.reveal()))
}

/// The event of a signed-in request that accepts gzip.
fn event(path: &str, cookie: &str) -> Result<String, BoxError> {
    let mut event: Value = serde_json::from_str(EVENT)?;
    event["rawPath"] = json!(path);
    event["requestContext"]["http"]["path"] = json!(path);
    event["cookies"] = json!([cookie]);
    event["headers"]["accept-encoding"] = json!("gzip");
    Ok(event.to_string())
}
